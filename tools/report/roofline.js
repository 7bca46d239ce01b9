// SPDX-License-Identifier: MIT
/* The roofline: what a figure's data say (roofline.c), as wide as there is room. */
{
  const MARGIN = { left: 70, right: 14, top: 12, bottom: 46 }, LINE = 14, DOT = 6;
  const element = (name, attributes, ...children) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes))
      made.setAttribute(key, typeof value === 'number' ? Math.round(value * 10) / 10 : value);
    made.append(...children);
    return made;
  };
  const box = (x, y, width, height) => ({ x, y, width, height });
  const overlap = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  const isFree = (one, taken) => !taken.some(other => overlap(one, other));

  /* A line as small boxes, for others to keep clear of. */
  const boxesOn = (x1, y1, x2, y2) => {
    const count = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 4) || 1;
    return Array.from({ length: count + 1 }, (_, i) =>
      box(x1 + (x2 - x1) * i / count - 2, y1 + (y2 - y1) * i / count - 2, 4, 4));
  };

  /* A shape of its own for each run, so that colour is not needed. */
  const mark = (x, y, run) => [
    () => element('circle', { cx: x, cy: y, r: 4.5 }),
    () => element('rect', { x: x - 4, y: y - 4, width: 8, height: 8 }),
    () => element('path', { d: `M${x} ${y - 5.5} l5.5 9.5 h-11 z` }),
    () => element('path', { d: `M${x} ${y - 6} l6 6 -6 6 -6 -6 z` })][run % 4]();

  const shortName = step => step.startsWith('library_') ? step.slice(8) : step.split('_')[0];

  /* The nearest place for a label of that width at a point: clear of all that is taken, within the plot,
   * and, where there is such a place, so that the line from point to label crosses no other label. */
  function place(point, width, plot, taken, labels) {
    for (const others of [labels, []])
      for (let distance = DOT + 4; distance < plot.width; distance += 4)
        for (const turn of [0, 8, 15, 1, 9, 7, 14, 2, 10, 6, 13, 3, 11, 5, 12, 4]) {
          const cos = Math.cos(turn * Math.PI / 8), x = point.x + cos * distance;
          const y = point.y + Math.sin(turn * Math.PI / 8) * distance;
          const at = box(x - width * (1 - cos) / 2, y - LINE / 2, width, LINE);
          const lead = { x: Math.min(Math.max(point.x, at.x), at.x + width), y: Math.min(Math.max(point.y, at.y), at.y + LINE) };
          const inside = at.x > plot.x && at.x + width < plot.x + plot.width && at.y > plot.y && at.y + LINE < plot.y + plot.height;
          const near = Math.hypot(lead.x - point.x, lead.y - point.y) <= 2 * DOT;
          if (inside && isFree(at, taken) && (near || boxesOn(point.x, point.y, lead.x, lead.y).every(part => isFree(part, others))))
            return { at, lead: near ? null : lead };
        }
    return null;
  }

  function draw(figure, width) {
    const chart = JSON.parse(figure.dataset.chart), height = Math.round(Math.min(width * .45 + 130, 430));
    const plot = box(MARGIN.left, MARGIN.top, width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom);
    const ends = (values, room) => [Math.floor(Math.log10(Math.min(...values)) - room), Math.ceil(Math.log10(Math.max(...values)) + room)];
    const [left, right] = ends([...chart.points.map(p => p.x), ...chart.roofs.filter(r => r.memory && r.work).map(r => (r.tensor || r.work) / r.memory)], .2);
    const [bottom, top] = ends([...chart.points.map(p => p.y), ...chart.roofs.filter(r => r.work).map(r => r.tensor || r.work)], .1);
    const placeX = x => plot.x + plot.width * (Math.log10(x) - left) / (right - left);
    const placeY = y => plot.y + plot.height * (top - Math.log10(y)) / (top - bottom);
    const image = element('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': chart.name });
    const add = (...what) => image.append(element(...what));
    const taken = [], labels = [];

    figure.querySelector('svg')?.remove();
    figure.prepend(image);
    for (let i = left; i <= right; i++) {
      const x = placeX(10 ** i);
      add('line', { class: 'grid', x1: x, y1: plot.y, x2: x, y2: plot.y + plot.height });
      add('text', { x, y: plot.y + plot.height + 17, 'text-anchor': 'middle' }, `${Number(`1e${i}`)}`);
    }
    for (let i = bottom; i <= top; i++) {
      const y = placeY(10 ** i);
      add('line', { class: 'grid', x1: plot.x, y1: y, x2: plot.x + plot.width, y2: y });
      add('text', { x: plot.x - 7, y: y + 4, 'text-anchor': 'end' }, `${Number(`1e${i}`)}`);
    }
    add('text', { x: plot.x + plot.width / 2, y: height - 8, 'text-anchor': 'middle' }, chart.right);
    add('text', { x: -(plot.y + plot.height / 2), y: 13, transform: 'rotate(-90)', 'text-anchor': 'middle' }, chart.up);
    // Tensor cores have a roof above that of ordinary operations.
    const roofs = chart.roofs.flatMap(({ memory, work, tensor }, run) =>
      tensor ? [{ memory, work: tensor, run }, { memory, work, run }] : [{ memory, work, run }]);
    roofs.forEach(({ memory, work, run }) => {
      const corner = memory && work ? Math.min(work / memory, 10 ** right) : 10 ** (memory ? right : left), path = [];
      if (memory) {
        const from = Math.max(10 ** left, 10 ** bottom / memory), to = Math.min(corner, 10 ** top / memory);
        path.push([from, memory * from], [to, memory * to]);
      }
      if (work) path.push([corner, work], [10 ** right, work]);
      const at = path.map(([x, y]) => [Math.round(placeX(x)), Math.round(placeY(y))]);
      if (at.length) add('polyline', { class: `roof run${run}`, points: at.join(' ') });
      for (let i = 1; i < at.length; i++) taken.push(...boxesOn(...at[i - 1], ...at[i]));
    });
    const points = chart.points.map(p => ({ ...p, x: placeX(p.x), y: placeY(p.y) }));
    for (const { x, y } of points) taken.push(box(x - DOT, y - DOT, 2 * DOT, 2 * DOT));
    for (const point of points) {
      const text = element('text', { class: 'label' }, shortName(point.step)), dot = mark(point.x, point.y, point.run);
      const group = element('g', { class: `run${point.run}` }, element('title', {}, point.step), dot, text);
      dot.setAttribute('class', 'mark');
      image.append(group);
      const found = place(point, text.getBBox().width + 4, plot, taken, labels);
      if (!found) { text.remove(); continue; }
      const { at, lead } = found;
      text.setAttribute('x', at.x + 2);
      text.setAttribute('y', at.y + LINE - 3);
      if (lead) {
        group.prepend(element('line', { class: 'lead', x1: point.x, y1: point.y, x2: lead.x, y2: lead.y }));
        taken.push(...boxesOn(point.x, point.y, lead.x, lead.y));
      }
      taken.push(at);
      labels.push(at);
    }
  }

  const watch = new ResizeObserver(entries => {
    for (const { target, contentRect } of entries) {
      const width = Math.round(contentRect.width);
      if (width > 0 && target.width !== width) draw(target, width);
      target.width = width;
    }
  });
  document.querySelectorAll('.roofline').forEach(figure => watch.observe(figure));
}
