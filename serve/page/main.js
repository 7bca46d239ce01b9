// SPDX-License-Identifier: MIT
/* Addresses, and what stands at the top of every view. */
import { button, link, make, me, meet, post } from './page.js';
import { language, setLanguage, t } from './text.js';
import * as views from './views.js';

const main = document.getElementById('main');
let turn = 0;

function viewOf(path) {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  if (me.class && !me.name && ['puzzle', 'program', 'class'].includes(parts[0])) return views.signIn(signedIn);
  switch (parts[0]) {
    case '': return views.home();
    case 'read': return views.read(parts.slice(1).join('/'));
    case 'step': return views.step(parts[1], parts[2]);
    case 'ladder': return views.ladder(parts[1]);
    case 'puzzle': return parts[1] ? views.puzzle(parts[1]) : views.puzzles();
    case 'program': return parts[1] ? views.program(parts[1], go) : views.programs(go);
    case 'class': return views.klass();
    case 'sign-in': return views.signIn(signedIn);
    default: return Promise.reject(new Error(t('notFound')));
  }
}

function head() {
  const places = [['/', 'read', '/read /step /ladder'], ['/puzzle', 'puzzles', '/puzzle'], ['/program', 'programs', '/program'],
    ...(me.teaches ? [['/class', 'class', '/class']] : [])];
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.querySelector('.skip').textContent = t('skip');
  document.getElementById('nav').replaceChildren(...places.map(([path, text, below]) => {
    const here = location.pathname === path || below.split(' ').some(one => location.pathname.startsWith(one));
    return link(path, t(text), here ? { 'aria-current': 'page' } : {});
  }));
  document.getElementById('who').replaceChildren(...[
    me.class && me.name && make('span', {}, me.name),
    me.class && me.name && button(t('signOut'), async () => { await post('/api/sign-out'); await meet(); go('/'); }),
    button(t('language'), () => { setLanguage(language === 'zh' ? 'en' : 'zh'); show(); }, { id: 'language' }),
  ].filter(Boolean));
}

async function show() {
  const mine = ++turn;
  head();
  let parts;
  try {
    parts = await viewOf(location.pathname);
  } catch (error) {
    parts = [make('h1', {}, t('notFound')), make('p', { role: 'alert' }, error.message)];
  }
  if (mine !== turn) return;
  main.replaceChildren(...parts.filter(Boolean));
  document.title = `${main.querySelector('h1')?.textContent || t('title')} · CUDA`;
  Object.assign(main.dataset, { shown: location.pathname, language });
  const at = location.hash && document.getElementById(location.hash.slice(1));
  if (at) at.scrollIntoView();
}

function go(path) {
  history.pushState(null, '', path);
  window.scrollTo(0, 0);
  return show().then(() => main.focus({ preventScroll: true }));
}

async function signedIn() {
  await meet();
  await go('/');
}

document.addEventListener('click', event => {
  const a = event.target.closest('a[href]');
  if (!a || a.origin !== location.origin || a.download || event.ctrlKey || event.metaKey || event.button
    || a.pathname.startsWith('/api/') || (a.pathname === location.pathname && a.hash)) return;
  event.preventDefault();
  go(a.pathname + a.search + a.hash);
});
/* The arrow keys turn the pages of a chapter's steps, unless they are somebody else's. */
document.addEventListener('keydown', event => {
  const rel = { ArrowLeft: 'prev', ArrowRight: 'next' }[event.key];
  if (!rel || event.altKey || event.ctrlKey || event.metaKey || (event.target !== document.body && event.target !== main)) return;
  main.querySelector(`a[rel=${rel}]`)?.click();
});
window.addEventListener('popstate', show);

await meet();
await show();
