# SPDX-License-Identifier: MIT
"""Collects the pages of the site from where they lie in the checkout, for mkdocs to make HTML of.

usage: collect.py CHECKOUT BUILD STAGE

STAGE gets en/ and zh/, a folder of Markdown for each language, and en.yml and zh.yml, what mkdocs is
to make of it. No page is written here: README.md, docs/ and docs/zh/ are the source, the statements
of puzzles theirs, and every other file that a page links becomes a page with its text. A link that
leads nowhere ends this with 1.
"""

import json
import os
import posixpath
import re
import shutil
import sys

LANGUAGES = ("en", "zh")
PICTURES = (".svg", ".png", ".gif", ".jpg")
LISTED = 12  # a folder with more files than this names them, without pages of their own
WORDS = {  # what the site says of itself
    "en": {"puzzles": "Puzzles", "answer": "Hint", "ladders": "Ladders", "drawn": "The run, drawn",
           "lesson": "The lesson", "folder": "In this folder:", "home": "Home",
           "ladder": "the ladder, with every source and all counters"},
    "zh": {"puzzles": "谜题", "answer": "提示", "ladders": "性能阶梯", "drawn": "运行过程图",
           "lesson": "讲解", "folder": "这个目录里有：", "home": "首页",
           "ladder": "性能阶梯，附全部源代码和计数"},
}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
PLACE = re.compile(r'^<a id="[^"]*"></a>$', re.M)  # that a link can name


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def title_of(text):
    """The first heading of a page, as plain text."""
    found = re.search(r"^# (.+)$", text, re.M)
    return re.sub(r"[`*]", "", found.group(1)) if found else None


def fenced(text):
    """The lines of a page, each with whether it is code."""
    fence = None
    for line in text.split("\n"):
        mark = re.match(r" *(```+|~~~+)", line)
        if mark and not fence:
            fence = mark.group(1)
            yield line, True
        elif mark and line.strip() == fence:
            fence = None
            yield line, True
        else:
            yield line, bool(fence)


def outside_code(line, change):
    """`line` with `change` applied to what is no `code`."""
    parts = re.split(r"(`+[^`]*`+)", line)
    return "".join(part if part.startswith("`") else change(part) for part in parts)


def deepen(lines):
    """What belongs to a list's entry indented by four, as mkdocs wants it, not by the marker's width."""
    width = 0
    for line, code in lines:
        marker = re.match(r"([-*] +|\d+\. +)", line)
        if marker and not code:
            width = len(marker.group(1))
        elif line and not line.startswith(" " * max(width, 1)):
            width = 0
        elif width and line:
            line = " " * (4 - width) + line
        yield line, code


class Site:
    """What becomes of each file of the checkout."""

    def __init__(self, checkout, stage):
        self.checkout = checkout
        self.stage = stage
        self.pages = {language: {} for language in LANGUAGES}  # file of the checkout -> page
        self.sources = []  # files and folders that pages link, and what has a page
        self.faults = []
        self.steps = {}
        self.chapters = []

    # --- Which pages there are ---------------------------------------------------------------

    def find_pages(self):
        for folder, folders, names in os.walk(os.path.join(self.checkout, "docs")):
            folders.sort()
            for name in sorted(names):
                file = os.path.relpath(os.path.join(folder, name), self.checkout)
                inside = file.split("/", 1)[1]
                if not name.endswith(".md") or inside.startswith("claims/"):
                    continue
                language = "zh" if inside.startswith("zh/") else "en"
                page = inside[3:] if language == "zh" else inside
                self.pages[language][file] = re.sub(r"(^|/)README\.md$", r"\1index.md", page)
        self.pages["en"].setdefault("README.md", "index.md" if "docs/README.md" not in
                                    self.pages["en"] else "about.md")
        for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
            self.pages["en"][name] = name.lower()
        puzzles = os.path.join(self.checkout, "puzzles")
        for name in sorted(os.listdir(puzzles)):
            for language, file in (("en", "puzzle.md"), ("zh", "puzzle.zh.md")):
                if os.path.isfile(os.path.join(puzzles, name, file)):
                    self.pages[language][f"puzzles/{name}/{file}"] = f"puzzles/{name}.md"

    def find_steps(self, build):
        for line in read(os.path.join(build, "manifest.jsonl")).splitlines():
            row = json.loads(line)
            if "step" in row:
                self.steps[row["source"]] = row
            else:
                self.chapters.append(row["chapter"])

    # --- Links -------------------------------------------------------------------------------

    def address(self, language, page):
        """Where a page comes to lie, from the root of the site."""
        path = "" if page == "index.md" else re.sub(r"(^|/)index\.md$", r"\1", page)
        path = path[:-3] + "/" if path.endswith(".md") else path
        return ("zh/" if language == "zh" else "") + path

    def target(self, language, file):
        """What a link to `file` leads to: (language, page or other file of the site)."""
        if file in ("docs/zh", "docs"):
            return ("zh" if file.endswith("zh") else "en"), "index.md"
        if file.startswith("puzzles/") and file.count("/") == 1 and os.path.isdir(
                os.path.join(self.checkout, file)):
            return language, file + ".md"
        for other in (language,) + LANGUAGES:
            if file in self.pages[other]:
                return other, self.pages[other][file]
        if file not in self.sources:
            self.sources.append(file)
        return "en", self.source_of(file)

    def source_of(self, file):
        """The page of a file or folder of the checkout; mkdocs leaves out what begins with a dot."""
        page = "source/" + re.sub(r"(^|/)\.", r"\1", file)
        return page + ("/index.md" if os.path.isdir(os.path.join(self.checkout, file)) else ".md")

    def relink(self, language, file, page, link):
        """`link` of a page of the checkout, as the same page of the site must have it."""
        path, anchor = (link.split("#", 1) + [""])[:2]
        if re.match(r"[a-z]+:", link) or not path:
            return link
        anchor = "#" + anchor if anchor else ""
        there = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
        if not os.path.exists(os.path.join(self.checkout, there)):
            self.faults.append(f"{file}: {link} leads nowhere")
            return link
        if there.endswith(PICTURES):
            picture = re.sub(r"^docs/(zh/)?", "", there)
            to = os.path.join(self.stage, language, picture)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(self.checkout, there), to)
            return posixpath.relpath(picture, posixpath.dirname(page) or ".")
        other, to = self.target(language, there)
        if to.startswith("source/") and anchor and f'<a id="{anchor[1:]}"></a>\n' not in read(
                os.path.join(self.checkout, there)):
            self.faults.append(f"{file}: {link} names no place")
        if other == language:
            return posixpath.relpath(to, posixpath.dirname(page) or ".") + anchor
        here = self.address(language, page)
        back = posixpath.relpath(self.address(other, to) or ".", here or ".")
        return back.rstrip("/") + "/" + anchor

    # --- Pages -------------------------------------------------------------------------------

    def convert(self, language, file, page):
        """A page of the checkout as a page of the site."""
        def relink(text):
            return LINK.sub(lambda found: found.group(1) + self.relink(
                language, file, page, found.group(2)) + found.group(3), text)

        lines = []
        for line, code in deepen(fenced(read(os.path.join(self.checkout, file)))):
            if not code:
                if line.startswith("|"):  # a table's cell may hold a bar in code here
                    line = re.sub(r"`[^`]*`", lambda found: found.group(0).replace("\\|", "|"), line)
                line = outside_code(line, lambda text: text.replace("<!-- ", "<!--"))
                line = self.relink_line(line, relink)
            lines.append(line)
        text = "\n".join(lines)
        if file.startswith("puzzles/"):
            text = self.fold_hints(text)
        return text

    @staticmethod
    def relink_line(line, relink):
        """The address of a link is no code, even if its text is."""
        return relink(line) if "](" in line else line

    @staticmethod
    def fold_hints(text):
        """Each hint of a puzzle closed, until a reader opens it."""
        out, folded = [], False
        for line in text.split("\n"):
            hint = re.match(r"### (.+)", line)
            if hint:
                folded = True
                out += [f'??? tip "{hint.group(1)}"', ""]
            elif folded and line.startswith("#"):
                folded = False
                out.append(line)
            else:
                out.append("    " + line if folded and line else line)
        return "\n".join(out)

    def convert_all(self):
        for language in LANGUAGES:
            for file, page in self.pages[language].items():
                write(os.path.join(self.stage, language, page), self.convert(language, file, page))

    def source_page(self, file):
        """A file's text as a page; a step's with the ways to its lesson and its picture."""
        text = read(os.path.join(self.checkout, file))
        row = self.steps.get(file)
        head = f"---\nsearch:\n  exclude: true\ntitle: {posixpath.basename(file)}\n---\n# {file}\n\n"
        page = self.source_of(file)
        if row:
            links = []
            lesson = re.search(r"See: +(docs/\S+\.md#\S+)", text)
            if lesson:
                links.append(f"[{WORDS['en']['lesson']}]("
                             f"{self.relink('en', 'x', page, lesson.group(1))})")
            trace = f"trace/{row['chapter']}/{row['step']}.html"
            if os.path.isfile(os.path.join(self.stage, "en", trace)):
                links.append(f"[{WORDS['en']['drawn']}]({posixpath.relpath(trace, posixpath.dirname(page))})")
            head += f"{row['title'][:1].upper()}{row['title'][1:]}. {' · '.join(links)}\n\n"
        language = {".cu": "cuda", ".cuh": "cuda", ".h": "c", ".c": "c", ".def": "c", ".sh": "sh",
                    ".json": "json", ".yml": "yaml"}.get(posixpath.splitext(file)[1], "text")
        fence = "`" * (max([2] + [len(run) for run in re.findall(r"`+", text)]) + 1)
        lines = f"{fence}{{ .{language} }}\n" if len(text) > 60000 else f"{fence}{language}\n"
        if file.endswith(".md"):  # a place is none inside a listing
            text = PLACE.sub(lambda place: f"{fence}\n\n{place.group(0)}\n\n{lines}", text)
        return head + lines + text.rstrip("\n") + f"\n{fence}\n"

    def folder_page(self, folder):
        names = sorted(name for name in os.listdir(os.path.join(self.checkout, folder))
                       if not name.startswith("."))
        files = [name for name in names if os.path.isfile(os.path.join(self.checkout, folder, name))]
        out = [f"---\nsearch:\n  exclude: true\n---\n# {folder}\n\n{WORDS['en']['folder']}\n"]
        for name in names:
            file = f"{folder}/{name}"
            if name in files and len(files) <= LISTED and not name.endswith(PICTURES):
                link = self.relink("en", "x", self.source_of(folder), file)
                out.append(f"- [{name}]({link})")
            else:
                out.append(f"- {name}")
        return "\n".join(out) + "\n"

    def write_sources(self):
        for file in sorted(self.steps):
            self.target("en", file)
        for file in self.sources:  # grows as folders name their files
            is_folder = os.path.isdir(os.path.join(self.checkout, file))
            write(os.path.join(self.stage, "en", self.source_of(file)),
                  self.folder_page(file) if is_folder else self.source_page(file))

    # --- What leads to the pages -------------------------------------------------------------

    def order(self):
        """The pages of docs/, as the first page of all links them, then those it does not."""
        first = "docs/README.md" if "docs/README.md" in self.pages["en"] else "README.md"
        names = []
        for link in LINK.findall(read(os.path.join(self.checkout, first))):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(first), link[1].split("#")[0]))
            page = self.pages["en"].get(file)
            if page and page not in names:
                names.append(page)
        rest = [page for page in self.pages["en"].values() if page not in names]
        return [page for page in names + rest if page != "index.md" and not page.startswith("puzzles/")]

    def entry(self, language, page):
        text = read(os.path.join(self.stage, language, page))
        return {title_of(text) or page: page}

    def navigation(self, language):
        have = set(self.pages[language].values())
        puzzles = [page for page in have if page.startswith("puzzles/")]
        rows = [{WORDS[language]["home"]: "index.md"}]
        rows += [self.entry(language, page) for page in self.order() if page in have]
        rows.append({WORDS[language]["puzzles"]: [self.entry(language, p) for p in sorted(puzzles)]})
        return rows + [{WORDS[language]["ladders"]: "ladders.md"}]

    def write_ladders(self):
        """One page that leads to each chapter's ladder and to each step's source and picture."""
        for language in LANGUAGES:
            out = [f"# {WORDS[language]['ladders']}\n"]
            up = "" if language == "en" else "../../"
            for chapter in self.chapters:
                page = chapter + ".md"
                name = title_of(read(os.path.join(self.stage, language, page)))
                out.append(f"## {name}\n\n[{name}]({page})")
                if os.path.isfile(os.path.join(self.stage, "en", f"ladder/{chapter}.html")):
                    out[-1] += f" · [{WORDS[language]['ladder']}]({up}ladder/{chapter}.html)"
                out.append("")
                for file, row in self.steps.items():
                    if row["chapter"] != chapter:
                        continue
                    source = f"source/{file}.md" if language == "en" else f"{up}source/{file}/"
                    line = f"- [{row['step']}]({source})"
                    trace = f"trace/{chapter}/{row['step']}.html"
                    if os.path.isfile(os.path.join(self.stage, "en", trace)):
                        line += f" · [{WORDS[language]['drawn']}]({up}{trace})"
                    out.append(line)
                out.append("")
            write(os.path.join(self.stage, language, "ladders.md"), "\n".join(out))

    def write_chinese_home(self):
        """Where docs/zh has no first page: README's own lines in Chinese, which lead to all others."""
        if "index.md" in self.pages["zh"].values():
            return
        found = re.search(r"^.*\]\(docs/zh/.*$", read(os.path.join(self.checkout, "README.md")), re.M)
        text = found.group(0) if found else ""
        text = LINK.sub(lambda link: link.group(1) + self.relink(
            "zh", "README.md", "index.md", link.group(2)) + link.group(3), text)
        write(os.path.join(self.stage, "zh", "index.md"), f"# CUDA, step by step\n\n{text}\n")

    def write_config(self, language):
        here = os.path.dirname(os.path.abspath(__file__))
        config = {
            "INHERIT": os.path.join(here, "mkdocs.yml"),
            "docs_dir": os.path.join(self.stage, language),
            "theme": {"language": language},
            "extra": {"alternate": [
                {"name": "English", "link": "./" if language == "en" else "../", "lang": "en"},
                {"name": "中文", "link": "./zh/" if language == "en" else "./", "lang": "zh"}]},
            "hooks": [os.path.join(here, "hooks.py")],
            "nav": self.navigation(language),
        }
        # JSON is YAML, and needs no library.
        write(os.path.join(self.stage, language + ".yml"), json.dumps(config, ensure_ascii=False))
        shutil.copy(os.path.join(here, "site.css"), os.path.join(self.stage, language))


def main():
    checkout, build, stage = (os.path.abspath(path) for path in sys.argv[1:])
    site = Site(checkout, stage)
    site.find_pages()
    site.find_steps(build)
    site.convert_all()
    site.write_chinese_home()
    site.write_sources()
    site.write_ladders()
    for language in LANGUAGES:
        site.write_config(language)
    for fault in sorted(set(site.faults)):
        print(fault, file=sys.stderr)
    return 1 if site.faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: collect.py CHECKOUT BUILD STAGE")
    sys.exit(main())
