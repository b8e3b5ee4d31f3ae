// Draws every chart of a page from the JSON beside it, in the reader's light or dark colours, and exports it.
(function () {
  "use strict";
  var CHAR_PX = 6.1; // mean width of a letter at 12 px
  var EXPORT_PX = 1000;

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

  // The caption's sentences as lines that fit; entities count as the one letter that they show.
  function wrap(sentences, width) {
    var most = Math.max(30, Math.floor(width / CHAR_PX));
    var lines = [];
    sentences.forEach(function (sentence) {
      var line = "";
      sentence.split(" ").forEach(function (word) {
        var longer = line ? line + " " + word : word;
        if (line && longer.replace(/&[a-z0-9#]+;/g, "_").length > most) { lines.push(line); line = word; } else { line = longer; }
      });
      lines.push(line);
    });
    return lines;
  }

  // The figure at a width: room for the legend above and for the caption, which belongs into every exported file.
  function figure(data, width) {
    var drawn = resolve(data, getComputedStyle(document.documentElement));
    var lines = wrap(drawn.caption, width - 16);
    var narrow = width < 600;
    var legend = narrow ? 24 * Math.ceil(drawn.data.length / 2) : 28;
    var top = 40 + legend;
    var bottom = 48 + 16 * lines.length;
    var bars = drawn.layout.height;
    drawn.layout.annotations = (drawn.layout.annotations || []).concat({
      text: lines.join("<br>"), xref: "paper", yref: "paper", x: 0, y: 0, xanchor: "left", yanchor: "top", yshift: -44,
      align: "left", showarrow: false, font: { size: 12, color: drawn.layout.font.color }
    });
    Object.assign(drawn.layout, { width: width, height: bars + top + bottom, margin: { l: 8, r: 8, t: top, b: bottom, pad: 4 } });
    if (narrow) { drawn.layout.font.size = 11; }
    return drawn;
  }

  function start(chart) {
    var place = chart.querySelector(".plot");
    var data = JSON.parse(chart.querySelector('script[type="application/json"]').textContent);
    var width = 0;
    function draw(force) {
      var now = Math.min(Math.floor(place.clientWidth), 1100);
      if (!force && now === width) { return; }
      width = now;
      var drawn = figure(data, width);
      Plotly.react(place, drawn.data, drawn.layout, { staticPlot: true, displayModeBar: false });
    }
    draw(true);
    window.addEventListener("resize", function () { draw(false); });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { draw(true); });
    chart.querySelectorAll("button[data-export]").forEach(function (button) {
      button.hidden = false;
      button.addEventListener("click", function () {
        var drawn = figure(data, EXPORT_PX);
        var size = { width: drawn.layout.width, height: drawn.layout.height };
        Plotly.downloadImage(drawn, Object.assign({ format: button.dataset.export, filename: chart.id, scale: 2 }, size));
      });
    });
  }

  document.querySelectorAll("figure.chart").forEach(start);
})();
