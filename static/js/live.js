// Ages count on while a page stays open; a log shows its end, and stays where its reader scrolled.
(function () {
  "use strict";

  // By the browser's own clock from the moment that the page or part came: how wrong that clock goes does not matter.
  var came = new WeakMap();
  function counted(found) {
    if (!came.has(found)) { came.set(found, performance.now()); }
    return Number(found.dataset.age) + Math.floor((performance.now() - came.get(found)) / 1000);
  }
  // The rule of lasted() in app/web/job_words.py.
  function lasted(seconds) {
    var units = [[86400, "days"], [3600, "h"], [60, "min"]];
    for (var place = 0; place < units.length; place += 1) {
      if (seconds >= 2 * units[place][0]) { return Math.floor(seconds / units[place][0]) + " " + units[place][1]; }
    }
    return seconds + " s";
  }
  function tell() {
    document.querySelectorAll("time[data-age]").forEach(function (found) {
      var text = lasted(counted(found)) + " ago";
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
