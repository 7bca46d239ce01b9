// SPDX-License-Identifier: MIT
/* The views: each fills the main part of the page for an address. */
import { button, docsPage, get, link, make, me, once, pageOf, post, tell } from './page.js';
import { coloured, edit } from './editor.js';
import { frame, resultOf, verdictOf, work } from './work.js';
import { language, t, titleOf } from './text.js';

const gpus = [['default', 'T4'], ['h100', 'H100'], ['h200', 'H200'], ['geforce-8800-gt', 'GeForce 8800 GT'],
  ['geforce-8400m-gs', 'GeForce 8400M GS'], ['gtx-280', 'GeForce GTX 280']];
const number = name => parseInt(name, 10);
const heading = text => make('h1', {}, text);

/* --- Read ------------------------------------------------------------------------------------- */

async function progressLine() {
  if (!me.name) return link('/sign-in', t('signIn'));
  const { puzzles, progress } = await get('/api/puzzles');
  const passed = puzzles.filter(puzzle => progress[puzzle.name]?.passed).length;
  const next = puzzles.find(puzzle => !progress[puzzle.name]?.passed);
  if (!next) return make('p', { className: 'good' }, t('allPassed', puzzles.length));
  return make('p', {}, link(`/puzzle/${next.name}`,
    passed ? t('goOn', passed, puzzles.length, number(next.name)) : t('begin', number(next.name))));
}

export async function home() {
  const chapters = await once('/api/chapters');
  return [
    heading(t('title')), make('p', {}, t('welcome')), await progressLine(), make('h2', {}, t('chapters')),
    ...chapters.map(chapter => make('details', {},
      make('summary', {}, titleOf(chapter)),
      make('p', { className: 'row' }, link(`/read/${docsPage(`docs/${chapter.name}.md`)}`, t('aboutChapter')),
        link(`/ladder/${chapter.name}`, t('ladder'))),
      make('ul', { className: 'list' }, chapter.steps.map(step => make('li', {},
        link(`/step/${chapter.name}/${step.name}`, step.name), ' ', make('span', { className: 'dim' }, titleOf(step))))))),
  ];
}

export async function read(name) {
  const page = await pageOf(name);
  page.className = 'page';
  return [page];
}

/* --- A step ----------------------------------------------------------------------------------- */

/* The part of the chapter's page about a step: from the anchor of its name on, and a link to all. */
async function aboutStep(chapter, step) {
  const name = docsPage(`docs/${chapter}.md`), part = make('section', { className: 'page after', tabIndex: 0, ariaLabel: t('page') });
  let page;
  try {
    page = await pageOf(name);
  } catch {
    return part;
  }
  const anchor = page.querySelector(`a[id="${CSS.escape(step)}"], a[id="${CSS.escape(step.split('_')[0])}"]`);
  const start = anchor?.closest('p, h2, h3') || anchor;
  part.append(make('p', { className: 'dim' }, link(`/read/${name}${anchor ? `#${anchor.id}` : ''}`, t('wholePage'))));
  for (let at = start; at && at !== page; at = at.nextElementSibling) {
    if (at !== start && at.querySelector?.('a[id]') && /^(P|A)$/.test(at.tagName) && !at.textContent.trim()) break;
    if (at !== start && at.tagName === 'H2' && at.previousElementSibling !== start) break;
    part.append(at.cloneNode(true));
  }
  if (!anchor) part.append(page);
  return part;
}

function changesOf(step) {
  const kinds = { '-': 'minus', '+': 'plus', '~': 'dim', ' ': '' };
  return make('pre', { className: 'changes', tabIndex: 0 }, step.changes.map(([kind, , line]) =>
    make('span', { className: kinds[kind] }, kind === '~' ? t('left') : `${kind} ${line}`)));
}

/* Fields for what a step takes, filled from the address. */
function fieldsOf(step) {
  const asked = new URLSearchParams(location.search), fields = {};
  for (const key of ['n', 'threads', 'blocks'])
    if (key in step.options)
      fields[key] = make('input', { type: 'number', min: 0, max: 1073741824, name: key,
        placeholder: step.options[key] || '', value: asked.get(key) || '' });
  fields.gpu = make('select', { name: 'gpu' },
    make('option', { value: '' }, step.gpu ? t('usualGpu') : t('defaultGpu')),
    gpus.filter(([name]) => name !== 'default' || step.gpu).map(([name, title]) => make('option', { value: name }, title)),
    me.own_gpu && step.source && make('option', { value: 'own' }, t('ownGpu')));
  fields.gpu.value = asked.get('gpu') || '';
  fields.check = make('input', { type: 'checkbox', name: 'check', checked: asked.has('check') });
  fields.trace = make('input', { type: 'checkbox', name: 'trace' });
  return fields;
}

const labelled = fields => Object.entries({ n: 'n', threads: 'threads', blocks: 'blocks', gpu: 'gpu', check: 'check', trace: 'draw' })
  .filter(([key]) => fields[key]).map(([key, text]) => make('label', {}, t(text), fields[key]));

function asksFor(fields) {
  const asked = { language };
  for (const [key, field] of Object.entries(fields)) {
    if (field.type === 'checkbox') asked[key] = field.checked;
    else if (field.type === 'number' && field.value !== '') asked[key] = Number(field.value);
    else if (field.type !== 'number' && field.value) asked[key] = field.value;
  }
  return asked;
}

/* A link to this state. */
function keepInAddress(asked) {
  const query = new URLSearchParams();
  for (const key of ['n', 'threads', 'blocks', 'gpu']) if (asked[key] !== undefined) query.set(key, asked[key]);
  if (asked.check) query.set('check', '1');
  history.replaceState(null, '', location.pathname + (query.size ? `?${query}` : ''));
}

async function save(what, quietly = false) {
  try {
    await post('/api/save', what);
    if (!quietly) tell(t('saved'));
    return true;
  } catch (error) {
    tell(t('notSaved', error.message));
    return false;
  }
}

/* To the steps before and after, which the arrow keys reach as well, and large type for a projector. */
function stepsAround(chapter, name) {
  const steps = chapter?.steps || [], at = steps.findIndex(one => one.name === name);
  const to = (one, rel, text) => one && link(`/step/${chapter.name}/${one.name}`, text, { rel });
  return make('p', { className: 'row' }, to(steps[at - 1], 'prev', `← ${steps[at - 1]?.name}`),
    to(steps[at + 1], 'next', `${steps[at + 1]?.name} →`),
    button(t('large'), () => document.documentElement.classList.toggle('large'), { id: 'large' }));
}

export async function step(chapter, name) {
  const full = `${chapter}/${name}`, [chapters, about] = await Promise.all([once('/api/chapters'), once('/api/step', { name: full })]);
  const line = chapters.find(one => one.name === chapter)?.steps.find(one => one.name === name);
  const fields = fieldsOf(about), place = make('section', { id: 'result' }), ran = [], program = `${chapter}-${name}.cu`;
  const code = make('div');
  let editor = null;

  const run = async () => {
    const asked = asksFor(fields), changed = editor && editor.text() !== about.source;
    keepInAddress(asked);
    editor?.clear();
    if (changed && !await save({ program, text: editor.text() })) return;
    if (changed && asked.gpu === 'own') {
      place.replaceChildren(make('p', { className: 'bad', role: 'alert' }, t('ownGpuPlain')));
      return;
    }
    go.disabled = true;
    await work(place, { ...asked, kind: changed ? 'program' : 'step', step: full, ...(changed && { source: editor.text() }) },
      (event, job) => {
        if (event.marks?.length) editor?.mark(event.marks);
        return event.event === 'result' && resultOf(event, job, ran);
      });
    go.disabled = false;
  };
  const go = button(t('run'), run, { className: 'main', id: 'run' });
  const change = button(t('change'), async () => {
    change.remove();
    const text = (await get('/api/program', { name: program })).text ?? about.source;
    code.replaceChildren();
    const keep = quietly => save({ program, text: editor.text() }, quietly);
    editor = await edit(code, text, { run, save: () => keep(false), keep: () => keep(true) });
    back.hidden = false;
    code.querySelector('textarea').focus();
  }, { id: 'change' });
  const back = button(t('original'), () => editor.set(about.source), { hidden: true });
  code.append(await coloured(about.source));
  const form = me.name
    ? [make('div', { className: 'row' }, labelled(fields)), make('div', { className: 'row' }, go, me.sandbox && change, back),
      !me.sandbox && make('p', { className: 'dim' }, t('noSandbox'))]
    : [link('/sign-in', t('signIn'))];
  return [heading(`${name}: ${line ? titleOf(line) : ''}`), stepsAround(chapters.find(one => one.name === chapter), name),
    make('div', { className: 'columns' },
    await aboutStep(chapter, name),
    make('div', {}, about.before && make('details', { open: false }, make('summary', {}, t('changes', about.before)), changesOf(about)),
      make('h2', {}, t('source')), code, ...form, place))];
}

/* --- A chapter's ladder ----------------------------------------------------------------------- */

export async function ladder(chapter) {
  const chapters = await once('/api/chapters'), found = chapters.find(one => one.name === chapter);
  const place = make('section', { id: 'result' });
  const go = button(t('run'), async () => {
    await work(place, { kind: 'ladder', step: chapter }, (event, job) => event.event === 'ladder' && [frame(job)]);
  }, { className: 'main', id: 'run' });
  return [heading(t('ladderOf', found ? titleOf(found) : chapter)), me.name ? go : link('/sign-in', t('signIn')), place];
}

/* --- Puzzles ---------------------------------------------------------------------------------- */

export async function puzzles() {
  const all = await get('/api/puzzles');
  return [heading(t('puzzles')), make('ul', { className: 'list' }, all.puzzles.map(puzzle => {
    const stands = all.progress[puzzle.name];
    return make('li', {}, link(`/puzzle/${puzzle.name}`, t('puzzle', number(puzzle.name), titleOf(puzzle))), ' ',
      stands && make('span', { className: stands.passed ? 'good' : 'dim' }, stands.passed ? t('passed') : t('tried', stands.tries)));
  }))];
}

function hintsOf(hints, more) {
  return [...hints.shown.map(html => {
    const element = make('div');
    element.innerHTML = html; // the suite's own
    return element;
  }), hints.shown.length < hints.all
    ? button(t(hints.shown.length ? 'anotherHint' : 'hint'), more, { id: 'hint' })
    : make('p', { className: 'dim' }, t('noMoreHints'))];
}

export async function puzzle(name) {
  const about = await get('/api/puzzle', { name, language }), place = make('section', { id: 'result' });
  const statement = make('section', { className: 'page' }), code = make('div'), hints = make('div');
  const list = (await once('/api/puzzles')).puzzles, next = list[list.findIndex(one => one.name === name) + 1];
  let editor = null;

  const keep = quietly => save({ puzzle: name, text: editor.text() }, quietly);
  const grade = async () => {
    editor.clear();
    if (!await keep(true)) return;
    go.disabled = true;
    await work(place, { kind: 'grade', puzzle: name, source: editor.text(), language }, event => {
      if (event.event !== 'verdict') return null;
      editor.mark(event.marks);
      const parts = verdictOf(event);
      if (event.verdict === 'passed' && next) parts.push(make('p', {}, link(`/puzzle/${next.name}`, t('next'), { id: 'next' })));
      return parts;
    });
    go.disabled = false;
  };
  const more = async () => {
    await post('/api/hint', { puzzle: name });
    hints.replaceChildren(...hintsOf((await get('/api/puzzle', { name, language })).hints, more));
  };
  statement.innerHTML = about.statement; // the suite's own
  statement.querySelector('h1')?.remove();
  hints.append(...hintsOf(about.hints, more));
  statement.append(make('p', {}, `${t('readFirst')}: `, link(`/read/${docsPage(about.read)}`, about.read.replace(/^docs\//, ''))),
    make('h2', {}, t('hints')), hints);
  const go = button(t('submit'), grade, { className: 'main', id: 'run' });
  const title = list.find(one => one.name === name);
  queueMicrotask(async () => { editor = await edit(code, about.text, { run: grade, save: () => keep(false), keep: () => keep(true) }); });
  return [heading(t('puzzle', number(name), titleOf(title))), make('div', { className: 'columns' }, statement,
    make('div', {}, code, make('div', { className: 'row' }, go, button(t('save'), () => keep(false)),
      button(t('original'), () => editor.set(about.given))), place))];
}

/* --- Programs of one's own -------------------------------------------------------------------- */

const first = `#include <stdio.h>

__global__ void hello()
{
    printf("hello from thread %d\\n", threadIdx.x);
}

int main()
{
    hello<<<1, 4>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
`;

/* A changed step is edited on its own page: sumsq-v3_coalesced.cu is that of sumsq/v3_coalesced. */
const addressOf = name => (/^[a-z0-9]+-[a-z0-9_]+\.cu$/.test(name)
  ? `/step/${name.replace('-', '/').replace(/\.cu$/, '')}` : `/program/${name}`);

export async function programs(go) {
  const names = await get('/api/programs'), field = make('input', { name: 'name', value: 'mine.cu', required: true, maxLength: 64 });
  const create = async event => {
    event.preventDefault();
    if (names.includes(field.value) || await save({ program: field.value, text: first })) go(`/program/${field.value}`);
  };
  return [heading(t('programs')), !me.sandbox && make('p', {}, t('noSandbox')),
    make('ul', { className: 'list' }, names.map(name => make('li', {}, link(addressOf(name), name)))),
    make('h2', {}, t('newProgram')),
    make('form', { className: 'row', onsubmit: create }, make('label', {}, t('fileName'), field), make('button', {}, t('create')))];
}

export async function program(name, goTo) {
  const text = (await get('/api/program', { name })).text ?? first, code = make('div'), place = make('section', { id: 'result' }), ran = [];
  const fields = fieldsOf({ options: {}, gpu: null });
  let editor = null;

  fields.check.checked = true;
  const keep = quietly => save({ program: name, text: editor.text() }, quietly);
  const run = async () => {
    editor.clear();
    if (!await keep(true)) return;
    go.disabled = true;
    await work(place, { ...asksFor(fields), kind: 'program', source: editor.text() }, (event, job) => {
      if (event.marks?.length) editor.mark(event.marks);
      return event.event === 'result' && resultOf(event, job, ran);
    });
    go.disabled = false;
  };
  const remove = async () => {
    await post('/api/remove', { program: name });
    goTo('/program');
  };
  const go = button(t('run'), run, { className: 'main', id: 'run' });
  queueMicrotask(async () => { editor = await edit(code, text, { run, save: () => keep(false), keep: () => keep(true) }); });
  return [heading(name), code, make('div', { className: 'row' }, labelled(fields)),
    make('div', { className: 'row' }, go, button(t('save'), () => keep(false)), button(t('remove'), remove)), place];
}

/* --- The class -------------------------------------------------------------------------------- */

export async function signIn(done) {
  const name = make('input', { name: 'name', autocomplete: 'username', required: true });
  const code = make('input', { name: 'code', type: 'password', autocomplete: 'current-password', required: true });
  const wrong = make('p', { className: 'bad', role: 'alert' });
  const submit = async event => {
    event.preventDefault();
    try {
      await post('/api/sign-in', { name: name.value, code: code.value });
      await done();
    } catch (error) {
      wrong.textContent = error.message;
    }
  };
  return [heading(t('signIn')), make('p', {}, t('codeHint')), make('form', { className: 'row', onsubmit: submit },
    make('label', {}, t('name'), name), make('label', {}, t('code'), code), make('button', { className: 'main' }, t('signIn'))), wrong];
}

/* Who has passed what, as it stands now: again and again while it is shown. */
export async function klass() {
  const table = make('div', { className: 'table', tabIndex: 0 });
  const fill = async () => {
    const { puzzles: list, students } = await get('/api/class');
    table.replaceChildren(make('table', {},
      make('thead', {}, make('tr', {}, make('th', {}, t('student')), make('th', { className: 'number' }, t('ofAll')),
        list.map(one => make('th', { className: 'number', title: titleOf(one) }, number(one.name))))),
      make('tbody', {}, students.map(student => make('tr', {}, make('th', {}, student.name),
        make('td', { className: 'number' }, Object.values(student.progress).filter(one => one.passed).length),
        list.map(one => {
          const stands = student.progress[one.name];
          return make('td', { className: stands?.passed ? 'number good' : 'number', title: stands?.verdict || '' },
            stands ? (stands.passed ? '✓' : stands.tries) : '');
        }))))));
  };
  await fill();
  const timer = setInterval(() => (table.isConnected ? fill().catch(() => {}) : clearInterval(timer)), 3000);
  return [heading(t('class')), make('p', {}, link('/api/class.csv', t('download'), { download: 'class.csv' })), table];
}
