"""Texts that people write (labels, titles, captions, claims), shown as they stand: in figures and in markdown.

Line breaks become spaces. Control characters and marks of the writing direction are left out: they show nothing, or
reorder what stands around them.
"""

from __future__ import annotations

import re

BREAKS = r"[\t-\r\x1c-\x1f\x85\u2028\u2029 ]+"
"""Whatever Python's `splitlines` takes for the end of a line, tabs and spaces; a no-break space stays."""

UNSEEN = r"[\x00-\x08\x0e-\x1b\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
"""Control characters, marks of the writing direction, byte order marks, and halves of a surrogate pair."""

PUNCTUATION = r"[!-/:-@\[-`{-~]"
"""What a backslash makes literal in markdown."""

MARKUP = re.compile(
    r"""[\\`*\[<|~]                # anywhere
    | (?<![^\W_])_ | _(?![^\W_])   # not between letters or digits, where it marks nothing
    | &(?=\#?\w+;)                 # of an entity
    | (?<!\S)\#                    # of a heading, at either end
    | ^> | ^[-+](?=[\s-]|$)        # of a quotation, a list, a rule""",
    re.VERBOSE,
)

NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")
"""What opens a numbered list."""

DOLLAR = "<span>$</span>"
"""GitHub's own way to keep a dollar sign from opening a formula, which a backslash does not do everywhere."""


def one_line(text: str) -> str:
    """Return `text` on one line, without what cannot be seen.

    >>> one_line("held-out\\n  questions\\u202e")
    'held-out questions'
    """
    return re.sub(UNSEEN, "", re.sub(BREAKS, " ", text)).strip()


def in_markdown(text: str) -> str:
    """Return `text` so that markdown shows it as it stands, as a paragraph, in a heading or in a table's cell.

    Text without markup stays the same.

    >>> in_markdown("avg@16 of clinic_5op | <b>**best**</b>")
    'avg@16 of clinic_5op \\\\| \\\\<b>\\\\*\\\\*best\\\\*\\\\*\\\\</b>'
    """
    escaped = NUMBERED.sub(r"\1\\\2", MARKUP.sub(r"\\\g<0>", one_line(text)))
    return escaped.replace("$", DOLLAR)


def in_rst(text: str) -> str:
    """Return `text` so that reStructuredText, in which Snakemake's report reads captions, shows it as it stands.

    >>> in_rst("`x` of clinic_5op, a_ |b|")
    '\\\\`x\\\\` of clinic_5op, a\\\\_ \\\\|b\\\\|'
    """
    return re.sub(r"[\\`*|]|_(?![^\W_])", r"\\\g<0>", one_line(text))


def out_of_markdown(text: str) -> str:
    """Return what `in_markdown` was given.

    >>> out_of_markdown(in_markdown("# 5 $ | *"))
    '# 5 $ | *'
    """
    return re.sub(rf"\\({PUNCTUATION})", r"\1", text.replace(DOLLAR, "$"))


def row_cells(line: str) -> list[str]:
    """Return the cells of a row of a markdown table; a pipe behind a backslash is one of the text.

    >>> row_cells("| a \\\\| b | **0.5** |")
    ['a \\\\| b', '**0.5**']
    """
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def legend_label(text: str) -> str:
    """Return `text` on one line, behind a space where matplotlib would leave it out of a legend.

    >>> legend_label("_none")
    ' _none'
    """
    line = one_line(text)
    return f" {line}" if line.startswith("_") else line
