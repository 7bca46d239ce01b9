// SPDX-License-Identifier: MIT
'use strict';
/* The language: that of the address, as ?lang=zh, or the browser's own, or the other one. */
{
  const root = document.documentElement, button = document.getElementById('language');
  const show = language => {
    root.lang = language;
    button.textContent = language === 'en' ? '中文' : 'English';
    document.title = document.querySelector(`h1 [lang=${language}]`).textContent;
  };
  button.hidden = false;
  button.addEventListener('click', () => show(root.lang === 'en' ? 'zh-CN' : 'en'));
  const asked = new URLSearchParams(location.search).get('lang') || navigator.language || '';
  show(/^zh/i.test(asked) ? 'zh-CN' : 'en');
}

/* Sources in colour, with numbers of lines, once somebody opens them. */
{
  const words = list => String.raw`\b(${list.trim().split(/\s+/).join('|')})\b`;
  const kinds = {
    comment: String.raw`(\/\/.*|\/\*[^]*?(?:\*\/|$(?![^]))|^ \*(?: .*|\/)?$)`,
    string: String.raw`("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`,
    directive: String.raw`(^[ \t]*#[ \t]*\w+)`,
    keyword: words(`alignas auto bool break case char class const constexpr continue default do double else
      enum extern false float for goto if inline int long namespace new return short signed sizeof static
      static_assert struct switch template true typedef typename union unsigned using void volatile while
      u?int(?:8|16|32|64)_t size_t`),
    cuda: words(String.raw`__\w+ threadIdx blockIdx blockDim gridDim warpSize cuda[A-Z]\w* (?:u?int|u?short|float|double)[234]
      dim3 clock(?:64)? atomic[A-Z]\w*`),
    number: String.raw`\b(0x[\da-fA-F']+[uUlL]*|\d[\d.']*(?:e[-+]?\d+)?[uUlLfF]*)`,
  };
  const tokens = new RegExp(Object.values(kinds).join('|'), 'gm'), names = Object.keys(kinds);
  const span = (name, text) => Object.assign(document.createElement('span'), { className: name, textContent: text });
  const colour = element => {
    const text = element.textContent, parts = [];
    let done = 0;
    for (const match of text.matchAll(tokens)) {
      parts.push(text.slice(done, match.index), span(names[match.slice(1).findIndex(Boolean)], match[0]));
      done = match.index + match[0].length;
    }
    element.replaceChildren(...parts, text.slice(done));
  };
  document.addEventListener('toggle', event => {
    for (const code of event.target.querySelectorAll('pre code:not(.done)')) {
      const lines = code.textContent.split('\n').length - 1;
      if (code.parentNode.matches('.source'))
        code.before(span('numbers', Array.from({ length: lines }, (_, i) => i + 1).join('\n')));
      colour(code);
      code.classList.add('done');
    }
  }, true);
}
