// SPDX-License-Identifier: MIT
/* Blocks on SMs, and the warps of one, over modelled time. */
const TIME_LEFT = 52;
/* As wide as there is room, so that a letter is as large as it is meant to be. */
const timeWidth = () => Math.max($('time').clientWidth, 280);

function axis(image, from, to, y) {
  const width = timeWidth() - TIME_LEFT - 4, parts = width < 440 ? 2 : 4;
  for (let i = 0; i <= parts; i++) {
    const x = TIME_LEFT + width * i / parts;
    image.append(svg('line', { x1: x, y1: 0, x2: x, y2: y, class: 'axis' }),
      label(x, y + 13, number(from + (to - from) * i / parts), { class: 'soft', 'text-anchor': i === parts ? 'end' : i ? 'middle' : 'start' }));
  }
  image.append(label(TIME_LEFT - 6, y + 13, t('clocks'), { class: 'soft', 'text-anchor': 'end' }));
  return at => TIME_LEFT + width * Math.min(Math.max((at - from) / Math.max(to - from, 1), 0), 1);
}

function drawBlocks(times) {
  const slots = new Map();
  for (const [sm, slot] of times.blocks) slots.set(sm, Math.max(slots.get(sm) || 0, slot + 1));
  const sms = [...slots.keys()].sort((a, b) => a - b), rows = sms.reduce((sum, sm) => sum + slots.get(sm), 0);
  const height = Math.max(.6, Math.min(14, 420 / rows)), gap = rows > 60 ? .3 : 2, tops = new Map();
  let y = 4;
  for (const sm of sms) { tops.set(sm, y); y += slots.get(sm) * height + gap; }
  const image = canvas(timeWidth(), y + 20, t('time'));
  const scale = axis(image, 0, times.clocks, y);
  let labelled = -100;
  for (const sm of sms) {
    const top = tops.get(sm);
    if (top - labelled < 13) continue;
    image.append(label(TIME_LEFT - 6, top + Math.max(height, 9) - 1, `SM ${sm}`, { class: 'soft', 'text-anchor': 'end' }));
    labelled = top;
  }
  for (const block of times.blocks) {
    const x = scale(block[3]), top = tops.get(block[0]) + block[1] * height, width = Math.max(scale(block[4]) - x, .7);
    image.append(svg('rect', { x, y: top, width: width - (width > 3 ? .7 : 0), height: height - (height > 3 ? 1 : .3), class: 'block' }, tip(t('block_tip', block))));
    if (width > 26 && height > 11) image.append(label(x + width / 2, top + height - 4, `${block[2]}`, { class: 'on', 'text-anchor': 'middle' }));
  }
  return image;
}

/* How many warps are in each state, bin by bin. */
function drawShares(times) {
  const height = 90, { bins, bin_clocks: clocks } = times, end = bins.length * clocks;
  const most = Math.max(1, ...bins.map(bin => bin.reduce((a, b) => a + b, 0))) / clocks;
  const image = canvas(timeWidth(), height + 24, t('shares_title', false)), scale = axis(image, 0, end, height + 4);
  image.append(label(TIME_LEFT - 6, 12, `${Math.round(most * 10) / 10}`, { class: 'soft', 'text-anchor': 'end' }),
    label(TIME_LEFT - 6, height + 2, '0', { class: 'soft', 'text-anchor': 'end' }));
  bins.forEach((bin, i) => {
    let y = height + 4;
    bin.forEach((sum, state) => {
      if (!sum) return;
      const tall = sum / clocks / most * height;
      y -= tall;
      image.append(svg('rect', { x: scale(i * clocks), y, width: Math.max(scale((i + 1) * clocks) - scale(i * clocks) + .2, .5), height: tall, class: `state${state}` },
        tip(`${t('states')[state]}: ${Math.round(sum / clocks * 10) / 10}`)));
    });
  });
  return image;
}

function drawWarps(times, from, to) {
  const spans = times.spans.filter(span => span[5] > from && span[4] < to);
  const slots = [...new Set(times.spans.map(span => span[0]))].sort((a, b) => a - b), names = new Map();
  for (const span of times.spans) if (!names.has(span[0])) names.set(span[0], `${span[1]} / ${span[2]}`);
  const height = Math.max(4, Math.min(14, 420 / Math.max(slots.length, 1))), y = slots.length * height + 6;
  const image = canvas(timeWidth(), y + 20, t('warps_position', from, to)), scale = axis(image, from, to, y);
  slots.forEach((slot, i) => {
    if (height > 12 || i % 4 === 0)
      image.append(label(TIME_LEFT - 6, 4 + i * height + Math.max(height, 9) - 2, names.get(slot), { class: 'soft', 'text-anchor': 'end' }));
  });
  for (const span of spans) {
    const x = scale(span[4]);
    image.append(svg('rect', { x, y: 4 + slots.indexOf(span[0]) * height, width: Math.max(scale(span[5]) - x, .6), height: height - 1, class: `state${span[3]}` },
      tip(t('span_tip', span, t('states')))));
  }
  return image;
}
