# SPDX-License-Identifier: MIT
"""Looks at a site that was built: every link leads to a page and, behind a #, to a place in it; no
page is larger than a telephone should have to fetch.

usage: check.py FOLDER

Prints a line for each fault and ends with 1 if there is any, or if there is no page at all.
"""

import os
import sys
import urllib.parse
from html.parser import HTMLParser

LARGEST = 2_000_000


class Page(HTMLParser):
    """The links of a page, and the places in it that links can name."""

    def __init__(self, text):
        super().__init__()
        self.links = set()
        self.places = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


def find_pages(folder):
    pages = {}
    for here, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(here, name)
                with open(path, encoding="utf-8") as file:
                    pages[path] = Page(file.read())
    return pages


def check(folder):
    """The faults of the site in `folder`, a line each, and how many pages it has."""
    faults = []
    pages = find_pages(folder)
    for path, page in sorted(pages.items()):
        here = os.path.relpath(path, folder)
        if os.path.getsize(path) > LARGEST:
            faults.append(f"{here}: {os.path.getsize(path)} bytes, more than {LARGEST}")
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            # The page for what is not found names its files from the root of wherever the site lies.
            if url.scheme or url.netloc or (here.endswith("404.html") and link.startswith("/")):
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path)))
            if not url.path:
                to = path
            elif os.path.isdir(to):
                to = os.path.join(to, "index.html")
            if not os.path.isfile(to) or os.path.relpath(to, folder).startswith(".."):
                faults.append(f"{here}: {link} leads nowhere")
            elif to in pages and urllib.parse.unquote(url.fragment) not in pages[to].places:
                faults.append(f"{here}: {link} names no place")
    return faults, len(pages)


def main():
    faults, count = check(os.path.abspath(sys.argv[1]))
    for fault in faults:
        print(fault, file=sys.stderr)
    if not count:
        print("no pages", file=sys.stderr)
    return 1 if faults or not count else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: check.py FOLDER")
    sys.exit(main())
