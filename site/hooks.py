# SPDX-License-Identifier: MIT
"""mkdocs calls what is here while it builds the site."""

import types

import material.plugins.search.plugin as search
import rjieba

# Chinese is written without blanks: the search divides it into words by jieba, which PyPI has as source
# alone. This is the same, compiled.
_words = rjieba.Jieba()
search.jieba = types.SimpleNamespace(cut=lambda text: _words.cut(text.decode()))
