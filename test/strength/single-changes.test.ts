import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { kinds } from "../../src/kinds/index.js";
import { type Kind, rulesAt } from "../../src/kinds/kind.js";
import { hindrancesOf } from "../../src/kinds/switched-on.js";
import type { Item } from "../../src/model/item.js";
import type { SealedObject } from "../../src/model/sealed.js";
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
const cases = kinds.flatMap((kind) => {
  const table = tables[kind.name] ?? { from: {}, changes: [] };
  return table.changes.map((told) => ({ name: `${kind.name}: ${told.is}`, kind, table, told }));
});

test.each(cases)("$name", ({ kind, table, told }) => {
  const [before, after] = [told.before, told.after].map((part) =>
    part === null ? null : { ...table.from, ...part },
  );
  const strengthOf = (normal: SealedObject | null | undefined, of: Kind["dimensions"] | undefined) =>
    (normal && of?.({ ...LIVE, normal }, aroundOf(table))) ?? {};
  const judged = rulesAt(kind)?.judged;
  const compared = (a: typeof before, b: typeof after, of: Kind["dimensions"] | undefined) =>
    judged?.by === "rule"
      ? judged.shifts(a ?? null, b ?? null, "shop.example.com", [])
      : shifts(strengthOf(a, of), strengthOf(b, of));
  const between = (of: Kind["dimensions"] | undefined) => compared(before, after, of);
  const keeping = (normal: SealedObject | null | undefined) =>
    normal === null || normal === undefined ? null : hindrancesOf(kind, { ...LIVE, normal }, null, new Map());
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
  const back = compared(after, before, kind.dimensions);
  expect(effectOf(back)).toBe(mirrored(effectOf(found)));
});

test("the table has changes of every kind", () => {
  expect(Object.keys(tables).sort()).toEqual(kinds.map(({ name }) => name).sort());
  expect(cases.length).toBeGreaterThan(100);
});

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
