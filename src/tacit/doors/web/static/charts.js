// Charts of figures that the server sends as JSON.
"use strict";
(() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const drawn = [];

  function axes(labels) {
    const grid = {stroke: colour("--line"), width: 1};
    const values = labels ? (_plot, splits) => splits.map((at) => labels[at] ?? "") : undefined;
    return [
      {stroke: colour("--dim"), grid, ticks: grid, values, space: 60, incrs: [1, 2, 4, 8, 16]},
      {stroke: colour("--dim"), grid, ticks: grid, size: 44},
    ];
  }

  function weeks(box, found) {
    const names = {told: ["told", "--dim"], followed: ["followed", "--good"], stops: ["stopped", "--bad"],
                   stops_paid: ["stops that paid", "--accent"], rules_kept: ["rules kept", "--warn"]};
    const series = [{label: "week", value: (_plot, at) => found.weeks[at] ?? ""}];
    for (const [label, name] of Object.values(names)) {
      series.push({label, stroke: colour(name), width: 2, points: {show: true, size: 6}});
    }
    return draw(box, found.weeks.map((_, at) => at), Object.keys(names).map((one) => found[one]), series, found.weeks);
  }

  function runs(box, found) {
    const labels = found.outcomes;
    const series = [{label: "run", value: (_plot, at) => labels[at] ?? ""},
                    {label: "seconds", stroke: colour("--accent"), width: 2, points: {show: true, size: 6}}];
    return draw(box, found.seconds.map((_, at) => at), [found.seconds], series, null);
  }

  function draw(box, at, lines, series, labels) {
    box.replaceChildren();
    const size = {width: Math.max(260, box.clientWidth), height: 200};
    // One figure alone stands in the middle; the legend shows the newest ones until the mouse is over others.
    const x = {time: false, ...(at.length === 1 ? {range: () => [-1, 1]} : {})};
    const newest = (plot) => { if (plot.cursor.idx == null) plot.setLegend({idx: at.length - 1}, false); };
    const options = {...size, scales: {x}, series, axes: axes(labels), hooks: {ready: [newest], setCursor: [newest]}};
    return new uPlot(options, [at, ...lines], box);
  }

  function show({box, found}) {
    const kinds = {weeks, runs};
    const length = (found.weeks || found.seconds).length;
    if (length) kinds[box.dataset.chart](box, found);
    else box.textContent = "There are no figures yet.";
  }

  for (const box of document.querySelectorAll("[data-chart]")) {
    fetch(box.dataset.from, {credentials: "same-origin"}).then((answer) => answer.json()).then((found) => {
      drawn.push({box, found});
      show({box, found});
    });
  }
  document.addEventListener("tacit:theme", () => drawn.forEach(show));
  addEventListener("resize", () => drawn.forEach(show));
})();
