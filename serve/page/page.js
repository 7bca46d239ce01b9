// SPDX-License-Identifier: MIT
/* Elements, requests, and what all views share. */
import { language, t } from './text.js';

export let me = null;

/* An element with properties and children; text is text, whatever is in it. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element && key !== 'list') element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/* A heading, a list, a link ... */
export const link = (href, text, properties = {}) => make('a', { href, ...properties }, text);
export const button = (text, onclick, properties = {}) => make('button', { type: 'button', onclick, ...properties }, text);

export function tell(text) {
  const said = document.getElementById('said');
  said.textContent = text;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => { said.textContent = ''; }, 4000);
}

async function request(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error(t('noConnection'));
  }
  const json = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(json.error), { status: answer.status });
  return json;
}

export const get = (path, query = {}) =>
  request(`${path}?${new URLSearchParams(query)}`, { headers: { 'X-Language': language } });

export const post = (path, body = {}) => request(path, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'X-Token': me ? me.token : '', 'X-Language': language },
  body: JSON.stringify(body),
});

/* Who we are; on one's own machine, where nobody asks for a code, signed in at once. */
export async function meet() {
  me = await get('/api/me');
  if (!me.name && !me.class) {
    await post('/api/sign-in');
    me = await get('/api/me');
  }
}

const kept = {};
/* What does not change while the server runs. */
export async function once(path, query) {
  const key = `${path}?${new URLSearchParams(query)}`;
  kept[key] ||= await get(path, query);
  return kept[key];
}

/* A page of docs/ as an element, its links within the suite. Its HTML is the suite's own. */
export async function pageOf(name) {
  const { html } = await once('/api/page', { name });
  const element = make('div');
  element.innerHTML = html;
  const base = new URL(name, 'http://suite/');
  for (const image of element.querySelectorAll('img[src]'))
    image.src = new URL(image.getAttribute('src'), base).pathname;
  for (const a of element.querySelectorAll('a[href]')) {
    const url = new URL(a.getAttribute('href'), base);
    const step = url.pathname.match(/^\/([a-z0-9]+\/[a-z0-9_]+)\.cu$/);
    if (url.host !== 'suite') a.rel = 'noreferrer';
    else if (step) a.href = `/step/${step[1]}`;
    else if (/^\/docs\/.*\.md$/.test(url.pathname)) a.href = `/read${url.pathname}${url.hash}`;
    else a.replaceWith(...a.childNodes);
  }
  return element;
}

/* The same page in this language. */
export const docsPage = page => page.replace(/^docs\//, language === 'zh' ? 'docs/zh/' : 'docs/');
