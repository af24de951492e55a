"""Source files in several languages, and diffs of them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sim.workload.synthetic.text.draft import Draft, fill
from sim.workload.synthetic.text.project import Project, language_of
from sim.workload.synthetic.text.words import EXCEPTIONS, NOUNS, TYPES, VERBS

_HEADS = {
    "python": '"""{N} handling for {p}."""\n\nfrom __future__ import annotations\n\nimport logging\n'
    "from dataclasses import dataclass\n\nfrom {p}.{m} import {M}, {v}_{m}\n\nlog = logging.getLogger(__name__)\n",
    "typescript": 'import {{ {M} }} from "../{m}/{v}_{m}";\nimport type {{ {N} }} from "../types";\n',
    "go": 'package {n}\n\nimport (\n\t"context"\n\t"fmt"\n\t"time"\n\n\t"example.com/{p}/{m}"\n)\n',
    "rust": "use std::collections::HashMap;\n\nuse crate::{m}::{{{M}, {M}Error}};\n",
    "java": "package com.example.{p}.{n};\n\nimport java.time.Duration;\nimport java.util.List;\n"
    "import java.util.Optional;\n",
    "sql": "-- {n} {m} report\nBEGIN;\n",
    "yaml": "# settings of {n} and {m}\nversion: {k}\n",
}
_BLOCKS = {
    "python": (
        'def {v}_{n}({m}: {t}, limit: int = {k}) -> {t}:\n    """{V} the {n} of a {m}, at most `limit` at a time."""\n'
        "    {w} = {m}.{v}_{o}(limit=limit)\n    if {w} is None:\n"
        '        raise {e}(f"no {o} for {{{m}!r}}")\n'
        "    for index, {o} in enumerate({w}):\n        if {o}.{w}_count > {j}:\n"
        '            log.warning("%s has too many {w}s: %d", {o}, index)\n            continue\n'
        "        self._{n}[{o}.key] = {o}.{v}()\n    return {m}\n",
        "@dataclass(frozen=True, slots=True)\nclass {N}{M}:\n"
        '    """One {n} of the {m}, as the {o} sees it."""\n\n'
        "    {m}_id: {t}\n    {o}: {t}\n    {w}_limit: int = {j}\n    created_at: datetime | None = None\n\n"
        "    @property\n    def {v}able(self) -> bool:\n        return self.{w}_limit > 0 and self.{o} is not None\n",
        "    async def {v}_{o}(self, {m}: {N}) -> None:\n"
        "        async with self._{w}_lock:\n            {n} = await self._{m}.{v}({m}.id, timeout={j})\n"
        "            if not {n}:\n                return\n"
        '            await self._publish("{o}.{v}", {{"{m}": {m}.id, "{n}": {n}.as_dict()}})\n',
        "def test_{v}_{n}_{w}({m}_factory, tmp_path):\n    {n} = {m}_factory({o}={j}, {w}=True)\n"
        '    result = {v}_{n}({n}, path=tmp_path / "{o}.json")\n'
        '    assert result.{o} == {j}\n    assert [x.{w} for x in result.items] == ["{m}", "{n}"]\n',
    ),
    "typescript": (
        "export async function {v}{N}({m}: {M}, limit = {k}): Promise<{N}[]> {{\n"
        "  const {w} = await {m}.{v}({{ limit, {o}: true }});\n"
        "  if (!{w}.ok) {{\n    throw new Error(`cannot {v} {n}: ${{{w}.status}}`);\n  }}\n"
        "  return {w}.items.filter((item) => item.{o}Count < {j}).map((item) => ({{ ...item, {n}: {m}.id }}));\n}}\n",
        "interface {N}{O} {{\n  {m}Id: string;\n  {w}: number;\n  {o}?: {M} | null;\n  updatedAt: Date;\n}}\n",
        'describe("{n} {m}", () => {{\n  it("should {v} the {o}", async () => {{\n'
        "    const {w} = make{M}({{ {o}: {j} }});\n    await expect({v}{N}({w})).resolves.toHaveLength({k});\n"
        "  }});\n}});\n",
    ),
    "go": (
        "// {V}{N} returns the {n} of a {m}.\n"
        "func (s *{M}Store) {V}{N}(ctx context.Context, {o}ID string) (*{N}, error) {{\n"
        "\tctx, cancel := context.WithTimeout(ctx, {j}*time.Millisecond)\n\tdefer cancel()\n"
        "\t{w}, err := s.{o}.{V}(ctx, {o}ID)\n\tif err != nil {{\n"
        '\t\treturn nil, fmt.Errorf("{v} {n} %s: %w", {o}ID, err)\n\t}}\n'
        "\tif len({w}.{O}s) > {k} {{\n\t\treturn nil, Err{O}Limit\n\t}}\n\treturn &{N}{{{O}: {w}}}, nil\n}}\n",
        'type {N}{O} struct {{\n\t{M}ID string `json:"{m}_id"`\n\t{W} int `json:"{w}"`\n\tCreatedAt time.Time\n}}\n',
    ),
    "rust": (
        "/// {V} the {n} of a {m}.\npub fn {v}_{n}(&mut self, {m}: &{M}) -> Result<{N}, {M}Error> {{\n"
        "    let {w} = self.{o}s.get(&{m}.id).ok_or({M}Error::Missing{{ id: {m}.id }})?;\n"
        "    if {w}.len() > {j} {{\n        return Err({M}Error::TooMany({w}.len()));\n    }}\n"
        "    Ok({N} {{ {o}: {w}.iter().map(|x| x.{v}()).collect(), limit: {k} }})\n}}\n",
        "#[derive(Debug, Clone, PartialEq)]\npub struct {N}{O} {{\n    pub {m}_id: u64,\n"
        "    pub {w}: HashMap<String, {M}>,\n"
        "    pub {o}_limit: usize,\n}}\n",
    ),
    "java": (
        "    /** {V}s the {n} of a {m}. */\n    public Optional<{N}> {v}{N}({M} {m}, int limit) {{\n"
        "        List<{O}> {w} = {m}Repository.{v}By{O}({m}.getId(), Math.min(limit, {j}));\n"
        "        if ({w}.isEmpty()) {{\n            return Optional.empty();\n        }}\n"
        "        return Optional.of(new {N}({m}, {w}, Duration.ofMillis({k})));\n    }}\n",
    ),
    "sql": (
        "SELECT {n}.id, {n}.{m}_id, count(*) AS {o}_count, sum({w}_cents) / 100.0 AS {w}\nFROM {n}\n"
        "JOIN {m} ON {m}.id = {n}.{m}_id\nWHERE {n}.created_at >= now() - interval '{k} days' AND {m}.{o} IS NOT NULL\n"
        "GROUP BY 1, 2\nHAVING count(*) > {j}\nORDER BY {o}_count DESC;\n",
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS {n}_{m}_{o}_idx ON {n} ({m}_id, {o}) WHERE {w} > {j};\n",
    ),
    "yaml": (
        "{n}_{w}:\n  {m}: {o}\n  {v}_limit: {j}\n  retries: {k}\n  hosts:\n"
        "    - {o}-01.internal\n    - {o}-02.internal\n  when: always\n",
    ),
}


def _fields(r: random.Random, project: Project) -> dict[str, object]:
    random_, names = r.random, project.modules
    n, m = names[int(random_() * len(names))], names[int(random_() * len(names))]
    o, w = NOUNS[int(random_() * len(NOUNS))], NOUNS[int(random_() * len(NOUNS))]
    v = VERBS[int(random_() * len(VERBS))]
    k = int(random_() * 1_000)
    return {
        "n": n, "m": m, "o": o, "w": w, "v": v, "N": n.capitalize(), "M": m.capitalize(), "O": o.capitalize(),
        "W": w.capitalize(), "V": v.capitalize(), "k": k % 97 + 2, "j": k, "t": TYPES[k % len(TYPES)],
        "e": EXCEPTIONS[k % len(EXCEPTIONS)], "p": project.package,
    }  # fmt: skip


def source_lines(r: random.Random, chars: int, project: Project, language: str) -> list[str]:
    """Lines of a source file: blocks with blank lines between."""
    blocks = _BLOCKS[language]
    lines = _HEADS[language].format(**_fields(r, project)).splitlines(keepends=True)

    def make(n: int) -> Iterator[str]:
        for _ in range(max(1, n // 9)):
            yield "\n"
            yield from blocks[int(r.random() * len(blocks))].format(**_fields(r, project)).splitlines(keepends=True)

    lines.extend(fill(max(0, chars - sum(map(len, lines))), make, sample=9))
    return lines


def source_file(r: random.Random, chars: int, project: Project) -> Draft:
    """A file as a read tool returns it: numbered lines."""
    path = project.at or project.file(r)
    lines = source_lines(r, int(chars * 0.85), project, language_of(path))
    return Draft("", [f"{i + 1:>6}|{line}" for i, line in enumerate(lines)], "")


def diff(r: random.Random, chars: int, project: Project) -> Draft:
    """`git diff` output."""

    def make(n: int) -> Iterator[str]:
        for index in range(max(1, n // 24)):
            path = project.at if project.at and index == 0 else project.file(r)
            yield f"diff --git a/{path} b/{path}\n"
            yield f"index {r.getrandbits(28):07x}..{r.getrandbits(28):07x} 100644\n"
            yield f"--- a/{path}\n+++ b/{path}\n"
            start = r.randint(1, 500)
            yield f"@@ -{start},{r.randint(6, 20)} +{start},{r.randint(6, 24)} @@\n"
            for line in source_lines(r, 500, project, language_of(path))[-14:]:
                yield f"{r.choice('    +-+')}{line}"

    return Draft("", fill(chars, make, 24), "")
