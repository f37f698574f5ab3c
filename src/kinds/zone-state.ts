import type { Declared } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import { asText, type JsonObject } from "../model/json.js";
import type { Layer, Layers } from "../model/strength.js";
import { itemsOf, type ZoneState } from "../model/zone-state.js";
import type { LogWriter, PageObject, RuleBefore } from "../model/zone-tests.js";
import { defaultsOf } from "./fields.js";
import { kinds } from "./index.js";
import { entryName, type Kind, rulesAt } from "./kind.js";

/** A kind's declared objects, without those to be deleted. */
interface DeclaredPart {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
}

/**
 * The zone with only its declared objects.
 *
 * @param missing the values of undeclared fields: the defaults of a new object, or nothing, because a live object may
 * have any value
 */
export function declaredState(parts: readonly DeclaredPart[], missing: "defaults" | "nothing"): ZoneState {
  const phases = parts.flatMap(({ kind: { at } }) =>
    at.as === "rules" && at.actThemselves ? [at.phase.name] : [],
  );
  return {
    objects: new Map(
      parts.map(({ kind, declared }) => [
        kind.name,
        { items: declared.map((each) => declaredItem(kind, each, missing)), context: null },
      ]),
    ),
    rules: new Map(phases.map((phase) => [phase, declaredRules(phase, parts)])),
  };
}

/** Rules that act only on other rules come first. */
function declaredRules(phase: string, parts: readonly DeclaredPart[]): readonly JsonObject[] {
  return [false, true].flatMap((actThemselves) =>
    parts.flatMap(({ kind: { at }, declared }) =>
      at.as === "rules" && at.phase.name === phase && at.actThemselves === actThemselves
        ? declared.map(({ body }) => at.declared(body))
        : [],
    ),
  );
}

function declaredItem(kind: Kind, { path, body }: Declared, missing: "defaults" | "nothing"): Item {
  const defaults = missing === "defaults" ? defaultsOf(kind.fields, body, null) : {};
  return {
    ref: { kind: kind.name, key: entryName(kind, { path, body }), id: null },
    normal: { ...defaults, ...kind.toDesired(body, null) },
    raw: null,
    owns: "all",
    at: path,
  };
}

/** The objects that put a CSP on pages. Null: not declared or not read. */
export function pagesIn(state: ZoneState): readonly PageObject[] | null {
  const onPages = kindsIn(state).filter(({ touches }) => touches?.loads !== undefined);
  if (onPages.length === 0) return null;
  return onPages.flatMap((kind) => itemsOf(state, kind.name).map((item) => pageObject(kind, item)));
}

function pageObject(kind: Kind, item: Item): PageObject {
  const { layers = [], beside } = layersIn(kind, item, null) ?? {};
  const where = asText(item.normal.expression ?? "");
  return { name: item.ref.key, layers, unknown: beside === undefined ? null : { where, why: beside.why } };
}

/** The CSPs that an object puts on pages. */
export function layersOf(kind: Kind, item: Item, context: unknown): readonly Layer[] {
  return layersIn(kind, item, context)?.layers ?? [];
}

function layersIn(kind: Kind, item: Item, context: unknown): Layers | undefined {
  return Object.values(kind.dimensions(item, context)).find((each) => each.as === "layers");
}

/** The objects that write logs. Null: not declared or not read. */
export function logWritersIn(state: ZoneState): readonly LogWriter[] | null {
  const writing = kindsIn(state).filter(({ touches }) => touches?.logs !== undefined);
  if (writing.length === 0) return null;
  return writing.flatMap((kind) =>
    itemsOf(state, kind.name).flatMap(({ normal }) => kind.touches?.logs?.(normal) ?? []),
  );
}

/** Rules of other lists that run before those of a phase and let requests skip them. */
export function rulesBefore(state: ZoneState, phase: string): readonly RuleBefore[] {
  return readBeside(state, ({ at }, context) =>
    at.as === "rules" && at.phase.name === phase ? (at.before?.(context) ?? []) : [],
  );
}

/** Names of managed rulesets in the files → their ids. */
export function rulesetIds(state: ZoneState): ReadonlyMap<string, string> {
  return new Map(readBeside(state, (kind, context) => [...(rulesAt(kind)?.rulesets?.(context) ?? [])]));
}

function readBeside<T>(state: ZoneState, of: (kind: Kind, context: unknown) => readonly T[]): readonly T[] {
  return kindsIn(state).flatMap((kind) => {
    const context = state.objects.get(kind.name)?.context ?? null;
    return context === null ? [] : of(kind, context);
  });
}

function kindsIn({ objects }: ZoneState): readonly Kind[] {
  return kinds.filter(({ name }) => objects.has(name));
}
