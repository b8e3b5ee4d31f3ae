// Draws every chart of a page from the JSON beside it, in the reader's light or dark colours, and exports it.
// The library is large: it is fetched when a chart comes near the window, or when the reader first does anything.
(function () {
  "use strict";
  var EXPORT_PX = 1000;
  var NARROW_PX = 600;
  var NEAR = "400px";
  var FIRST = ["pointermove", "pointerdown", "keydown", "scroll"];
  var source = document.currentScript.dataset.library;
  var library = null;
  var pen = document.createElement("canvas").getContext("2d");

  // Sets in what the stylesheet's variables are now.
  function resolve(value, style) {
    if (typeof value === "string") {
      return value.replace(/var\((--[a-z0-9-]+)\)/g, function (_, name) { return style.getPropertyValue(name).trim(); });
    }
    if (Array.isArray(value)) { return value.map(function (item) { return resolve(item, style); }); }
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(function (pair) { return [pair[0], resolve(pair[1], style)]; }));
    }
    return value;
  }

  // Width of a text as it will be drawn; an entity counts as the one letter that it shows.
  function measure(text) { return pen.measureText(text.replace(/&[a-z0-9#]+;/g, "m")).width; }

  function widest(lines) { return lines.reduce(function (most, line) { return Math.max(most, measure(line)); }, 0); }

  // Sentences as lines that fit, each sentence on a line of its own.
  function wrap(sentences, width) {
    var lines = [];
    sentences.forEach(function (sentence) {
      var line = "";
      sentence.split(" ").forEach(function (word) {
        var longer = line ? line + " " + word : word;
        if (line && measure(longer) > width) { lines.push(line); line = word; } else { line = longer; }
      });
      lines.push(line);
    });
    return lines;
  }

  // The names at the bars, broken to fit; returns the width that they take.
  function nameBars(drawn, width) {
    var most = 0;
    function fit(name) {
      if (typeof name !== "string") { return name; }
      var lines = wrap([name.replace(/<br>/g, " ")], width);
      most = Math.max(most, widest(lines));
      return lines.join("<br>");
    }
    drawn.data.forEach(function (trace) { trace.y = trace.y.map(fit); });
    Object.values(drawn.layout).forEach(function (part) {
      ["ticktext", "categoryarray"].forEach(function (names) {
        if (part && part[names]) { part[names] = part[names].map(fit); }
      });
    });
    return most;
  }

  // Every value axis long enough for the text at the end of its longest bar.
  function makeRoom(drawn, room) {
    drawn.data.forEach(function (trace) {
      var axis = drawn.layout["xaxis" + (trace.xaxis || "x").slice(1)];
      trace.x.forEach(function (length, place) {
        var share = 1 - Math.min(0.7, (measure(trace.text[place]) + 12) / room);
        axis.range = [0, Math.max(axis.range[1], (length || 0) / share)];
      });
    });
  }

  // Rows of the legend: one where all entries fit, else columns as wide as the widest, as Plotly sets them.
  function legendRows(traces, room) {
    var shown = traces.filter(function (trace) { return trace.showlegend !== false; });
    var widths = shown.map(function (trace) { return measure(trace.name) + 48; });
    var all = widths.reduce(function (sum, one) { return sum + one; }, 0);
    if (shown.length === 0 || all <= room) { return Math.min(shown.length, 1); }
    return Math.ceil(shown.length / Math.max(1, Math.floor(room / Math.max.apply(null, widths))));
  }

  // The figure at a width. Legend, caption and source stand inside, so that an exported file has them too.
  function figure(data, width) {
    var drawn = resolve(data, getComputedStyle(document.documentElement));
    var layout = drawn.layout;
    var narrow = width < NARROW_PX;
    var size = layout.font.size = narrow ? 11 : 12;
    var line = 1.3 * size;
    pen.font = "700 " + layout.title.font.size + "px " + layout.font.family;
    var title = wrap([layout.title.text], width - 8);
    pen.font = size + "px " + layout.font.family;
    var left = drawn.lines ? 80 : 64; // ticks of six digits, and the axis's name beside them
    if (!drawn.lines) {
      left = nameBars(drawn, narrow ? width * 0.36 : width * 0.24) + 16;
      makeRoom(drawn, width - left - 8);
    }
    var caption = wrap(drawn.caption, width - 16);
    // The font of a title is a fifth larger.
    var named = layout.xaxis.title && wrap([layout.xaxis.title.text], (width - left - 8) / 1.2);
    if (named) { layout.xaxis.title.text = named.join("<br>"); }
    // Without it the title stands on long ticks.
    if (drawn.lines && layout.yaxis.title) { layout.yaxis.title.standoff = 8; }
    var axis = layout.xaxis.visible === false ? 12 : 60 + (named ? 1.2 * line * (named.length - 1) : 0);
    var legend = 20 * legendRows(drawn.data, width - left);
    var top = 20 * title.length + 16 + legend;
    var bottom = axis + line * (caption.length + 1);
    var bars = layout.height * (narrow ? 1.3 : 1);
    layout.title.text = title.join("<br>");
    Object.assign(layout.title, { y: 1, yref: "container", yanchor: "top", pad: { t: 10 * title.length - 6 } });
    layout.annotations.forEach(function (note) {
      if (note.name === "break") { note.text = wrap([note.text], width - left - 32).join("<br>"); }
    });
    layout.annotations.push({
      text: caption.join("<br>"), xref: "paper", yref: "paper", x: 0, y: 0, xanchor: "left", yanchor: "top",
      xshift: -left, yshift: -axis, align: "left", showarrow: false
    });
    Object.assign(layout, { width: width, height: bars + top + bottom, margin: { l: left, r: 8, t: top, b: bottom, pad: 4 } });
    return drawn;
  }

  // Plotly, fetched once.
  function fetched() {
    library = library || new Promise(function (done) {
      var script = document.createElement("script");
      script.src = source;
      script.onload = function () { done(window.Plotly); };
      document.head.append(script);
    });
    return library;
  }

  // Calls back once, when the place is near the window or the reader first does anything, the charts one by one.
  function whenWanted(place, act) {
    var over = false;
    function once() {
      if (over) { return; }
      over = true;
      seen.disconnect();
      fetched().then(act);
    }
    function later() {
      FIRST.forEach(function (name) { window.removeEventListener(name, later); });
      setTimeout(once, 0); // each chart is a task of its own
    }
    var seen = new IntersectionObserver(function (entries) {
      if (entries.some(function (entry) { return entry.isIntersecting; })) { once(); }
    }, { rootMargin: NEAR });
    seen.observe(place);
    FIRST.forEach(function (name) { window.addEventListener(name, later, { passive: true }); });
  }

  function start(chart) {
    var place = chart.querySelector(".plot");
    var data = JSON.parse(chart.querySelector('script[type="application/json"]').textContent);
    var width = 0;
    function room() { return Math.min(Math.floor(place.clientWidth), 1100); }
    function draw(anew) {
      if (!window.Plotly || (!anew && room() === width)) { return; }
      width = room();
      var drawn = figure(data, width);
      window.Plotly.react(place, drawn.data, drawn.layout, { staticPlot: true, displayModeBar: false });
      place.style.minHeight = "";
    }
    chart.querySelector(".undrawn").remove();
    place.style.minHeight = figure(data, room()).layout.height + "px"; // nothing moves when it is drawn
    whenWanted(place, function () { draw(true); });
    window.addEventListener("resize", function () { draw(false); });
    ["(prefers-color-scheme: dark)", "print"].forEach(function (media) {
      window.matchMedia(media).addEventListener("change", function () { draw(true); });
    });
    chart.querySelectorAll("button[data-export]").forEach(function (button) {
      button.hidden = false;
      button.addEventListener("click", function () {
        var drawn = figure(data, EXPORT_PX);
        var size = { width: drawn.layout.width, height: Math.ceil(drawn.layout.height), scale: 2 };
        var file = Object.assign({ format: button.dataset.export, filename: chart.dataset.file }, size);
        fetched().then(function (plotly) { plotly.downloadImage(drawn, file); });
      });
    });
  }

  document.querySelectorAll("figure.chart").forEach(start);
})();
