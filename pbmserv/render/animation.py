"""A game that plays itself: one SVG, without a script, of every turn and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbmserv.club.written_text import escape_html
from pbmserv.render.geometry import geometry_of
from pbmserv.render.svg import (
    CLASS,
    LINE,
    PLAIN_FRAME,
    STONES,
    bead,
    description,
    ground_parts,
    links,
    parts_on,
    size_words,
    svg_file,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pbmserv.engine.position import Move, Position
    from pbmserv.engine.record import Record
    from pbmserv.render.blocks import BoardPicture
    from pbmserv.render.geometry import BoardGeometry

STEP = 0.65
"""Seconds from a turn to the next."""

RULES = """\
.t{opacity:0;animation:in .2s both}.m{opacity:0;animation:now %gs}
.f{animation:out .4s both}.l{animation:late .4s both}
@keyframes in{to{opacity:1}}@keyframes now{0%%,99.9%%{opacity:1}}
@keyframes out{to{opacity:0}}@keyframes late{from{opacity:0}}
@media(prefers-reduced-motion:reduce){.f{display:none}.l{animation:none}}
.sc{text-anchor:middle}.le{text-anchor:end}.ri{text-anchor:start}
"""
"""Shows a turn from its time on, then the last picture; at once if no motion is wanted."""


LAYERS = ("around", "below", "above", "stones", "said")
"""What is drawn above what, over all turns: the rims of cords below every cord."""


def animation(block: BoardPicture, record: Record[Any]) -> str:
    """Return the game as an SVG document; who sees no motion sees how it stands at the end."""
    game, ground, picture = record.game, geometry_of(record.game), block.draw()
    box = ground.box()
    middle, base = box.left + box.width / 2, box.top + box.height + LINE

    def said(words: str, more: str = "", *, x: float = middle, line: int = 0) -> str:
        # Letters are about 0.55 as wide as they are high.
        size = min(11, box.width / (0.55 * max(len(words), 1)))
        at = f'x="{x:.1f}" y="{base + line * 1.2 * LINE:.1f}" style="font-size:{size:.1f}px"'
        return f'<text class="lg sc {more}" {at}>{escape_html(words)}</text>'

    layers: dict[str, list[str]] = {name: [] for name in LAYERS}
    layers["around"] += map(bead, game.ownership(game.start()).externals, ground.rim)
    worth = ""
    for number, move in enumerate(record.moves, 1):
        before, after = record.positions[number - 1 : number + 1]
        for name, part in _turn(number, move, before, after, ground):
            layers[name].append(part)
        score = game.score(after)
        worth = move.text if score.is_undecided else " : ".join(map(str, score.points.values()))
        layers["said"].append(said(worth, f"m d{number}"))
    if record.outcome is not None:
        worth = " : ".join(map(str, (record.points or {}).values()))
    names = (
        f'<circle class="bd x" cx="{middle - 32:.1f}" cy="{base - 4:.1f}" r="6"/>'
        f'<circle class="bd o" cx="{middle + 32:.1f}" cy="{base - 4:.1f}" r="6"/>'
        + said(block.caption.x or "X", "le", x=middle - 43)
        + said(block.caption.o or "O", "ri", x=middle + 43)
    )
    closing = said(worth) + said(block.caption.standing.split("\n")[-1], line=1)
    shown = "".join(f"<g>{''.join(parts)}</g>" for parts in layers.values())
    last = "".join(parts_on(picture, ground, PLAIN_FRAME))
    count = record.ply + 3
    delays = "".join(f".d{n}{{animation-delay:{n * STEP:.4g}s}}" for n in range(count))
    taller = box._replace(height=box.height + 3 * LINE)
    start = f'<svg {size_words(taller)} role="img" aria-label="{escape_html(picture.title)}">'
    return svg_file(
        f"{start}<desc>{escape_html(description(picture))}</desc>{STONES}"
        f"<style>{RULES % STEP}{delays}</style>{ground_parts(game, has_labels=True)}{names}"
        f'<g class="f d{count - 1}">{shown}</g><g class="l d{count - 1}">{last}{closing}</g></svg>'
    )


def _turn(
    number: int, move: Move, before: Position, after: Position, ground: BoardGeometry
) -> Iterator[tuple[str, str]]:
    """Yield what a turn adds, each part with its layer: below are rims, and cords above them."""
    side, when = before.to_move, f"t d{number}"
    kind = CLASS[side]
    old = ground.game.ownership(before).externals
    for external, was, middle in zip(
        ground.game.ownership(after).externals, old, ground.rim, strict=True
    ):
        if external.sides != was.sides:
            yield "around", f'<g class="{when}">{bead(external, middle)}</g>'
    if not move.cells:
        return
    mine = {cell for cell, stone in enumerate(after.stones) if stone == side.stone}
    joined = links(ground, mine, with_one_of=move.cells)
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in map(ground.middles.__getitem__, move.cells))
    wide = f'stroke-width="{2 * ground.radius + 2:.1f}"'
    if joined:
        yield "below", f'<path class="r{kind} {when}" d="{joined}"/>'
        yield "above", f'<path class="c{kind} {when}" d="{joined}"/>'
    yield "below", f'<path class="d{kind} {when}" {wide} d="{dots}"/>'
    for cell in move.cells:
        x, y = ground.middles[cell]
        at = f'cx="{x:.1f}" cy="{y:.1f}"'
        yield "stones", f'<circle class="{kind} {when}" {at} r="{ground.radius:.1f}"/>'
        dot = f'<circle class="l{kind} m d{number}" {at} r="{ground.radius * 0.34:.1f}"/>'
        yield "said", dot
