// SPDX-License-Identifier: MIT
/* The page: what is chosen, and the parts that follow from it. */
const DATA = JSON.parse($('data').textContent);
const HEATS = ['warp_instructions', 'global_sectors', 'shared_wavefronts', 'shared_bank_conflicts', 'divergent_branches',
  'texture_sectors', 'local_sectors', 'constant_passes', 'barriers'];
const chosen = { kernel: 0, source: 0, line: 0, heat: 'warp_instructions', site: -1, order: 'warp', at: 0, from: 0, zoom: 0 };
let player = null, warpsPlayer = null;

const kernel = () => DATA.kernels[chosen.kernel];
/* A counter of a line; counters that are 0 in the whole kernel are not in the data. */
const counted = (line, key) => line[2][Object.keys(kernel().totals).indexOf(key)] || 0;
const fill = (select, entries, value) => {
  select.replaceChildren(...entries.map(([key, text]) => make('option', { value: key }, text)));
  select.value = value;
};
const lineData = (source, line) => kernel().lines.find(l => l[0] === source && l[1] === line);

/* Kernels by name and shape; where that is the same by their template's arguments too, if those are short, and at last by number. */
function kernelNames() {
  const shape = k => ` <<<(${k.grid}), (${k.block})>>>`;
  const same = names => names.map(name => names.filter(other => other === name).length > 1);
  const plain = DATA.kernels.map(k => k.name + shape(k)), twins = same(plain);
  const longer = DATA.kernels.map((k, i) => {
    const template = (k.signature || '').replace(/^void /, '').replace(/\([^()]*(\([^()]*\)[^()]*)*\)$/, '');
    return twins[i] && template.endsWith('>') && template.length <= 60 ? template + shape(k) : plain[i];
  });
  const still = same(longer);
  return longer.map((name, i) => still[i] ? `${name} · ${longer.slice(0, i + 1).filter(other => other === name).length}` : name);
}

function showNames() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.querySelectorAll('[data-text]').forEach(element => { element.textContent = t(element.dataset.text); });
  $('language').textContent = t('language');
  const k = kernel(), source = k && k.lines.length ? DATA.sources[k.lines[0][0]] : null;
  $('title').textContent = t('title', DATA.program, DATA.gpu.name, k && k.name, source && !source.ptx ? source.path : '');
  document.title = $('title').textContent;
}

function showHead() {
  const k = kernel(), totals = k.totals, tiles = [];
  showNames();
  fill($('kernel'), kernelNames().map((name, i) => [i, name]), chosen.kernel);
  $('shape').textContent = t('shape', k);
  for (const key of HEATS)
    if (totals[key]) tiles.push([key, number(totals[key]), t('heats')[key]]);
  tiles.push(['ms', `${k.timing.all_ms.toPrecision(4)} ms`, t('modelled')], ['limit', t('limits')[k.timing.limit] || k.timing.limit, t('bound')]);
  $('tiles').replaceChildren(...tiles.map(([key, value, text]) =>
    make('div', { class: 'tile' }, make('b', { 'data-total': key }, value), make('span', {}, text))));
  $('totals').replaceChildren(...DATA.counters.map(key =>
    make('tr', {}, make('td', {}, make('code', {}, key)), make('td', { class: 'number', 'data-key': key }, number(totals[key] || 0)))));
  const s = k.sampled;
  $('sampled').textContent = s.blocks.length ? t('sampled', s, k) : t('not_sampled');
}

/* The lines of a file to show: all of it, or those with counts. */
function linesOf(source) {
  const counted = kernel().lines.filter(line => line[0] === source), text = DATA.sources[source].text;
  if (!text) return counted.map(line => [line[1], line[3] || '']);
  const all = text.map((code, i) => [i + 1, code]);
  return counted.some(line => line[1] === 0) ? [...all, [0, t('other_lines')]] : all;
}

function showSource() {
  const k = kernel(), used = [...new Set(k.lines.map(line => line[0]))];
  if (!used.includes(chosen.source)) chosen.source = used[0] || 0;
  const heats = HEATS.filter(key => k.totals[key]);
  if (!heats.includes(chosen.heat)) chosen.heat = heats[0] || HEATS[0];
  fill($('file'), used.map(i => [i, DATA.sources[i].path]), chosen.source);
  fill($('heat'), heats.map(key => [key, t('heats')[key]]), chosen.heat);
  const most = Math.max(1, ...k.lines.map(line => counted(line, chosen.heat)));
  const source = DATA.sources[chosen.source];
  $('source_help').textContent = t('source_help') + (source && !source.text && !source.ptx ? ` ${t('no_text')}` : '');
  const rows = !used.length ? [] : linesOf(chosen.source).map(([line, code]) => {
    const data = lineData(chosen.source, line), value = data ? counted(data, chosen.heat) : 0;
    const row = make('div', { class: data ? 'line counted' : 'line', role: 'option', 'data-line': line, id: `line_${line}` },
      make('span', { class: 'number' }, line || '–'), make('span', { class: 'value' }, value ? number(value) : ''), make('span', { class: 'code' }, code));
    if (value) row.style.setProperty('--share', (0.12 + 0.7 * value / most).toFixed(3));
    row.setAttribute('aria-selected', String(line === chosen.line));
    if (!data) row.setAttribute('aria-disabled', 'true');
    return row;
  });
  $('lines').replaceChildren(...(rows.length ? rows : [t('no_lines')]));
}

/* The lines that can be chosen, from top to bottom. */
const choices = () => [...$('lines').querySelectorAll('.counted')].map(row => Number(row.dataset.line));

function chooseLine(line, scroll) {
  stop();
  chosen.line = line;
  chosen.site = chosen.at = -1;
  for (const row of $('lines').children) row.setAttribute('aria-selected', String(Number(row.dataset.line) === line));
  const row = $(`line_${line}`);
  if (row) {
    $('lines').setAttribute('aria-activedescendant', row.id);
    if (scroll) $('lines').scrollTop = row.offsetTop - $('lines').offsetTop - $('lines').clientHeight / 3;
  }
  showAccess();
}

/* Instructions of the line that have records, the most telling first. */
function sitesOf(line) {
  const weight = { global: 0, shared: 1, texture: 2, local: 3, constant: 4 }, sites = new Map();
  kernel().records.forEach(record => {
    const site = kernel().sites[record.site];
    if (site[0] !== chosen.source || site[1] !== line) return;
    const rank = record.space ? weight[record.space] : record.what === 'branch' ? 5 : 6;
    if (!sites.has(record.site)) sites.set(record.site, rank);
  });
  return [...sites.keys()].sort((a, b) => sites.get(a) - sites.get(b) || a - b);
}

function recordsOf(site) {
  const by = { warp: r => [r.block, r.warp, r.time], time: r => [r.clock === undefined ? r.time : r.clock, r.time, r.block, r.warp] }[chosen.order];
  return kernel().records.filter(record => record.site === site).map(record => [by(record), record])
    .sort(([a], [b]) => { for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i]; return 0; }).map(pair => pair[1]);
}

/* Bytes of the allocation that all recorded accesses of a line to global memory touch; 0: of several. */
function allocationOf(line) {
  const found = new Set();
  for (const record of kernel().records) {
    const site = kernel().sites[record.site];
    if (record.space === 'global' && site[0] === chosen.source && site[1] === line) found.add(record.in ? -1 : record.allocation);
  }
  const [only] = found;
  return found.size === 1 && kernel().allocations[only] ? kernel().allocations[only][0] : 0;
}

/* The record to begin with: the first of those that cost most. */
function dearest(records) {
  const cost = r => (r.moved || 0) + (r.wavefronts || 0) + (r.passes && !Array.isArray(r.passes) ? r.passes : 0) +
    (r.what === 'branch' && r.taken && r.taken !== r.active ? 1 : 0);
  return records.reduce((best, r, i) => cost(r) > cost(records[best]) ? i : best, 0);
}

function showAccess() {
  const data = lineData(chosen.source, chosen.line), sites = data ? sitesOf(chosen.line) : [];
  const source = DATA.sources[chosen.source], text = source && source.text && source.text[chosen.line - 1];
  $('access_title').textContent = data ? t(source.ptx ? 'ptx_line' : 'line', chosen.line || '–') : t('no_line');
  $('access_code').textContent = text !== undefined && text !== null ? text.trim() : data && data[3] || '';
  if (!sites.includes(chosen.site)) chosen.site = sites.length ? sites[0] : -1;
  fill($('site'), sites.map(i => [i, kernel().sites[i][2]]), chosen.site);
  fill($('order'), Object.entries(t('orders')), chosen.order);
  $('site_label').style.display = sites.length > 1 ? '' : 'none';
  $('access_tools').style.display = $('player').style.display = sites.length ? '' : 'none';
  const records = sites.length ? recordsOf(chosen.site) : [];
  if (chosen.at < 0) chosen.at = dearest(records);
  $('slider').max = Math.max(records.length - 1, 0);
  $('slider').setAttribute('aria-label', t('step'));
  $('play').textContent = t(player ? 'pause' : 'play');
  showRecord(records, data);
}

function showRecord(records, data) {
  chosen.at = Math.min(chosen.at, Math.max(records.length - 1, 0));
  $('slider').value = chosen.at;
  const record = records[chosen.at], averages = [];
  let again = '';
  if (data) {
    const n = Object.fromEntries(DATA.counters.map(key => [key, counted(data, key)]));
    const shared = n.shared_loads + n.shared_stores + n.shared_atomics, global = n.global_loads + n.global_stores + n.global_atomics;
    averages.push(t('averages', n, n.warp_instructions ? (n.thread_instructions / n.warp_instructions).toFixed(1) : '0'));
    if (global) averages.push(t('average_sectors', global, (n.global_sectors / global).toFixed(1)));
    const size = allocationOf(chosen.line);
    if (size && n.global_bytes_moved >= 2 * size) again = t('average_again', number(n.global_bytes_moved / size));
    if (shared) averages.push(t('average_passes', (n.shared_wavefronts / shared).toFixed(1), (n.shared_wavefronts_ideal / shared).toFixed(1)));
  }
  if (!record) {
    $('position').textContent = '';
    $('sentence').replaceChildren(data ? `${t('nothing')} ${averages.join(' ')} ${again}` : '');
    for (const id of ['picture', 'legend']) $(id).replaceChildren();
    $('lanes').style.display = 'none';
    return;
  }
  const owner = record.allocation === undefined ? null : kernel().allocations[record.allocation];
  const site = kernel().sites[record.site], parts = sentenceOf(record, site);
  $('position').textContent = t(record.what === 'barrier' ? 'position_barrier' : 'position', chosen.at + 1, records.length, record);
  const behind = (record.copies ? t('copies') : '') + (record.remote ? t('remote') : '');
  $('sentence').replaceChildren(parts[0], make('strong', {}, parts[1]), parts[2], behind, make('br'), make('span', { class: 'note' },
    (owner ? t('whose', owner[1], record.allocation, owner[0]) : '') + averages.join(' ')));
  if (again) $('sentence').append(make('br'), make('strong', {}, again));
  const image = drawRecord(record, site, parts.join(''));
  $('picture').replaceChildren(...(image ? [image] : []));
  legend($('legend'), legendOf(record).filter(([kind]) => kind === 'lane' || image.querySelector(`.${kind}`)));
  const table = tableOf(record);
  $('lanes').style.display = table ? '' : 'none';
  $('lanes').querySelector('div').replaceChildren(...(table ? [table] : []));
}

/* How many SMs the blocks shown are of. */
const smsOf = (m, k) => m.blocks.length === k.sampled.of_blocks ? m.sms : new Set(m.blocks.map(block => block[0])).size;

function showTime() {
  const k = kernel(), m = k.times, blocks = m && m.blocks.length > 0, warps = m && m.spans.length > 0;
  const clocks = k.records.some(record => record.clock !== undefined);
  $('model').textContent = !m ? t('no_times') : `${t('models')[DATA.model.name] || ''} ${t('models')[DATA.model.name] ? '' : t('other_model', blocks, warps, clocks)}`;
  $('blocks_title').textContent = blocks ? t('blocks_title', smsOf(m, k), m.sms, m.blocks.length, k.sampled.of_blocks) : m ? t('no_blocks') : '';
  $('blocks').replaceChildren(...(blocks ? [drawBlocks(m)] : []));
  $('shares_title').textContent = warps ? t('shares_title', m.bins.length * m.bin_clocks < m.clocks || m.blocks.length < k.sampled.of_blocks) : m ? t('no_warps') : '';
  $('shares').replaceChildren(...(warps ? [drawShares(m)] : []));
  $('warps_title').textContent = warps ? t('warps_title', m.spans_until, m.bins.length * m.bin_clocks) : '';
  $('warps_tools').style.display = warps ? '' : 'none';
  if (warps) {
    const zooms = [256, 1024, 4096, 16384].filter(n => n < m.spans_until);
    if (!zooms.includes(chosen.zoom)) chosen.zoom = zooms.includes(1024) ? 1024 : 0;
    fill($('warps_zoom'), [...zooms.map(n => [n, t('zooms', n)]), [0, t('whole')]], chosen.zoom);
    $('warps_play').textContent = t(warpsPlayer ? 'pause' : 'play');
    legend($('states'), t('states').map((text, i) => [`state${i}`, text]));
  } else {
    $('states').replaceChildren();
  }
  showWarps();
}

function showWarps() {
  const m = kernel().times;
  if (!m || !m.spans.length) { $('warps').replaceChildren(); return; }
  const width = chosen.zoom || m.spans_until, last = Math.max(m.spans_until - width, 0);
  chosen.from = Math.min(chosen.from, last);
  $('warps_from').max = last;
  $('warps_from').step = Math.max(1, Math.floor(width / 32));
  $('warps_from').value = chosen.from;
  $('warps_position').textContent = t('warps_position', chosen.from, chosen.from + width);
  $('warps').replaceChildren(drawWarps(m, chosen.from, chosen.from + width));
}

/* The line to begin with: the one that memory has most to do with, else the busiest. */
function hottest() {
  const of = line => ['global_sectors', 'shared_wavefronts', 'texture_sectors'].reduce((sum, key) => sum + counted(line, key), 0);
  const lines = kernel().lines.filter(line => line[1] > 0), best = (list, value) => list.reduce((a, b) => !a || value(b) > value(a) ? b : a, null);
  const memory = best(lines, of);
  return memory && of(memory) ? memory : best(lines, line => counted(line, 'warp_instructions'));
}

function showKernel() {
  stop();
  const hot = DATA.kernels.length ? hottest() : null;
  chosen.from = 0;
  chosen.source = hot ? hot[0] : 0;
  showHead();
  showSource();
  chooseLine(hot ? hot[1] : 0, true);
  showTime();
}

/* No kernel: nothing but the names. */
function showNothing() {
  showNames();
  $('shape').textContent = t('no_kernel');
  for (const part of [document.querySelector('main'), $('time'), $('more'), $('kernel').parentElement]) part.style.display = 'none';
}

function showAll() {
  if (!DATA.kernels.length) { showNothing(); return; }
  showHead();
  showSource();
  showAccess();
  showTime();
}

/* Playing. */
function stop() {
  clearInterval(player);
  clearInterval(warpsPlayer);
  player = warpsPlayer = null;
  $('play').textContent = $('warps_play').textContent = t('play');
}
function togglePlay() {
  if (player) { stop(); return; }
  stop();
  player = setInterval(() => {
    const records = recordsOf(chosen.site);
    chosen.at = records.length ? (chosen.at + 1) % records.length : 0;
    showAccess();
  }, 700);
  $('play').textContent = t('pause');
}
function toggleWarps() {
  if (warpsPlayer) { stop(); return; }
  stop();
  warpsPlayer = setInterval(() => {
    const last = Number($('warps_from').max);
    chosen.from = chosen.from >= last ? 0 : Math.min(chosen.from + Math.floor((chosen.zoom || 1024) / 16), last);
    showWarps();
  }, 150);
  $('warps_play').textContent = t('pause');
}

$('language').addEventListener('click', () => {
  language = language === 'zh' ? 'en' : 'zh';
  showAll();
});
$('kernel').addEventListener('change', event => { chosen.kernel = Number(event.target.value); showKernel(); });
$('file').addEventListener('change', event => { chosen.source = Number(event.target.value); showSource(); chooseLine(choices()[0] || 0, true); });
$('heat').addEventListener('change', event => { chosen.heat = event.target.value; showSource(); });
$('site').addEventListener('change', event => { stop(); chosen.site = Number(event.target.value); chosen.at = -1; showAccess(); });
$('order').addEventListener('change', event => { chosen.order = event.target.value; chosen.at = 0; showAccess(); });
$('slider').addEventListener('input', event => { chosen.at = Number(event.target.value); showAccess(); });
$('play').addEventListener('click', togglePlay);
$('warps_play').addEventListener('click', toggleWarps);
$('warps_from').addEventListener('input', event => { chosen.from = Number(event.target.value); showWarps(); });
$('warps_zoom').addEventListener('change', event => { chosen.zoom = Number(event.target.value); showWarps(); });
$('lines').addEventListener('click', event => {
  const row = event.target.closest('.counted');
  if (row) chooseLine(Number(row.dataset.line));
});
$('lines').addEventListener('keydown', event => {
  const all = choices(), at = all.indexOf(chosen.line);
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || !all.length) return;
  event.preventDefault();
  const line = all[Math.min(Math.max(to, 0), all.length - 1)];
  chooseLine(line);
  $(`line_${line}`).scrollIntoView({ block: 'nearest' });
});
if (DATA.kernels.length) showKernel();
else showNothing();
let shownWidth = $('time').clientWidth;
new ResizeObserver(() => {
  if ($('time').clientWidth !== shownWidth && DATA.kernels.length) showTime();
  shownWidth = $('time').clientWidth;
}).observe($('time'));
