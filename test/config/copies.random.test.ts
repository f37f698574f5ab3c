import { expect, test } from "vitest";
import { parseSource, type SourceFile } from "../../src/config/source.js";
import { readAlike } from "../../src/config/syntax.js";
import type { Path } from "../../src/model/item.js";
import { isList, isObject, type Json } from "../../src/model/json.js";
import type { Problem, Result, Span } from "../../src/model/problem.js";
import { fc, runs, untilMet } from "../support/random.js";

/** Few of each, so that many sections are alike: the lines below a key, with two blanks for each level from there. */
const BODIES = [
  ["  - description: a", "    action: log", "    value: {script-src: ['*.example'], img-src: [b]}"],
  ["- description: a", "  action: log"],
  ["- description: a", "", "  action: allow # why", "# at the column of the key", "- b"],
  ["  enabled: true"],
  ["  text: |", "    one", "      two", ""],
  ["  text: |+", "    one", "", ""],
  ["  text: >-", "    folded", "    on", "", "    two lines"],
  ["  plain words", "  on two lines"],
  ['  "in quotes', "", '  on three"'],
  ['  text: "in quotes', ' less deep"'],
  ['  "opened'],
  ['  closed"', "  other: 1"],
  ["  'it''s # no comment'"],
  ["  [one,", "   two, {three: four}]"],
  ["  [one,", "  two"],
  ["  # nothing but a comment"],
  ["  # zoneward: accept csp_wide until 2099-01-01: why", "  - description: a"],
  ["  - destination_conf: s3://bucket?secret=hidden", "    name: hidden"],
  ["  - name: x", "    destination_conf: >", "      s3://bucket?secret=hidden"],
  ["  - *elsewhere"],
  ["  - !!str 12", "  - 1e999"],
  ["  a: 1", "  a: 2"],
  ["  << : {a: 1}"],
  ["\t- tab"],
  ["  a: 1", " b: between"],
  ["   - odd", "   - indent"],
  ["  a:", "    b:", "      c:", "        - d: [e]"],
  ["  - \u2028"],
  ["  ? complex", "  : key"],
  ["  é: ü", "  😀: [💥]"],
  ["--- another"],
  ["  [], settings: {enabled: true}", "  }"],
  ["-foo: 1", "bar: 2"],
  [""],
];

/** What may be the same in two items of a list but for words: their lines, with two blanks for each level. */
const ITEMS: readonly ((one: string, other: string) => readonly string[])[] = [
  (one, other) => [`- description: ${one}`, `  action: ${other}`],
  (one, other) => [`- page: ${one}`, `  scripts: {allowed: [${other}, ${one}], blocked: ["${other}"]}`],
  (one) => [`- ${one}`],
  (one, other) => [`- "${one}"`, `- '${other}'`],
  (one, other) => [`- {name: ${one}, destination_conf: ${other}}`],
  (one, other) => [`- destination_conf: ${one}`, `  name: ${other} # why`],
  (one, other) => [`- destination_conf: "${one}"`, `  name: '${other}'`],
  (one, other) => ["- text: |", `    ${one}`, `    key: ${other}`],
  (one, other) => [`- a: ${one}`, "  b: >-", `    ${other}`, ""],
  (one, other) => [`- key: ${one}`, `    ${other}`],
  (one, other) => [`- text: "${one}`, `    key: ${other}"`],
  (one, other) => [`- {"${one}": ${other}, b: {${one}, c}}`],
  (one, other) => ["-", `  a: ${one}`, `  b: ${other}`],
  (one, other) => ["# zoneward: accept csp_wide until 2099-01-01: why", `- a: ${one}`, `  b: ${other}`],
  (one, other) => [`- - ${one}`, `  - ${other}`],
  (one, other) => [`- a: [${one},`, `    ${other}]`, "  b: {", `    c: ${one}, d`, "  }"],
  (one, other) => [`- ${one}: ${other}`, "", "# at the dash"],
  (one, other) => [`- ? ${one}`, `  : ${other}`],
  (one, other) => [`- {${one}, c: ${other}}`],
  (one) => ["- a: [", `    ${one}`, "  ]"],
  (one, other) => ["- a: [", `    ${one},`, `    ${other}`, "  ]"],
  (one, other) => ["- {", `    a: ${one},`, `    b: ${other}`, "  }"],
  (one, other) => [`- ["${one}"]`, `- ['${other}']`],
  (one, other) => [`-  a: ${one}`, `   a: ${other}`],
];

/** Mostly one of the first of them. */
const WORDS =
  'a|b.example|https://x.example/a:b?c=d|/p|a b|starts_with(path, "/a") or b|it\'\'s|at\'\'s|null|True|12|1e3|~||a: b|a :b|a #b|a#b|a:|x,y|- c|[d]|{e: f}|\'q\'|"q"|$r|${secret:A}|é|a  b|a\tb|s3://b?secret=hidden|a]|a}|a"b|a\\|!t|a, b|a[b|a, "destination_conf":s3://b?secret=hidden|b,|  '.split(
    "|",
  );
const EASY = 8;

/** A list of a few items, most of which are alike but for words. */
const list = fc
  .uniqueArray(fc.constantFrom(...ITEMS), { minLength: 1, maxLength: 2 }) // of few shapes, so that many are alike
  .chain((shapes) =>
    fc.array(
      fc.tuple(fc.constantFrom(...shapes), word(), word()).map(([shape, one, other]) => shape(one, other)),
      { minLength: 2, maxLength: 4 },
    ),
  )
  .map((items) => items.flat().map((line) => (line === "" ? "" : `  ${line}`)));

function word(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...WORDS.slice(0, EASY)) },
    { weight: 1, arbitrary: fc.constantFrom(...WORDS) },
  );
}

/** An alias means the last anchor of its name before it. */
const ALIASING = [["  - &shared a", "  - *shared"], ["  - &shared b"], ["  - *shared"]];

const KEYS = ["policies:", "settings:", "logpush_jobs:", '"tests":', "destination_conf:", "policies: # why"];
const WHOLE = [
  "id: abc",
  "prune: [policies]",
  "extends:",
  "policies: []",
  "# zoneward: accept",
  "- item",
  "?",
];

/** What a zone may have in lines that are whole, so that it may be the same as another one but for words. */
const LINES: readonly ((one: string, other: string) => string)[] = [
  (one) => `id: "${one}"`,
  (one) => `id: ${one}`,
  (one, other) => `extends: [${one}, ${other}]`,
  (one) => `destination_conf: ${one}`,
  (one, other) => `vars: {a: '${one}', destination_conf: ${other}} # why`,
  // As a key is written that only the parser reads.
  (one) => `vars: {"destination\\U0000005fconf": ${one}}`,
  (one) => `text: "${one}\n    ${one}"`,
  () => "# zoneward: accept csp_wide until 2099-01-01: why",
];

const lines = fc.uniqueArray(fc.constantFrom(...LINES), { minLength: 1, maxLength: 2 }).chain((shapes) =>
  fc.array(
    fc
      .tuple(fc.constantFrom(...shapes), word(), word())
      .map(([shape, one, other]): [string, string[]] => [shape(one, other), []]),
    { minLength: 2, maxLength: 4 },
  ),
);

/** The lines of a zone, from the column of its sections: of a few of these, so that one stands below several keys. */
const pool = fc
  .oneof(
    { weight: 6, arbitrary: fc.uniqueArray(fc.constantFrom(...BODIES), { minLength: 1, maxLength: 2 }) },
    { weight: 6, arbitrary: fc.array(list, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constant(ALIASING) },
  )
  .chain((bodies) => {
    const whole = fc.tuple(fc.constantFrom(...WHOLE), fc.constant<string[]>([]));
    const section = fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...bodies));
    const either = fc.oneof({ weight: 6, arbitrary: section }, { weight: 1, arbitrary: whole });
    return fc.oneof(
      { weight: 2, arbitrary: fc.array(either, { minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: lines },
    );
  });

/** A few sections, of which most zones have the same ones. */
const file = fc
  .record({
    pool,
    zoneIndent: fc.constantFrom(1, 2, 2, 2, 4),
    head: fc.constantFrom("", "version: 1\n", "# a fleet\n\n", "x: &elsewhere 1\n", 'x: "zones:\n  a"\n'),
    opening: fc.constantFrom(
      "zones:",
      "zones:",
      "zones:",
      "zones:  # all",
      "zones: {}",
      "zones:\n\n  # first",
    ),
    tail: fc.constantFrom(
      "",
      "templates:\n  t:\n    settings:\n      enabled: true\n",
      "# end\n",
      "...\n",
      "x",
    ),
    lineEnd: fc.constantFrom("\n", "\n", "\n", "\r\n"),
    isCut: fc.constantFrom(false, false, false, true),
  })
  .chain((shape) =>
    fc
      .array(
        fc.record({
          sectionIndent: fc.constantFrom(1, 2, 2, 2, 2, 2, 2, 3),
          name: fc.constantFrom(
            "a.example",
            "b.example",
            "c.example",
            '"d.example"',
            "e.example",
            "f.example",
          ),
          beside: fc.constantFrom("", "", "", "", "", " # why", " {}", " {", "\n# comment", "\n  # comment"),
          picks: fc.array(fc.nat(shape.pool.length - 1), { minLength: 1, maxLength: 2 }),
        }),
        { minLength: 2, maxLength: 5 },
      )
      .map((zones) => ({ ...shape, zones })),
  );

type Shape = typeof file extends fc.Arbitrary<infer T> ? T : never;

function textOf({ pool, zoneIndent, head, opening, tail, lineEnd, isCut, zones }: Shape): string {
  const lines = zones.flatMap(({ sectionIndent, name, beside, picks }) => [
    `${" ".repeat(zoneIndent)}${name}:${beside}`,
    ...picks.flatMap((pick) => {
      const [key = "", body = []] = pool[pick] ?? [];
      const deeper = " ".repeat(zoneIndent + sectionIndent);
      return [`${deeper}${key}`, ...body.map((line) => (line === "" ? "" : `${deeper}${line}`))];
    }),
  ]);
  const text = `${head}${opening}\n${lines.join("\n")}\n${tail}`.replaceAll("\n", lineEnd);
  return isCut ? text.slice(0, -lineEnd.length) : text;
}

test("a file in which zones, their sections, or items of these are alike is read as it would be one by one", async () => {
  await untilMet(
    {
      alike: runs(400),
      "alike and fine": runs(200),
      "not alike": runs(400),
      wrong: runs(400),
      "alike but for words": runs(200),
      "zones that are alike": runs(100),
      "zones that are alike but for words": runs(100),
    },
    (met) =>
      fc.property(file, (shape) => {
        const text = textOf(shape);
        const read = parseSource("f.yaml", text);
        met(readAlike(text) === null ? "not alike" : "alike");
        met(read.ok ? "fine" : "wrong");
        const alike = readAlike(text);
        if (alike !== null && read.ok) met("alike and fine");
        const copies = read.ok ? [...(alike?.copied.values() ?? [])] : [];
        if (copies.some(({ words }) => words.size > 0)) met("alike but for words");
        const zones = copies.filter(({ as }) => as === "zone");
        if (zones.length > 0) met("zones that are alike");
        if (zones.some(({ words }) => words.size > 0)) met("zones that are alike but for words");
        // In quotes the key is the same one, and nothing below it is looked at for being alike.
        expect(told(read, text)).toEqual(
          told(parseSource("f.yaml", text.replace(OPENING, '"zones":')), text),
        );
      }),
    runs(4_000),
  );
});

const OPENING = /^zones:/m;

/** All that is known of a file: its values, each with its places, or what is wrong. */
function told(read: Result<SourceFile>, text: string): unknown {
  const line = text.slice(0, OPENING.exec(text)?.index ?? 0).split("\n").length;
  const place = (at: Span | null) =>
    at?.line === line ? { line, pointer: at.pointer, text: at.text.replace('"zones":', "zones:") } : at;
  const problem = ({ at, ...rest }: Problem) => ({ ...rest, at: place(at) });
  if (!read.ok) return read.problems.map(problem);
  const { value, span, problems, acceptances } = read.value;
  const places = pathsIn(value).map((path) => [
    path,
    place(span(path)),
    place(span(path, "key")),
    place(span(path, "value", 3)),
  ]);
  return {
    value,
    places,
    problems: problems.map(problem),
    acceptances: acceptances.map(({ at, ...rest }) => [rest, place(at)]),
  };
}

function pathsIn(value: Json, at: Path = []): readonly Path[] {
  const below = isList(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return [at, ...below.flatMap(([step, each]) => pathsIn(each, [...at, step]))];
}
