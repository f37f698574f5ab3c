import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { kinds } from "../../src/kinds/index.js";
import { type Kind, rulesAt } from "../../src/kinds/kind.js";
import { hindrancesOf } from "../../src/kinds/switched-on.js";
import type { Item } from "../../src/model/item.js";
import { equal, type JsonObject, without } from "../../src/model/json.js";
import type { Sealed, SealedObject } from "../../src/model/sealed.js";
import type { Witness } from "../../src/model/strength.js";
import { effectOf, shifts, withHindrances } from "../../src/strength/index.js";
import { itemOf } from "../support/item-of.js";
import { mirrored } from "./mirrored.js";
import { isConfirmed } from "./stopped-by.js";

interface Told {
  readonly is: string;
  /** The differences from the kind's `from`; null: the object does not exist. */
  readonly before?: SealedObject | null;
  readonly after?: SealedObject | null;
  readonly effect: string;
  readonly why?: readonly string[];
  readonly blocking?: readonly string[];
  readonly witness?: readonly string[];
}

interface Table {
  readonly from: SealedObject;
  /** The number of rules with each tag. */
  readonly rules?: { readonly [tag: string]: number };
  readonly changes: readonly Told[];
}

const text = readFileSync(new URL("single-changes.yaml", import.meta.url), "utf8");
const tables = parse(text) as { readonly [kind: string]: Table }; // the head of the file describes them
const tried = kinds.flatMap((kind) => {
  const table = tables[kind.name];
  return table === undefined ? [] : [{ kind, table }];
});
const cases = tried.flatMap(({ kind, table }) =>
  table.changes.map((told) => ({ name: `${kind.name}: ${told.is}`, kind, table, told })),
);

type State = SealedObject | null;
type Strengths = Kind["dimensions"];

function compare(kind: Kind, table: Table, before: State, after: State, of?: Strengths) {
  const judged = rulesAt(kind)?.judged;
  const strengths = judged?.by === "rule" ? besideJudged(kind, of) : of;
  const strengthOf = (normal: State) => (normal && strengths?.({ ...LIVE, normal }, aroundOf(table))) ?? {};
  return [
    ...(judged?.by === "rule" ? judged.shifts(before, after, "shop.example.com", []) : []),
    ...shifts(strengthOf(before), strengthOf(after)),
  ];
}

function stateIn({ from }: Table, part: State | undefined): State {
  return part === null ? null : { ...from, ...part };
}

test.each(cases)("$name", ({ kind, table, told }) => {
  const [before, after] = [stateIn(table, told.before), stateIn(table, told.after)];
  const between = (of?: Strengths) => compare(kind, table, before, after, of);
  const keeping = (normal: State) =>
    normal === null ? null : hindrancesOf(kind, { ...LIVE, normal }, null, new Map());
  const found = withHindrances(between(kind.dimensions), keeping(before), keeping(after));
  const witnesses = found.flatMap(({ witness }) => witness ?? []);
  expect({
    is: told.is,
    effect: effectOf(found),
    why: found.map(({ dimension, way, why }) => `${dimension} ${way}: ${why}`),
    blocking: [...new Set(between(kind.blocking).map(({ way }) => way))],
    witness: witnesses.map(wordsFor),
  }).toEqual({
    is: told.is,
    effect: told.effect,
    why: told.why ?? [],
    blocking: told.blocking ?? [],
    witness: told.witness ?? [],
  });
  for (const witness of witnesses) expect(isConfirmed(witness, before ?? {}, after ?? {})).toBe(true);
  const back = compare(kind, table, after, before, kind.dimensions);
  expect(effectOf(back)).toBe(mirrored(effectOf(found)));
});

test("each table is of a kind, and all its changes are tried", () => {
  expect(kinds.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(tables)));
  expect(cases.length).toBeGreaterThan(100);
});

describe("a row of a table of fields", () => {
  const rows = tried.flatMap(({ kind, table }) =>
    Object.entries(kind.fields).flatMap(([field, { writeOnly, volatile }]) =>
      writeOnly === true || volatile === true ? [] : [{ kind, table, field, name: `${kind.name} ${field}` }],
    ),
  );

  const felt = rows.filter(({ name }) => !NEUTRAL.includes(name));
  test.each(felt)("has an effect: $name", ({ kind, table, field }) => {
    const parts = table.changes.flatMap(({ before, after }) => [before, after]);
    const states = parts.map((part) => stateIn(table, part)).filter((state) => state !== null);
    const values = [...ODD, ...states.flatMap((state) => state[field] ?? [])];
    const isFelt = (before: SealedObject, value: Sealed) => {
      const after = { ...before, [field]: value };
      return (
        effectOf(compare(kind, table, before, after, besideJudged(kind, kind.dimensions))) !== "neutral" ||
        !equal(inList(kind, before), inList(kind, after))
      );
    };
    expect(states.some((before) => values.some((value) => isFelt(before, value)))).toBe(true);
  });

  test("has no effect on purpose", () => {
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([...NEUTRAL]));
  });
});

/** Fields whose changes have no effect on protection. */
const NEUTRAL: readonly string[] = [
  "settings use_cloudflare_reporting_endpoint",
  "policy description",
  "managed_exception description",
  "custom_rule description",
  "rate_limit description",
  "logpush_job name",
  // How records are written, and when and how large the pushes are.
  "logpush_job timestamps",
  "logpush_job extra.frequency",
  "logpush_job extra.max_upload_bytes",
  "logpush_job extra.max_upload_interval_seconds",
  "logpush_job extra.max_upload_records",
  // Each member is a field of its own.
  "logpush_job extra",
  // The place in the list counts in the list.
  "custom_rule position",
  // Only without a score (unscored-changes.yaml), and only with the ruleset's own rules.
  "managed_ruleset tags",
  "managed_ruleset score_rule",
];

const ODD: readonly Sealed[] = ["new", 7, ["new"], false, null];

/** A rule that is judged by its list counts as the list has it. */
function inList(kind: Kind, normal: SealedObject) {
  const at = rulesAt(kind);
  if (at?.judged?.by !== "list") return null;
  const { expression, does } = at.judged.listed(at.declared(normal as JsonObject)) ?? {}; // no rule has a secret
  return [expression, does];
}

/** The dimensions that count besides what a rule is judged by. */
function besideJudged(kind: Kind, of: Strengths = () => ({})): Strengths {
  if (rulesAt(kind)?.judged === undefined) return of;
  return (item, context) => without(of(item, context), Object.keys(kind.blocking?.(item, context) ?? {}));
}

/** The facts about a ruleset, as the managed ruleset's `read` returns them. */
function aroundOf({ rules }: Table) {
  if (rules === undefined) return null;
  const content = { rules: new Map(), tags: new Map(Object.entries(rules)) };
  return { managed: new Map([["core", { content }]]) };
}

const LIVE: Item = {
  ...itemOf({}),
  ref: { kind: "managed_ruleset", key: "managed_ruleset", id: "r" },
  raw: { action: "execute", action_parameters: { id: "core" } },
};

function wordsFor(witness: Witness): string {
  return witness.as === "load"
    ? `${witness.kind} ${witness.url} on ${witness.page}`
    : `request ${JSON.stringify(witness.request)}`;
}
