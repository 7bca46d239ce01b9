// SPDX-License-Identifier: MIT
/* Work for the server: asked for, followed, shown. */
import { button, make, post } from './page.js';
import { t } from './text.js';

const columns = ['launches', 'warp_instructions', 'active_lanes', 'sectors_per_load', 'sectors_per_store',
  'shared_bank_conflicts', 'divergent_branches', 'modelled_ms', 'bound_by'];

function time(ms) {
  if (!(ms > 0)) return '–';
  const [value, unit] = ms < 1e-3 ? [ms * 1e6, 'ns'] : ms < 1 ? [ms * 1e3, 'us'] : ms < 1e3 ? [ms, 'ms'] : [ms / 1e3, 's'];
  return `${value.toPrecision(3)} ${unit}`;
}

const figure = (kernel, key) => {
  const value = kernel[key];
  if (key === 'modelled_ms') return time(value);
  if (typeof value !== 'number') return value || '–';
  return Number.isInteger(value) ? value.toLocaleString('en').replaceAll(',', ' ') : value.toFixed(2);
};

/* A table of kernels; `names`: what stands before each. */
function countersTable(rows) {
  const head = make('tr', {}, make('th', {}, t('kernel')), columns.map(key => make('th', { className: 'number' }, t(key))));
  return make('div', { className: 'table', tabIndex: 0 }, make('table', {},
    make('thead', {}, head),
    make('tbody', {}, rows.map(({ name, kernel }) => make('tr', {}, make('th', {}, name),
      columns.map(key => make('td', { className: 'number' }, figure(kernel, key))))))));
}

const sum = kernels => (kernels || []).reduce((all, kernel) => all + (kernel.modelled_ms || 0), 0);
const timeOf = event => event.report?.ms?.median ?? sum(event.kernels);

function bars(rows) {
  const most = Math.max(...rows.map(row => row.ms));
  return make('div', { className: 'bars' }, rows.map(({ name, ms }) => [
    make('span', {}, name),
    make('meter', { max: most, value: ms, ariaLabel: name }),
    make('span', {}, time(ms)),
  ]));
}

function outcome(report) {
  const match = report.verdict === 'match';
  return make('p', {}, make('span', { className: match ? 'good' : 'bad' },
    match ? t('matches', report.result) : t('mismatch', report.result, report.reference)),
  report.why ? ` ${report.why}` : '');
}

/* How long it took, and how fast that is. */
function speed(report) {
  const { ms, cycles, gbs, gflops, share } = report;
  const parts = [ms?.median && time(ms.median), cycles && `${cycles.toLocaleString('en').replaceAll(',', ' ')} ${t('cycles')}`,
    gflops ? `${gflops.toPrecision(3)} GFLOP/s` : gbs && `${gbs.toPrecision(3)} GB/s`, share && t('ofPeak', (100 * share).toPrecision(3))];
  return make('p', {}, parts.filter(Boolean).join(' · '));
}

const title = key => make('h3', {}, t(key));
const pre = text => make('pre', { className: 'wrap', tabIndex: 0 }, text.trimEnd());

/* What a run found, as elements. `ran`: earlier runs on this page, to compare times with. */
export function resultOf(event, job, ran) {
  const parts = [make('h2', {}, t('result'))];
  if (event.report?.verdict) parts.push(outcome(event.report), speed(event.report));
  else if (event.output) parts.push(pre(event.output));
  if (event.report === null || event.code) parts.push(make('p', { className: event.code ? 'bad' : 'dim' }, event.ended));
  if (event.why) parts.push(make('p', {}, event.why));
  const findings = (event.findings || '').trim();
  if (findings) parts.push(title('found'), pre(findings));
  if (timeOf(event) > 0) {
    const measured = event.report?.device?.modelled === false, which = `${ran.length + 1}`;
    ran.push({ name: measured ? t('measured', which) : which, ms: timeOf(event), measured });
    const rows = event.original ? [{ name: t('originalOne'), ms: timeOf(event.original) }] : [];
    parts.push(title(ran.some(run => run.measured) ? 'timesMixed' : 'times'), bars([...rows, ...ran.slice(-8)]));
  }
  if (event.kernels?.length) {
    const rows = event.kernels.map(kernel => ({ name: kernel.name, kernel }));
    const before = (event.original?.kernels || []).map(kernel => ({ name: `${kernel.name} (${t('originalOne')})`, kernel }));
    parts.push(title(before.length ? 'beside' : 'counters'), countersTable([...before, ...rows]));
  }
  if (event.advice) parts.push(make('p', {}, event.advice));
  if (event.trace) parts.push(title('drawing'), frame(job));
  return parts;
}

/* What emu has drawn: a page of its own, which reaches nothing of ours. */
export const frame = job =>
  make('iframe', { src: `/api/drawing?job=${job}`, title: t('drawing'), sandbox: 'allow-scripts' });

export function verdictOf(event) {
  const passed = event.verdict === 'passed';
  return [
    make('h2', {}, t('verdict'), ': ', make('span', { className: passed ? 'good' : 'bad', id: 'verdict' }, event.words)),
    event.text && pre(event.text),
    event.prediction && make('p', {}, event.prediction),
    event.printed && [title('output'), pre(event.printed)],
  ].flat().filter(Boolean);
}

/* Ask for work and show in `place` how far it is; calls `seen` with each event that says more.
 * Returns when it is over. */
export async function work(place, request, seen) {
  let job = null, source = null, over = null;
  const state = make('p', { role: 'status' }, t('waiting', 0)), bar = make('progress', {});
  const cancel = button(t('cancel'), async () => { if (job) await post('/api/cancel', { job }); });
  place.replaceChildren(make('div', { className: 'row' }, state, cancel), bar);
  const show = event => {
    if (event.event === 'phase') state.textContent = t(event.phase);
    if (event.event !== 'progress') return;
    const blocks = event.all > 0 ? ` · ${t('blocksDone', event.kernel, event.done, event.all)}` : '';
    state.textContent = `${t('running')}, ${t('seconds', event.seconds.toFixed(0))}${blocks}`;
    if (event.all > 0) Object.assign(bar, { max: event.all, value: event.done });
  };
  const end = (...parts) => {
    source?.close();
    place.replaceChildren(...parts);
    over();
  };
  const take = event => {
    if (event.event === 'cancelled') end(make('p', { id: 'cancelled' }, t('cancelled')));
    else if (event.event === 'failed') end(make('p', { className: 'bad' }, event.text || t('lost')));
    else if (event.event === 'compile')
      end(make('h2', { className: 'bad' }, t('notCompiled')), pre(event.text));
    else show(event);
    const parts = seen(event, job);
    if (parts) end(...parts);
  };
  try {
    const asked = await post('/api/work', request);
    job = asked.job;
    if (asked.ahead) state.textContent = t('waiting', asked.ahead);
    await new Promise(resolve => {
      over = resolve;
      source = new EventSource(`/api/events?job=${job}`);
      source.onmessage = message => take(JSON.parse(message.data));
      source.onerror = () => { if (source.readyState === EventSource.CLOSED) end(make('p', { className: 'bad' }, t('noConnection'))); };
    });
  } catch (error) {
    place.replaceChildren(make('p', { className: 'bad', role: 'alert' }, error.message));
  }
}
