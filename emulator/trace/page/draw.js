// SPDX-License-Identifier: MIT
/* Elements. All text of the run goes in as text, never as markup. */
const $ = id => document.getElementById(id);
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
function svg(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
const tip = text => svg('title', {}, text);
function canvas(width, height, label) {
  const hatch = svg('pattern', { id: 'vain', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    svg('line', { x1: 0, y1: 0, x2: 0, y2: 5, class: 'vain_stroke' }));
  const image = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' }, svg('defs', {}, hatch));
  if (label) image.setAttribute('aria-label', label);
  return image;
}
/* Names of lanes in a cell of 14 units: the longer, the smaller. */
const fitting = names => names.length > 2 ? `font-size:${names.length > 4 ? 5.2 : 6.4}px` : '';
function label(x, y, text, attributes) {
  return svg('text', { x, y, ...attributes }, text);
}
/* Lanes have colours of their own, light enough for dark numbers on them, from blue to yellow. */
const laneColour = lane => `hsl(${215 - lane * 5.4} ${58 + lane % 2 * 14}% ${66 + lane % 2 * 7}%)`;
const lanesOf = mask => [...Array(32).keys()].filter(lane => mask >>> lane & 1);
/* "3", "0–3", "0, 4" or "0+31", short enough for a cell. */
function laneNames(lanes) {
  if (lanes.length === 1) return `${lanes[0]}`;
  const run = lanes.every((lane, i) => lane === lanes[0] + i);
  if (run) return `${lanes[0]}–${lanes[lanes.length - 1]}`;
  return lanes.length === 2 ? lanes.join(' ') : `${lanes.length}×`;
}
/* A row of 32 lanes: on, waiting, ended. */
function laneRow(image, x, y, size, text, classOf, gap = 0) {
  if (text) image.append(label(x - 6, y + size - 3, text, { class: 'soft', 'text-anchor': 'end' }));
  for (let lane = 0; lane < 32; lane++) {
    const kind = classOf(lane);
    const left = x + lane * size + Math.floor(lane / 8) * gap;
    const box = svg('rect', { x: left, y, width: size - 1, height: size - 1, rx: 2, class: kind === 'lane' ? 'cell' : kind });
    if (kind === 'lane') box.style.fill = laneColour(lane);
    image.append(box);
    const on = ['lane', 'jump', 'next', 'both'].includes(kind);
    if (on && size >= 11) image.append(label(left + (size - 1) / 2, y + size - 4, `${lane}`,
      { class: kind === 'lane' ? 'on' : 'strong', 'text-anchor': 'middle' }));
  }
}
function legend(where, entries) {
  where.replaceChildren(...entries.map(([kind, text]) => {
    const image = canvas(12, 12);
    image.append(svg('rect', { x: .5, y: .5, width: 11, height: 11, class: kind === 'lane' ? 'cell' : kind }));
    if (kind === 'lane') image.lastChild.style.fill = laneColour(6);
    image.setAttribute('aria-hidden', 'true');
    return make('span', {}, image, text);
  }));
}
