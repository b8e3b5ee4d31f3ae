// Ages count on while a page stays open; a log shows its end, and stays where its reader scrolled.
(function () {
  "use strict";

  // By the browser's own clock from the moment that the page or part came: how wrong that clock goes does not matter.
  var came = new WeakMap();
  function counted(found) {
    if (!came.has(found)) { came.set(found, performance.now()); }
    return Number(found.dataset.age) + Math.floor((performance.now() - came.get(found)) / 1000);
  }
  // The rule of lasted() in app/web/job_words.py: how many, and the place of their unit among the page's words.
  function lasted(seconds) {
    var sizes = [86400, 3600, 60, 1];
    var place = sizes.findIndex(function (size) { return size === 1 || seconds >= 2 * size; });
    return [Math.floor(seconds / sizes[place]), place];
  }
  function tell() {
    document.querySelectorAll("time[data-age]").forEach(function (found) {
      var age = lasted(counted(found));
      var text = found.dataset.ago.replace("{time}", age[0] + " " + found.dataset.units.split(" ")[age[1]]);
      if (found.textContent !== text) { found.textContent = text; }
    });
  }
  tell();
  window.setInterval(tell, 1000);
  document.addEventListener("htmx:afterSettle", tell);

  var NEAR = 8; // pixels from its end that still are the end
  var top = null; // where the reader of the log is, null at its end
  function log() { return document.getElementById("log"); }
  function place() {
    var found = log();
    if (found) { found.scrollTop = top === null ? found.scrollHeight : top; }
  }
  document.addEventListener("scroll", function (event) {
    var found = event.target;
    if (found.id !== "log") { return; }
    top = found.scrollHeight - found.scrollTop - found.clientHeight <= NEAR ? null : found.scrollTop;
  }, true);
  document.addEventListener("htmx:afterSwap", place);
  place();
})();
