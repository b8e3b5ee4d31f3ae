// The form of a card: keeps a draft in this browser, takes files, and leads from a finding to its place.
// Without this file the form still works; only these comforts are missing.
(function () {
  "use strict";

  var LARGEST = 256 * 1024;
  var writing = document.getElementById("writing");
  var notice = document.getElementById("draft");
  var said = notice.querySelector("span");
  var undo = document.getElementById("undo");
  var discard = document.getElementById("discard");
  var alerts = document.getElementById("alerts");
  var key = "benchcard draft " + writing.dataset.draft;
  var recorded = false;
  var previous = null;
  var gone = false; // whether the server was asked in vain

  function form() { return document.getElementById("card-form"); }

  // What is typed, without what belongs to this one rendering of the page.
  function typed() {
    var found = {};
    new FormData(form()).forEach(function (value, name) {
      if (typeof value === "string" && name !== "once") { found[name] = value; }
    });
    return found;
  }

  function put(values) {
    Object.keys(values).forEach(function (name) {
      var field = form().elements[name];
      if (!field || field instanceof RadioNodeList) { return; }
      if (field.tagName === "SELECT" && !Array.from(field.options).some(function (o) { return o.value === values[name]; })) {
        field.add(new Option(values[name], values[name]));
      }
      field.value = values[name];
      var folded = field.closest("details");
      if (folded && values[name]) { folded.open = true; }
    });
    show(values.tab || "form");
    window.htmx.trigger(form(), "check");
  }

  function show(tab) {
    form().elements.tab.value = tab;
    ["form", "yaml"].forEach(function (name) {
      document.getElementById("as-" + name).hidden = name !== tab;
      document.getElementById("to-" + name).setAttribute("aria-pressed", String(name === tab));
    });
  }

  function say(text, offers) {
    said.textContent = text;
    undo.hidden = !offers.undo;
    discard.hidden = !offers.discard;
    notice.hidden = false;
  }

  function tell(text) {
    var box = document.createElement("div");
    var line = document.createElement("p");
    box.className = "trouble";
    line.textContent = text;
    box.append(line);
    alerts.replaceChildren(box);
    alerts.scrollIntoView({ block: "nearest" });
  }

  // The page holds the words, with places for what is known only here.
  function words(name, values) {
    return writing.dataset[name].replace(/\{(\w+)\}/g, function (place, known) { return values[known]; });
  }

  function clock(at) {
    return new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  }

  // The draft
  var begun = typed();

  function keep() {
    if (recorded) { return; }
    var now = typed();
    try {
      if (same(now, begun)) {
        localStorage.removeItem(key);
      } else {
        var at = Date.now();
        localStorage.setItem(key, JSON.stringify({ at: at, values: now }));
        say(words("kept", { at: clock(at) }), { discard: true, undo: !undo.hidden });
      }
    } catch (error) {
      say(words("unkept"), {});
    }
  }

  function same(a, b) {
    return JSON.stringify(a, Object.keys(a).sort()) === JSON.stringify(b, Object.keys(b).sort());
  }

  function restore() {
    var draft;
    try { draft = JSON.parse(localStorage.getItem(key)); } catch (error) { return; }
    if (!draft || !draft.values || same(draft.values, begun)) { return; }
    put(draft.values);
    say(words("back", { at: clock(draft.at) }), { discard: true });
  }

  discard.addEventListener("click", function () {
    previous = typed();
    localStorage.removeItem(key);
    put(begun);
    say(words("discarded"), { undo: true });
    undo.focus();
  });
  undo.addEventListener("click", function () {
    put(previous);
    undo.hidden = true;
    keep();
    discard.focus();
  });

  // Files: opened, dropped, or pasted
  function take(file) {
    if (file.size > LARGEST) {
      tell(words("large", { file: file.name, size: Math.ceil(file.size / 1024) }));
      return;
    }
    file.arrayBuffer().then(function (bytes) {
      var text;
      try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch (error) {
        tell(words("notUtf8", { file: file.name }));
        return;
      }
      alerts.replaceChildren();
      previous = typed();
      put({ yaml: text, tab: "yaml" });
      undo.hidden = false;
      keep();
      say(words("open", { file: file.name }), { undo: true, discard: true });
    }, function () { tell(words("unread", { file: file.name })); });
  }
  document.addEventListener("change", function (event) {
    if (event.target.id === "file" && event.target.files[0]) {
      take(event.target.files[0]);
      event.target.value = "";
    }
  });
  document.addEventListener("dragover", function (event) {
    if (Array.from(event.dataTransfer.types).indexOf("Files") >= 0) { event.preventDefault(); }
  });
  document.addEventListener("drop", function (event) {
    if (event.dataTransfer.files[0]) { event.preventDefault(); take(event.dataTransfer.files[0]); }
  });
  document.addEventListener("paste", function (event) {
    if (event.clipboardData && event.clipboardData.files[0]) { event.preventDefault(); take(event.clipboardData.files[0]); }
  });

  // The unit of what the number measures, where none is typed or only the one that stood for another axis
  var given = "";
  document.addEventListener("change", function (event) {
    if (event.target.id !== "f-metric-axis") { return; }
    var unit = document.getElementById("f-result-unit");
    if (unit.value && unit.value !== given) { return; }
    unit.value = given = JSON.parse(event.target.form.dataset.units)[event.target.value] || "";
    unit.dispatchEvent(new Event("input", { bubbles: true }));
  });

  // From a finding to its place
  document.addEventListener("click", function (event) {
    var link = event.target.closest("#editor a[href^='#']");
    if (!link) { return; }
    var field = document.getElementById(link.hash.slice(1));
    if (!field) { return; }
    event.preventDefault();
    var folded = field.closest("details");
    if (folded) { folded.open = true; }
    field.focus();
    if (link.dataset.place) { point(field, link.dataset.place.split(":").map(Number)); }
  });

  function point(text, place) {
    var before = text.value.split("\n").slice(0, place[0] - 1);
    var start = before.join("\n").length + (before.length ? 1 : 0);
    var end = text.value.indexOf("\n", start);
    text.setSelectionRange(start + place[1] - 1, end < 0 ? text.value.length : end);
    text.scrollTop = (place[0] - 4) * parseFloat(getComputedStyle(text).lineHeight);
  }

  // What the server answers
  function ready() {
    document.querySelectorAll("#editor .file").forEach(function (label) { label.hidden = false; });
    document.querySelectorAll("#editor .error").forEach(function (slot) {
      var field = document.getElementById("f-" + slot.id.slice(2));
      if (field) { field.toggleAttribute("aria-invalid", Boolean(slot.textContent)); }
      if (field && slot.textContent) { field.setAttribute("aria-invalid", "true"); }
    });
  }
  document.addEventListener("input", function (event) { if (event.target.closest("#card-form")) { keep(); } });
  document.addEventListener("htmx:afterSettle", ready);
  document.addEventListener("htmx:afterSwap", function (event) {
    if (event.detail.target.id === "editor") {
      var summary = document.getElementById("error-summary");
      if (summary) { summary.focus(); }
      keep();
    }
    if (event.detail.target.id === "alerts") { alerts.scrollIntoView({ block: "nearest" }); }
  });
  document.addEventListener("htmx:beforeOnLoad", function (event) {
    if (event.detail.xhr.getResponseHeader("HX-Redirect")) {
      recorded = true;
      localStorage.removeItem(key);
    }
  });
  document.addEventListener("htmx:sendError", function () {
    gone = true;
    tell(words("unheard"));
  });
  document.addEventListener("htmx:afterRequest", function (event) {
    if (event.detail.successful && gone) {
      gone = false;
      alerts.replaceChildren();
    }
  });

  document.addEventListener("DOMContentLoaded", function () { // after htmx, which has to hear of what is restored
    ready();
    restore();
  });
})();
