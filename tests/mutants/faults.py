"""Random faults: the slips that people make, in any line of the program."""

import ast
import random
import re
from collections import defaultdict
from typing import NamedTuple

OTHER_COMPARISON: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
OTHER_OPERATOR: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
IN_ANY_ORDER = frozenset({"max", "min", "suppress"})
OTHER_FUNCTION = {"min": "max", "max": "min", "any": "all", "all": "any"}
OTHER_METHOD = {
    "startswith": "endswith",
    "endswith": "startswith",
    "partition": "rpartition",
    "rpartition": "partition",
    "split": "rsplit",
    "find": "rfind",
    "rfind": "find",
    "add": "discard",
    "lstrip": "rstrip",
    "rstrip": "lstrip",
    "or_": "and_",
    "and_": "or_",
    "asc": "desc",
    "desc": "asc",
    "fullmatch": "match",
    "match": "search",
}
LEFT_OUT = frozenset(
    {"where", "order_by", "limit", "offset", "distinct", "join", "outerjoin", "group_by", "having"}
    | {"with_for_update", "strip", "lstrip", "rstrip", "lower", "upper", "casefold", "replace"}
    | {"removeprefix", "removesuffix", "astimezone"}
)
"""Links of a chain of calls that may be forgotten, and something still comes out."""

CONDITIONS = frozenset({"where", "and_", "or_", "filter_by"})
"""Calls whose words each count for themselves."""

SAME_ANYHOW = frozenset(
    {"tuple", "list", "iter", "cast", "frozenset", "enumerate", "print", "len", "range"}
)
"""Calls that nobody forgets, or of which it is mostly not seen whether they were made."""
LARGE = 1000
"""A number from which on one more or less is nothing that anybody sees."""

ALIKE = frozenset({"encoding", "strict"})
"""What a call may be told and do the same: texts are UTF-8 where tests run, and pairs whole."""

UNSEEN = frozenset({"annotation", "returns", "decorator_list", "bases", "type_params"})
UNTOUCHED = (ast.Import, ast.ImportFrom, ast.Raise, ast.Assert, ast.Global, ast.Nonlocal)


class Fault(NamedTuple):
    """What is put into a text in place of the bytes from ``start`` to ``stop``."""

    line: int
    start: int
    stop: int
    changed: str

    def put_into(self, text: str) -> str:
        """Return the text with the fault."""
        raw = text.encode()
        return (raw[: self.start] + self.changed.encode() + raw[self.stop :]).decode()


def faults_of(text: str) -> list[Fault]:
    """Return what may be put into a file, in the order of its lines; some changes nothing."""
    finder = _Finder(text)
    finder.visit(finder.tree)
    return sorted(set(finder.found))


def chosen(text_of: dict[str, str], count: int, seed: str) -> list[tuple[str, Fault]]:
    """Return so many random faults in these files: a random line first, then one of its faults."""
    chance = random.Random(seed)
    by_line: dict[tuple[str, int], list[Fault]] = defaultdict(list)
    for file, text in sorted(text_of.items()):
        for fault in faults_of(text):
            by_line[file, fault.line].append(fault)
    faults: list[tuple[str, Fault]] = []
    for file, line in chance.sample(sorted(by_line), len(by_line)):
        fault = chance.choice(by_line[file, line])
        if len(faults) < count and _is_another_program(text_of[file], fault):
            faults.append((file, fault))
    return faults


def _is_words(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _is_plain(node: ast.expr) -> bool:
    """Tell whether this is a name, or a part of what one stands for: easily taken for another."""
    return isinstance(node, ast.Name | ast.Attribute)


def _members(tree: ast.Module) -> dict[str, list[str]]:
    """Return which names of each class a file speaks of, as of an enumeration."""
    found: dict[str, list[str]] = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found[node.value.id].append(node.attr)
    return {
        name: sorted(member for member in {*members} if member.isupper())
        for name, members in found.items()
    }


def _is_another_program(text: str, fault: Fault) -> bool:
    try:
        changed = ast.parse(fault.put_into(text))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(text))


class _Finder(ast.NodeVisitor):
    """Walks a file and notes the faults of each place; words and annotations are left alone."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.raw = text.encode()
        self.begins = [0]
        for line in self.raw.splitlines(keepends=True):
            self.begins.append(self.begins[-1] + len(line))
        self.found: list[Fault] = []
        self.names: list[dict[str, str]] = []
        self.members = _members(self.tree)

    def generic_visit(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if name not in UNSEEN and not isinstance(node, UNTOUCHED):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.visit(child)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Note what it may be called with: a name is easily taken for another of its type."""
        arguments = [*node.args.args, *node.args.kwonlyargs]
        types = {each.arg: self._text(each.annotation) for each in arguments if each.annotation}
        self.names.append(types)
        self.generic_visit(node)
        self.names.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the name that ast asks for

    def visit_arguments(self, node: ast.arguments) -> None:
        """Leave what a command's word has without one: the command line always gives a value."""
        declared = [argument.annotation for argument in (*node.args, *node.kwonlyargs)]
        if not any(hint and self._text(hint).startswith("Annotated[") for hint in declared):
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Leave the same of a command's options that stand together."""
        if not self._text(node.annotation).startswith("Annotated["):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """Leave out a check, or do always what it keeps for some."""
        is_needless = all(map(self._looks_for_garbage, node.body))
        if "TYPE_CHECKING" not in self._text(node.test) and not is_needless:
            self._put(node.test, "True", "False")
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Drop what a value in it is passed through: places inside are not known before 3.12."""
        for found in re.finditer(rb"\{[\w.]+\(([\w.]+)\)\}", self.raw[self._span(node)]):
            at = self._span(node).start
            changed = f"{{{found[1].decode()}}}"
            self.found.append(Fault(node.lineno, at + found.start(), at + found.end(), changed))

    def visit_Compare(self, node: ast.Compare) -> None:
        """Move a boundary."""
        if len(node.ops) == 1:
            self._exchange(node.left, node.comparators[0], OTHER_COMPARISON[type(node.ops[0])])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Exchange and with or, or leave out a condition."""
        words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self._exchange(node.values[0], node.values[1], words)
        for left_out in node.values:
            kept = [f"({self._text(value)})" for value in node.values if value is not left_out]
            self._put(node, f"({f' {words[0]} '.join(kept)})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Drop a not or a minus."""
        self._put(node, f"({self._text(node.operand)})")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Take one of two values always."""
        self._put(node, f"({self._text(node.body)})", f"({self._text(node.orelse)})")
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Let through what was filtered."""
        for condition in node.ifs:
            self._put(condition, "True")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Reckon otherwise, or with the first alone."""
        if not _is_words(node.left):
            if type(node.op) in OTHER_OPERATOR:
                self._exchange(node.left, node.right, OTHER_OPERATOR[type(node.op)])
            self._put(node, f"({self._text(node.left)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Be off by one, or have a flag the wrong way round."""
        if isinstance(node.value, bool):
            self._put(node, str(not node.value))
        elif isinstance(node.value, int):
            near = (
                {node.value + 1, max(node.value - 1, 0)} if node.value < LARGE else {node.value * 2}
            )
            self._put(node, *map(str, near - {node.value}))

    def visit_Expr(self, node: ast.Expr) -> None:
        """Forget to do it; without a search for garbage all is the same, only later or sooner."""
        if self._looks_for_garbage(node):
            return
        if isinstance(node.value, ast.Call | ast.Yield | ast.YieldFrom):
            self._put(node, "pass")
        if match := re.fullmatch(r"(?s)(.+)\.setdefault\((.+?), (.+)\)", self._text(node)):
            self._put(node, f"{match[1]}[{match[2]}] = {match[3]}")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Forget to put something down, or to make something else of what was there."""
        target = node.targets[0]
        names = {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
        is_again = isinstance(target, ast.Name) and target.id in names
        if isinstance(target, ast.Attribute | ast.Subscript) or is_again:
            self._put(node, "pass")
        if self._text(target) not in {"__slots__", "__all__"}:
            self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue | ast.Break) -> None:
        """Go on where it would end here."""
        self._put(node, "pass")

    visit_Break = visit_Continue  # noqa: N815 - the name that ast asks for

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Forget one of the errors that are expected."""
        if isinstance(node.type, ast.Tuple):
            for left_out in node.type.elts:
                kept = [self._text(each) for each in node.type.elts if each is not left_out]
                self._put(node.type, f"({', '.join(kept)},)")
        for each in node.body:
            self.visit(each)

    def visit_Set(self, node: ast.Set | ast.List) -> None:
        """Forget one of what is listed."""
        for left_out in node.elts if len(node.elts) > 1 else ():
            kept = [self._text(each) for each in node.elts if each is not left_out]
            opened, closed = self._text(node)[0], self._text(node)[-1]
            self._put(node, f"{opened}{', '.join(kept)}{closed}")
        self.generic_visit(node)

    def visit_List(self, node: ast.List) -> None:
        """Forget one of what is listed, but not where a list is taken to pieces."""
        if isinstance(node.ctx, ast.Load):
            self.visit_Set(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        """Forget one of the rows of a table."""
        rows = [
            f"{self._text(key)}: {self._text(value)}" if key else f"**{self._text(value)}"
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        for place in range(len(rows)) if len(rows) > 1 else ():
            self._put(node, f"{{{', '.join(rows[:place] + rows[place + 1 :])}}}")
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Take the last for the first, or all for a part."""
        at = node.slice
        if isinstance(node.ctx, ast.Load):
            if isinstance(at, ast.Slice):
                self._put(node, f"({self._text(node.value)})")
            elif self._text(at) in {"0", "-1"}:
                self._put(node, f"{self._text(node.value)}[{-1 if self._text(at) == '0' else 0}]")
        self.generic_visit(node)

    def _looks_for_garbage(self, node: ast.stmt) -> bool:
        return self._text(node).startswith("gc.")

    def visit_keyword(self, node: ast.keyword) -> None:
        """Look only at what makes a difference."""
        if node.arg not in ALIKE:
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Put down the last alone in place of all together."""
        self._put(node, f"{self._text(node.target)} = {self._text(node.value)}")
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """Take another parameter of the function that is of the same type."""
        types = self.names[-1] if self.names else {}
        if isinstance(node.ctx, ast.Load) and node.id in types:
            alike = [name for name, of_type in types.items() if of_type == types[node.id]]
            self._put(node, *(other for other in alike if other != node.id))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Take the one side for the other, or one member of a list of names for its neighbour."""
        if isinstance(node.ctx, ast.Load) and node.attr in {"other", "opponent"}:
            self._put(node, self._text(node.value))
        if isinstance(node.value, ast.Name):
            of = node.value.id
            others = [name for name in self.members.get(of, ()) if name != node.attr]
            if node.attr.isupper():
                self._put(node, *(f"{of}.{name}" for name in others))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Forget a word, exchange two, leave the call out, or make its neighbour."""
        function = self._text(node.func)
        name = function.rpartition(".")[2]
        if function == "TypeVar":
            return  # it is for those who read types
        words = [self._text(word) for word in node.args]
        named = [self._text(word) for word in node.keywords]
        self._words(node, function, words, named)
        if isinstance(node.func, ast.Attribute):
            owner = self._text(node.func.value)
            if name in LEFT_OUT:
                self._put(node, owner)
            if name in OTHER_METHOD and (name != "split" or len(words) + len(named) > 1):
                self._put(node, f"{owner}.{OTHER_METHOD[name]}({', '.join((*words, *named))})")
        elif function in OTHER_FUNCTION:
            self._put(node, f"{OTHER_FUNCTION[function]}({', '.join((*words, *named))})")
        elif function == "sorted" and not any(word.startswith("reverse") for word in named):
            self._put(node, f"sorted({', '.join((*words, *named, 'reverse=True'))})")
        self.generic_visit(node)

    def _words(self, node: ast.Call, function: str, words: list[str], named: list[str]) -> None:
        """Forget a word of a call, or exchange two."""
        for left_out in [self._text(word) for word in node.keywords if word.arg not in ALIKE]:
            kept = [word for word in (*words, *named) if word != left_out]
            self._put(node, f"{function}({', '.join(kept)})")
        if len(words) > 1:
            if function not in IN_ANY_ORDER and all(map(_is_plain, node.args[:2])):
                self._put(
                    node, f"{function}({', '.join((words[1], words[0], *words[2:], *named))})"
                )
            self._put(node, f"{function}({', '.join((*words[:-1], *named))})")
            for left_out in words[:-1] if function.rpartition(".")[2] in CONDITIONS else ():
                kept = [word for word in words if word != left_out]
                self._put(node, f"{function}({', '.join(kept)})")
        is_alone = len(words) == 1 and not named and not words[0].startswith("*")
        if is_alone and function.islower() and function not in SAME_ANYHOW and "." not in function:
            self._put(node, f"({words[0]})")

    def _exchange(self, left: ast.expr, right: ast.expr, words: tuple[str, str]) -> None:
        """Change the operator that stands between two operands."""
        start, stop = self._span(left).stop, self._span(right).start
        pattern = re.escape(words[0]).replace(r"\ ", r"\s+")
        text = self.raw[start:stop].decode()
        if len(re.findall(pattern, text)) == 1:
            self.found.append(Fault(left.lineno, start, stop, re.sub(pattern, words[1], text)))

    def _put(self, node: ast.expr | ast.stmt, *changed: str) -> None:
        span = self._span(node)
        self.found += [Fault(node.lineno, span.start, span.stop, text) for text in changed]

    def _span(self, node: ast.expr | ast.stmt | ast.keyword) -> slice:
        if node.end_lineno is None or node.end_col_offset is None:
            raise ValueError(f"Where does this end? {ast.dump(node)}")
        return slice(
            self.begins[node.lineno - 1] + node.col_offset,
            self.begins[node.end_lineno - 1] + node.end_col_offset,
        )

    def _text(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        return self.raw[self._span(node)].decode()
