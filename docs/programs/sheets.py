"""The sheets of the course: of each unit a worksheet to fill in, and the solutions to it, each one page of A4 in PDF.

`python -m docs.programs.sheets` makes those in `docs/course/sheets` anew; `boidsgen course` copies them.

  pages()       all of them, by their files
  questions()   what a worksheet shows of a unit, in Markdown
  solutions()   what the solutions show of it
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
from fontTools import subset
from fontTools.ttLib import TTFont
from fpdf import FPDF, FontFace
from markdown_it import MarkdownIt
from markdown_it.token import Token

from boidsgen.cli.course import units_of

FOLDER = Path(__file__).parents[1] / "course" / "sheets"
FACES = {"": "DejaVuSans", "B": "DejaVuSans-Bold", "I": "DejaVuSans-Oblique", "mono": "DejaVuSansMono"}
SIZES = (10.5, 9.5, 9, 8.5, 8, 7.5)  # of letters in points; the largest with which everything fits is taken
LEADING, MARGIN = 1.55, 16  # distance of two lines in sizes of a letter, and of the text from the edges in mm
POINT = 25.4 / 72  # in mm
ASKED = ("Predict", "Try", "Hand in")  # sections of a worksheet
RULED = 6  # lines to write on after each of them
INK, BLUE, GRAY = "#1b1f27", "#3344aa", "#9095a0"


def pages() -> Iterator[tuple[Path, bytes]]:
    """The file of each sheet, and its content."""
    units = units_of(None)
    with TemporaryDirectory() as fonts:
        for name in FACES.values():
            font = TTFont(Path(mpl.get_data_path(), "fonts", "ttf", f"{name}.ttf"), recalcTimestamp=False)
            small = subset.Subsetter(subset.Options(hinting=False, layout_features=[], drop_tables=["FFTM"]))
            small.populate(text="Worksheet Solutions" + "".join(one.text for one in units))
            small.subset(font)
            font.save(Path(fonts, f"{name}.ttf"))
        for unit in units:
            for kind, part in (("worksheet", questions), ("solutions", solutions)):
                yield FOLDER / unit.name / f"{kind}.pdf", sheet(part(unit.text), kind, Path(fonts))


def questions(page: str) -> str:
    """The head of a page and what students are asked to do, each section with lines to write on, without answers."""
    head, sections = _parts(page)
    asked = [one.partition("<details")[0] for one in sections if one[3:].startswith(ASKED)]
    return head + "".join(f"{one}\n\n***\n\n" for one in asked)


def solutions(page: str) -> str:
    """The head of a page, its answers, measurements and explanations, without programs and what they print."""
    program = r"^```python\n.*?^```\n\n(?:```text\n.*?^```\n\n)?"
    head, sections = _parts(re.sub(program, "", page, flags=re.DOTALL | re.MULTILINE))
    return head + "".join(one for one in sections if not one[3:].startswith(ASKED) or "<details" in one)


def _parts(page: str) -> tuple[str, Sequence[str]]:
    """The text above the first heading of a section, without commands, and the sections."""
    head, *sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return re.sub(r"^```sh\n.*?^```\n", "", head, flags=re.DOTALL | re.MULTILINE), sections


def sheet(text: str, kind: str, fonts: Path) -> bytes:
    """A PDF of a text in Markdown, without its pictures; ValueError if it does not fit one page."""
    for size in SIZES:
        drawn = Sheet(kind, size, fonts)
        drawn.blocks(iter(MarkdownIt().enable("table").parse(text)))
        fits = drawn.page == 1 and drawn.y < drawn.page_break_trigger
        content = bytes(drawn.output()) if fits else b""
        for font in drawn.fonts.values():
            font.close()
        if fits:
            return content
    raise ValueError(f"{text.splitlines()[0]}: does not fit one page")


class Sheet(FPDF):
    """Pages in letters of one size."""

    def __init__(self, kind: str, size: float, fonts: Path) -> None:
        super().__init__(format="A4")
        self.set_creator("boidsgen")  # by which `boidsgen course` knows the sheets that it may replace
        self.set_creation_date(datetime(2026, 1, 1, tzinfo=UTC))  # whenever it is made, its bytes are the same
        self.set_margin(MARGIN)
        self.set_auto_page_break(auto=True, margin=MARGIN)
        for style, name in FACES.items():
            self.add_font(*(("mono", "") if style == "mono" else ("sans", style)), fonts / f"{name}.ttf")
        self.set_draw_color(GRAY)
        self.size, self.row = size, size * LEADING * POINT
        self.add_page()
        self.text_in(GRAY, kind.capitalize())

    def blocks(self, tokens: Iterator[Token]) -> None:
        """Draw the blocks of a text."""
        for token in tokens:
            if token.type == "heading_open":
                self.ln(self.row * 0.4)
                self.text_in(BLUE, next(tokens).content, 1.6 if token.tag == "h1" else 1.2)
            elif token.type == "fence":
                self.set_left_margin(MARGIN + 4)
                self.text_in(BLUE, token.content.rstrip(), 0.9, family="mono")
                self.set_left_margin(MARGIN)
                self.ln(self.row * 0.4)
            elif token.type == "table_open":
                self.rows(tokens)
            elif token.type == "hr":
                for _ in range(RULED):
                    self.ln(self.row * 1.5)
                    self.line(MARGIN, self.y, self.w - MARGIN, self.y)
                self.ln(self.row * 0.5)
            elif token.type == "html_block":
                for answer in re.findall(r"<summary>(.*?)</summary>", token.content):
                    self.text_in(BLUE, answer)
            elif token.type == "inline" and token.children and token.children[0].type != "image":
                self.paragraph(token.children)

    def letters(self, color: str, scale: float = 1.0, *, family: str = "sans", style: str = "") -> None:
        """Write in these from here on."""
        self.set_text_color(color)
        self.set_font(family, style, self.size * scale)

    def text_in(self, color: str, text: str, scale: float = 1.0, *, family: str = "sans") -> None:
        """Write lines in one color."""
        self.letters(color, scale, family=family)
        self.multi_cell(0, self.row * scale, text, align="L", new_x="LMARGIN", new_y="NEXT")

    def paragraph(self, tokens: Sequence[Token]) -> None:
        """Write text with what is emphasized in it."""
        style = ""
        for token in tokens:
            if token.type in {"strong_open", "em_open"}:
                style = "B" if token.type == "strong_open" else "I"
            elif token.type in {"strong_close", "em_close"}:
                style = ""
            else:
                code = token.type == "code_inline"
                self.letters(INK, 0.95 if code else 1, family="mono" if code else "sans", style="" if code else style)
                if code and self.get_string_width(token.content.split()[0]) > self.w - self.r_margin - self.x:
                    self.ln(self.row)  # otherwise it would be divided between any two letters
                self.write(self.row, token.content or " " * token.type.endswith("break"))
        self.ln(self.row * 1.4)

    def rows(self, tokens: Iterator[Token]) -> None:
        """Draw a table up to its end, with columns as wide as their texts where there is room."""
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append("".join(one.content for one in token.children or ()))
        self.letters(INK)
        gap = 4.0
        columns = [*zip(*rows, strict=True)]
        least = [gap + max(self.get_string_width(word) for cell in one for word in cell.split()) for one in columns]
        whole = [gap + max(map(self.get_string_width, one)) for one in columns]
        share = min(1.0, (self.epw - sum(least)) / max(sum(whole) - sum(least), 1e-9))
        widths = [low + share * (high - low) for low, high in zip(least, whole, strict=True)]
        with self.table(
            rows,
            align="LEFT",
            text_align="LEFT",
            borders_layout="SINGLE_TOP_LINE",
            col_widths=widths,
            width=min(sum(widths), self.epw),
            line_height=self.row,
            headings_style=FontFace(color=BLUE, emphasis=""),
        ):
            pass
        self.ln(self.row * 0.5)


if __name__ == "__main__":
    for path, content in pages():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
