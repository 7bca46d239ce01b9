// SPDX-License-Identifier: MIT
'use strict';
{
  const root = document.documentElement, button = document.getElementById('language');
  const show = language => {
    root.lang = language;
    button.textContent = language === 'en' ? '中文' : 'English';
    document.title = document.querySelector(`h1 [lang=${language}]`).textContent;
  };
  button.hidden = false;
  button.addEventListener('click', () => show(root.lang === 'en' ? 'zh-CN' : 'en'));
  show(/^zh/i.test(navigator.language || '') ? 'zh-CN' : 'en');
}
