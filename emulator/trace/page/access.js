// SPDX-License-Identifier: MIT
/* One recorded access, branch or barrier as a picture, with a sentence and a table. */
const WORD = 4, SECTOR = 32, LINE = 128, MOST_ROWS = 40;

/* [lane, value] of each lane of `mask`. */
function spread(values, mask) {
  const lanes = lanesOf(mask);
  if (Array.isArray(values)) return lanes.map((lane, i) => [lane, values[i]]);
  return lanes.map(lane => [lane, values.from + values.step * (lane - lanes[0])]);
}

/* The bytes that lanes want: {lane, memory, at, bytes}. */
function wishes(record) {
  const list = [];
  const add = (part, mask) => {
    const owner = part.in ? new Map(spread(part.in, mask)) : null;
    for (const [lane, at] of spread(part.at, mask))
      list.push({ lane, memory: owner ? owner.get(lane) : record.allocation || 0, at, bytes: record.bytes });
  };
  if (record.taps) record.taps.forEach(tap => add(tap, tap.lanes));
  else add(record, record.lanes);
  if (record.space !== 'local') return list;
  /* Word by word across the lanes. */
  const words = [];
  for (const wish of list)
    for (let i = 0; i < Math.max(1, wish.bytes / WORD); i++)
      words.push({ ...wish, at: Math.floor(wish.at / WORD + i) * LINE + wish.lane * WORD, bytes: Math.min(WORD, wish.bytes) });
  return words;
}

/* Words and sectors by line of memory. */
function mapMemory(record, list) {
  const rows = new Map();
  const rowAt = (memory, at) => {
    const start = Math.floor(at / LINE) * LINE, key = `${memory}:${start}`;
    if (!rows.has(key)) rows.set(key, { memory, start, words: Array.from({ length: 32 }, () => []), moved: [0, 0, 0, 0] });
    return rows.get(key);
  };
  const different = new Set();
  for (const wish of list) {
    for (let at = Math.floor(wish.at / WORD) * WORD; at < wish.at + wish.bytes; at += WORD) {
      const word = rowAt(wish.memory, at).words[at % LINE / WORD];
      if (!word.includes(wish.lane)) word.push(wish.lane);
    }
    for (let at = wish.at; at < wish.at + wish.bytes; at++) different.add(`${wish.memory}:${at}`);
    if (!record.pieces)
      for (let at = Math.floor(wish.at / SECTOR) * SECTOR; at < wish.at + wish.bytes; at += SECTOR)
        rowAt(wish.memory, at).moved[at % LINE / SECTOR] = 1;
  }
  for (const [start, bytes] of record.pieces || [])
    for (let at = start; at < start + bytes; at += SECTOR)
      rowAt(record.allocation || 0, at).moved[Math.floor((at % LINE + LINE) % LINE / SECTOR)]++;
  const sorted = [...rows.values()].sort((a, b) => a.memory - b.memory || a.start - b.start);
  return { rows: sorted, different: different.size };
}

function drawMemory(record, list, text) {
  const { rows } = mapMemory(record, list);
  const shown = rows.slice(0, MOST_ROWS), cell = 15, gap = 5, left = 62, height = rows.length > 12 ? 13 : 17;
  const lanesHeight = 34, width = left + 32 * cell + 3 * gap + 30;
  const image = canvas(width, lanesHeight + shown.length * (height + 3) + (rows.length > MOST_ROWS ? 18 : 6), text);
  drawLanes(image, record, left, cell, gap);
  image.append(label(left - 6, lanesHeight - 5, t('from_byte'), { class: 'soft', 'text-anchor': 'end' }));
  shown.forEach((row, i) => {
    const y = lanesHeight + i * (height + 3);
    image.append(label(left - 6, y + height - 3, number(row.start), { class: 'soft', 'text-anchor': 'end' }));
    for (let sector = 0; sector < 4; sector++) {
      const x = left + sector * (8 * cell + gap), moved = row.moved[sector];
      image.append(svg('rect', { x: x - 1, y, width: 8 * cell + 1, height, rx: 2, class: moved ? 'sector' : 'unfetched' },
        tip(`${number(row.start + sector * SECTOR)} – ${number(row.start + (sector + 1) * SECTOR - 1)}`)));
      for (let k = 0; k < 8; k++) {
        const lanes = row.words[sector * 8 + k];
        if (!lanes.length && !moved) continue;
        const box = svg('rect', { x: x + k * cell, y: y + 1, width: cell - 1, height: height - 2, class: lanes.length ? 'cell' : 'vain' });
        image.append(box);
        if (!lanes.length) continue;
        box.style.fill = laneColour(lanes[0]);
        box.append(tip(`${t('lane')} ${lanes.join(', ')}: ${number(row.start + (sector * 8 + k) * WORD)}`));
        image.append(label(x + k * cell + (cell - 1) / 2, y + height - 4, laneNames(lanes),
          { class: 'on', 'text-anchor': 'middle', style: fitting(laneNames(lanes)) }));
      }
      if (moved > 1) image.append(label(x + 8 * cell - 2, y + height - 3, `×${moved}`, { 'text-anchor': 'end' }));
    }
  });
  if (rows.length > MOST_ROWS)
    image.append(label(left, lanesHeight + shown.length * (height + 3) + 12, t('lines_left', rows.length - MOST_ROWS)));
  return image;
}

/* Which lanes take part, wait, have ended. */
function drawLanes(image, record, left, cell, gap = 0) {
  image.append(label(left - 6, 13, t('lane'), { class: 'soft', 'text-anchor': 'end' }));
  laneRow(image, left, 2, cell, '', lane => record.lanes >>> lane & 1 ? 'lane' : record.live >>> lane & 1 ? 'waits' : 'ended', gap);
}

function drawBanks(record, text) {
  const { banks } = DATA.gpu, cell = 15 * 32 / Math.max(banks, 16) * (banks < 32 ? .62 : 1), left = 62, height = 15, top = 52;
  const words = Math.max(1, record.bytes / WORD), all = spread(record.at, record.lanes), table = new Map();
  all.forEach(([lane, at], i) => {
    for (let w = 0; w < words; w++) {
      const pass = record.passes ? record.passes[i * words + w] : 0;
      const bank = (Math.floor(at / WORD) + w) % banks, key = pass * banks + bank;
      if (!table.has(key)) table.set(key, { pass, bank, at: Math.floor(at / WORD + w) * WORD, lanes: [] });
      if (!table.get(key).lanes.includes(lane)) table.get(key).lanes.push(lane);
    }
  });
  const passes = Math.max(record.wavefronts, 1);
  const image = canvas(left + 32 * 15 + 10, top + passes * (height + 2) + 4, text);
  drawLanes(image, record, left, 15);
  image.append(label(left - 6, top - 5, t('banks'), { class: 'soft', 'text-anchor': 'end' }));
  for (let bank = 0; bank < banks; bank++)
    image.append(label(left + bank * cell + cell / 2, top - 5, `${bank}`, { class: 'soft', 'text-anchor': 'middle' }));
  for (let pass = 0; pass < passes; pass++) {
    const y = top + pass * (height + 2);
    image.append(label(left - 6, y + height - 4, t('pass_n', pass + 1), { class: 'soft', 'text-anchor': 'end' }));
    for (let bank = 0; bank < banks; bank++) {
      const entry = table.get(pass * banks + bank);
      const box = svg('rect', { x: left + bank * cell, y, width: cell - 1, height, rx: 2, class: entry ? 'cell' : 'idle' });
      image.append(box);
      if (!entry) continue;
      box.style.fill = laneColour(entry.lanes[0]);
      box.append(tip(`${t('bank')} ${bank}, ${t('address')} ${number(entry.at)}: ${t('lane')} ${entry.lanes.join(', ')}`));
      image.append(label(left + bank * cell + (cell - 1) / 2, y + height - 4, laneNames(entry.lanes),
        { class: 'on', 'text-anchor': 'middle', style: fitting(laneNames(entry.lanes)) }));
    }
  }
  return image;
}

function drawConstant(record, text) {
  const groups = new Map(), left = 62, cell = 15;
  for (const [lane, at] of spread(record.at, record.lanes)) {
    if (!groups.has(at)) groups.set(at, []);
    groups.get(at).push(lane);
  }
  const list = [...groups.entries()].slice(0, MOST_ROWS);
  const image = canvas(left + 32 * cell + 4, list.length * (cell + 4) + 4, text);
  list.forEach(([at, lanes], i) =>
    laneRow(image, left, 2 + i * (cell + 4), cell, number(at), lane => lanes.includes(lane) ? 'lane' : 'idle'));
  return image;
}

/* Where the lanes of a branch meet, if that is further down: a line above says nothing to a reader. */
const meetingLine = site => site[5] > site[1] ? site[5] : 0;

function drawBranch(record, site, text) {
  const left = 150, cell = 15, go = record.active & ~record.taken, rows = [];
  const [, here, , target, next] = site, meet = meetingLine(site);
  const state = (mask, kind) => lane => mask >>> lane & 1 ? kind : record.live >>> lane & 1 ? 'waits' : 'ended';
  rows.push([t('row_all', here), lane => record.taken >>> lane & 1 ? 'jump' : go >>> lane & 1 ? 'next' : state(0)(lane)]);
  if (record.taken && go) {
    rows.push([t('row_next', next), state(go, 'next')], [t('row_jump', target), state(record.taken, 'jump')]);
    rows.push([t('row_meet', meet), state(record.active, 'both')]);
  }
  const image = canvas(left + 32 * cell + 4, rows.length * (cell + 9) + 4, text);
  rows.forEach(([name, classOf], i) => laneRow(image, left, 4 + i * (cell + 9), cell, name, classOf));
  return image;
}

/* Warps as they come, and wait until the last is there. */
function drawBarrier(record, text) {
  const arrivals = [...record.arrivals].sort((a, b) => a[0] - b[0]), left = 70, width = 470, height = 12;
  const clocked = arrivals.every(a => a.length > 2), when = clocked ? arrivals.map(a => a[2]) : arrivals.map(a => record.arrivals.indexOf(a));
  const first = Math.min(...when), last = Math.max(...when), scale = at => left + (last > first ? (at - first) / (last - first) : 1) * (width - 10);
  const shown = arrivals.slice(0, 64), image = canvas(left + width, 22 + shown.length * (height + 3), text);
  image.append(label(left, 10, clocked ? `${number(first)}` : t('first_came'), { class: 'soft' }),
    label(left + width - 10, 10, clocked ? `${number(last)} ${t('clocks')}` : t('last_came'), { class: 'soft', 'text-anchor': 'end' }));
  shown.forEach((arrival, i) => {
    const y = 16 + i * (height + 3), x = scale(when[i]);
    image.append(label(left - 6, y + height - 2, `${t('warp')} ${arrival[0]}`, { class: 'soft', 'text-anchor': 'end' }),
      svg('rect', { x, y, width: Math.max(scale(last) - x, 1), height, class: 'state2' }, tip(clocked ? `${number(arrival[2])}` : '')),
      svg('rect', { x: x - 3, y: y + height / 2 - 3, width: 6, height: 6, class: 'state0' }));
  });
  image.append(svg('line', { x1: scale(last), y1: 14, x2: scale(last), y2: 18 + shown.length * (height + 3), class: 'cursor' }));
  return image;
}

/* What a record says: [before, the point, behind]. */
function sentenceOf(record, site) {
  const lanes = lanesOf(record.lanes || 0).length, verb = record.what in t('verbs') ? t('verbs')[record.what](lanes) : '';
  if (record.what === 'branch') {
    const jump = lanesOf(record.taken).length, all = lanesOf(record.active).length;
    return jump && jump < all ? t('branch_two', jump, all - jump, meetingLine(site)) : t('branch_one', all, jump ? site[3] : site[4]);
  }
  if (record.what === 'barrier') {
    const last = record.arrivals[record.arrivals.length - 1], times = record.arrivals.map(a => a[2]);
    const warps = new Set(record.arrivals.map(a => a[0])).size;
    if (last.length < 3) return t('barrier', warps, last[0]);
    const latest = record.arrivals.reduce((a, b) => b[2] > a[2] ? b : a);
    return t('barrier', warps, latest[0], latest[2] - Math.min(...times));
  }
  if (record.bytes > 32) return t('bulk', verb, record.bytes * lanes);
  if (record.space === 'shared') return t('shared', verb, lanes, record.wavefronts, record.ideal);
  if (record.space === 'constant') return t('constant', lanes, record.passes);
  if (record.space === 'local') return t('local', verb, lanes, record.sectors);
  if (record.space === 'texture') return t('texture', lanes, record.sectors);
  const { different } = mapMemory(record, wishes(record));
  const parts = record.pieces
    ? t('halves', verb, lanes, record.bytes, different, record.transactions, record.moved, record.moved - different)
    : t('global', verb, lanes, record.bytes, different, record.sectors, record.moved, record.moved - different);
  if (record.what === 'atomic') {
    const counts = new Map();
    for (const wish of wishes(record)) counts.set(`${wish.memory}:${wish.at}`, (counts.get(`${wish.memory}:${wish.at}`) || 0) + 1);
    const most = Math.max(...counts.values());
    if (most > 1) return [parts[0], parts[1], parts[2] + t('collide', most)];
  }
  return parts;
}

function drawRecord(record, site, text) {
  if (record.what === 'branch') return drawBranch(record, site, text);
  if (record.what === 'barrier') return drawBarrier(record, text);
  if (record.bytes > 32) return null;
  if (record.space === 'shared') return drawBanks(record, text);
  if (record.space === 'constant') return drawConstant(record, text);
  return drawMemory(record, wishes(record), text);
}

function legendOf(record) {
  const name = kind => [kind, t('legend')[kind]];
  if (record.what === 'branch') return ['jump', 'next', 'waits', 'ended'].map(name);
  if (record.what === 'barrier') return [['state0', t('arrives')], ['state2', t('states')[2]]];
  if (record.bytes > 32) return [];
  if (record.space === 'shared') return [name('lane'), name('waits')];
  if (record.space === 'constant') return [name('lane')];
  return ['lane', 'vain', 'sector', 'unfetched', 'waits'].map(name);
}

function tableOf(record) {
  if (!record.space || record.bytes > 32) return null;
  const shared = record.space === 'shared', heads = shared ? ['lane', 'address', 'bank', 'pass'] : ['lane', 'address', 'sector'];
  const words = Math.max(1, record.bytes / WORD);
  const list = shared ? spread(record.at, record.lanes).map(([lane, at], i) => [lane, at, Math.floor(at / WORD) % DATA.gpu.banks,
    (record.passes ? record.passes[i * words] : 0) + 1]) : wishes(record).map(w => [w.lane, w.at, Math.floor(w.at / SECTOR)]);
  return make('table', {}, make('thead', {}, make('tr', {}, ...heads.map(h => make('th', { class: 'number' }, t(h))))),
    make('tbody', {}, ...list.map(row => make('tr', {}, ...row.map(value => make('td', { class: 'number' }, number(value)))))));
}
