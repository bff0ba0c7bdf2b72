// The records that a record is linked to: drag, open, and show the links of another one.
"use strict";
(() => {
  const box = document.querySelector(".graph");
  if (!box) return;
  const space = "http://www.w3.org/2000/svg";
  const width = Math.max(300, box.clientWidth);
  const height = 320;
  const svg = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "linked records"}, box);
  const lines = element("g", {class: "edges"}, svg);
  const words = element("g", {class: "words"}, svg);
  const dots = element("g", {class: "nodes"}, svg);
  const nodes = new Map();
  const links = new Map();
  let picked = null;

  const simulation = d3.forceSimulation([])
    .force("charge", d3.forceManyBody().strength(-260))
    .force("link", d3.forceLink([]).id((one) => one.id).distance(95))
    .force("centre", d3.forceCenter(width / 2, height / 2))
    .force("apart", d3.forceCollide(26))
    .on("tick", place);

  function element(name, attributes, parent) {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  }

  function text(parent, said, attributes) {
    element("text", attributes, parent).textContent = said;
  }

  function clamp(value, most) {
    return Math.max(18, Math.min(most - 18, value));
  }

  function place() {
    for (const one of nodes.values()) {
      one.x = clamp(one.x, width);
      one.y = clamp(one.y, height);
      one.shape.setAttribute("transform", `translate(${one.x},${one.y})`);
    }
    for (const one of links.values()) {
      const ends = {x1: one.source.x, y1: one.source.y, x2: one.target.x, y2: one.target.y};
      for (const [key, value] of Object.entries(ends)) one.line.setAttribute(key, value);
      one.word.setAttribute("x", (one.source.x + one.target.x) / 2);
      one.word.setAttribute("y", (one.source.y + one.target.y) / 2 - 4);
    }
  }

  function add(found) {
    for (const one of found.nodes) {
      if (nodes.has(one.id)) continue;
      nodes.set(one.id, {...one, shape: drawn(one), x: width / 2 + 60 * Math.random() - 30, y: height / 2});
    }
    for (const one of found.links) {
      const key = `${one.source} ${one.relation} ${one.target}`;
      if (links.has(key)) continue;
      const word = element("text", {}, words);
      word.textContent = one.relation.replaceAll("_", " ");
      links.set(key, {...one, line: element("line", {}, lines), word});
    }
    simulation.nodes([...nodes.values()]);
    simulation.force("link").links([...links.values()]);
    // Who asked for less motion gets the end of it at once.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      simulation.stop().tick(200);
      place();
    } else {
      simulation.alpha(0.9).restart();
    }
  }

  function drawn(one) {
    const shape = element("g", {class: one.here ? "node here" : "node", tabindex: "0", role: "link",
                                "aria-label": `${one.kind}: ${one.said}`}, dots);
    element("circle", {r: one.here ? 12 : 9}, shape);
    element("title", {}, shape).textContent = `${one.kind}: ${one.said}`;
    text(shape, one.said.length > 26 ? `${one.said.slice(0, 25)}…` : one.said, {y: 24});
    shape.addEventListener("pointerdown", (event) => {
      picked = {id: one.id, moved: false, x: event.clientX, y: event.clientY};
      shape.setPointerCapture(event.pointerId);
    });
    shape.addEventListener("pointermove", (event) => drag(one.id, event));
    shape.addEventListener("pointerup", () => release(one));
    shape.addEventListener("dblclick", () => expand(one.id));
    shape.addEventListener("keydown", (event) => {
      if (event.key === "Enter") open(one);
      if (event.key === "e") expand(one.id);
    });
    return shape;
  }

  function drag(id, event) {
    if (!picked || picked.id !== id) return;
    if (Math.hypot(event.clientX - picked.x, event.clientY - picked.y) > 4) picked.moved = true;
    const scale = width / box.clientWidth;
    const corner = svg.getBoundingClientRect();
    const node = nodes.get(id);
    node.fx = clamp((event.clientX - corner.left) * scale, width);
    node.fy = clamp((event.clientY - corner.top) * scale, height);
    simulation.alphaTarget(0.2).restart();
  }

  let opening = 0;
  function release(one) {
    const node = nodes.get(one.id);
    node.fx = node.fy = null;
    simulation.alphaTarget(0);
    // A second click within a moment shows links instead.
    if (picked && !picked.moved) {
      clearTimeout(opening);
      opening = setTimeout(() => open(one), 300);
    }
    picked = null;
  }

  function open(one) {
    if (!one.here) location.href = box.dataset.record + encodeURIComponent(one.id);
  }

  function expand(id) {
    clearTimeout(opening);
    load(`${box.dataset.record}${encodeURIComponent(id)}/graph`);
  }

  function load(address) {
    fetch(address, {credentials: "same-origin"}).then((answer) => answer.json()).then((found) => {
      add({nodes: found.nodes.map((one) => ({...one, here: one.here && nodes.size === 0})), links: found.links});
    });
  }

  load(box.dataset.from);
})();
