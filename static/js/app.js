// Small comforts only: everything works without this file.
(function () {
  "use strict";

  // Groups that the reader opened stay open when their part of the page is swapped.
  var open = new Map();
  document.addEventListener("toggle", function (event) {
    if (event.target.matches("#rail details, #columns")) { open.set(event.target.id, event.target.open); }
  }, true);
  document.addEventListener("htmx:afterSwap", restore);
  document.addEventListener("htmx:oobAfterSwap", restore);
  function restore() {
    open.forEach(function (state, id) {
      var found = document.getElementById(id);
      if (found) { found.open = state; }
    });
  }

  // Escape closes what is open, and puts the keyboard back on what opened it.
  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape") { return; }
    document.querySelectorAll(".mind details[open], #columns[open]").forEach(function (found) {
      var within = found.contains(document.activeElement);
      found.open = false;
      if (within) { found.querySelector("summary").focus(); }
    });
  });
  document.addEventListener("click", function (event) {
    document.querySelectorAll(".mind details[open], #columns[open]").forEach(function (found) {
      if (!found.contains(event.target)) { found.open = false; }
    });
  });

  // How many rows are chosen, beside the button that compares them.
  function count() {
    var hint = document.querySelector("#choose .hint");
    if (!hint) { return; }
    var chosen = new FormData(document.getElementById("choose")).getAll("ids").length;
    var hints = hint.dataset.hints.split("|");
    hint.textContent = hints[Math.min(chosen, hints.length - 1)];
  }
  document.addEventListener("change", count);
  document.addEventListener("htmx:afterSettle", count);
  count();

  document.querySelectorAll("button[data-copy]").forEach(function (button) {
    var from = document.getElementById(button.dataset.copy), field = "select" in from;
    if (!navigator.clipboard && !field) { return; }
    button.hidden = false;
    button.addEventListener("click", function () {
      if (field) { from.select(); }
      if (!navigator.clipboard) {
        // A site without HTTPS has no clipboard.
        button.textContent = document.body.dataset.selected;
        return;
      }
      navigator.clipboard.writeText(field ? from.value : from.textContent).then(function () {
        button.textContent = document.body.dataset.copied;
      });
    });
  });
})();
