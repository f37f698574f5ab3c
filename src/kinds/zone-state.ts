import type { Item } from "../model/item.js";
import { asText, type JsonObject } from "../model/json.js";
import type { SealedObject } from "../model/sealed.js";
import type { Layers } from "../model/strength.js";
import type { PageObject, ZoneState, ZoneStates } from "../model/zone-tests.js";
import { type Kind, rulesAt } from "./kind.js";

/** The objects of a kind in a zone, before its plan is carried out and after, those of others included. */
export interface StatePart {
  readonly kind: Kind;
  /** What the kind has read beside them. */
  readonly context: unknown;
  readonly before: readonly Item[];
  readonly after: readonly Item[];
}

/**
 * What tests ask about, before a zone's plan is carried out and after. Kinds that are not planned are not among the parts.
 *
 * @param rulesAfter the rules of a phase after the plan
 */
export function statesOf(
  parts: readonly StatePart[],
  rulesAfter: (phase: string, live: readonly JsonObject[]) => readonly JsonObject[],
): ZoneStates {
  const before = liveRules(parts);
  const earlier = rulesBefore(parts);
  const after = new Map([...before].map(([phase, rules]) => [phase, rulesAfter(phase, rules)]));
  const logs = logsIn(parts, (part) => part.before);
  const written = logsIn(parts, (part) => part.after);
  // What is there no more writes as little as what is switched off.
  const off = (logs ?? []).map((each) => ({ ...each, isOff: true }));
  const rulesets = new Map(
    parts.flatMap(({ kind, context }) => [...(rulesAt(kind)?.rulesets?.(context) ?? [])]),
  );
  return {
    before: {
      pages: pagesIn(parts, (part) => part.before),
      logs,
      rules: before,
      before: earlier,
      rulesets,
    },
    after: {
      pages: pagesIn(parts, (part) => part.after),
      logs: written && [...written, ...off],
      rules: after,
      before: earlier,
      rulesets,
    },
  };
}

/** Of a phase, each kind has read the same list. */
function liveRules(parts: readonly StatePart[]): ZoneState["rules"] {
  return new Map(
    parts.flatMap(({ kind: { at }, context }) =>
      at.as === "rules" ? [[at.phase.name, at.ruleset(context)?.rules ?? []] as const] : [],
    ),
  );
}

function rulesBefore(parts: readonly StatePart[]): ZoneState["before"] {
  return new Map(
    parts.flatMap(({ kind: { at }, context }) =>
      at.as !== "rules" || at.before === undefined ? [] : [[at.phase.name, at.before(context)] as const],
    ),
  );
}

function pagesIn(
  parts: readonly StatePart[],
  itemsOf: (part: StatePart) => readonly Item[],
): ZoneState["pages"] {
  const own = parts.filter(({ kind }) => isOnPages(kind));
  if (own.length === 0) return null;
  return own.flatMap((part) =>
    itemsOf(part).map(({ ref, normal }) => pageObject(part.kind, ref.key, normal)),
  );
}

function logsIn(
  parts: readonly StatePart[],
  itemsOf: (part: StatePart) => readonly Item[],
): ZoneState["logs"] {
  return writersIn(parts, (part) => itemsOf(part).map(({ normal }) => normal));
}

function writersIn<Part extends { readonly kind: Kind }>(
  parts: readonly Part[],
  normalsOf: (part: Part) => readonly SealedObject[],
): ZoneState["logs"] {
  const own = parts.filter(({ kind }) => kind.logs !== undefined);
  if (own.length === 0) return null;
  return own.flatMap((part) => normalsOf(part).flatMap((normal) => part.kind.logs?.(normal) ?? []));
}

/** What tests ask about, as files declare it. */
export function declaredState(
  parts: readonly { readonly kind: Kind; readonly bodies: readonly JsonObject[] }[],
): ZoneState {
  const onPages = parts.filter(({ kind }) => isOnPages(kind));
  const phases = parts.flatMap(({ kind: { at } }) =>
    at.as === "rules" && at.actThemselves ? [at.phase.name] : [],
  );
  return {
    pages:
      onPages.length === 0
        ? null
        : onPages.flatMap(({ kind, bodies }) => bodies.map((body) => declaredPage(kind, body))),
    logs: writersIn(parts, ({ kind, bodies }) => bodies.map((body) => asCreated(kind, body))),
    rules: new Map(phases.map((phase) => [phase, declaredRules(phase, parts)])),
    before: new Map(),
    rulesets: new Map(),
  };
}

/** Those that only have an effect on others stand before these. */
function declaredRules(
  phase: string,
  parts: readonly { readonly kind: Kind; readonly bodies: readonly JsonObject[] }[],
): readonly JsonObject[] {
  return [false, true].flatMap((actThemselves) =>
    parts.flatMap(({ kind: { at }, bodies }) =>
      at.as === "rules" && at.phase.name === phase && at.actThemselves === actThemselves
        ? bodies.map((body) => at.declared(body))
        : [],
    ),
  );
}

function declaredPage(kind: Kind, body: JsonObject): PageObject {
  const name = kind.shape.as === "list" ? body[kind.shape.named] : undefined;
  return pageObject(kind, asText(name ?? ""), asCreated(kind, body));
}

function asCreated(kind: Kind, body: JsonObject): SealedObject {
  const defaults = kind.creation.possible ? kind.creation.defaults : {};
  return { ...defaults, ...kind.toDesired(body, null) };
}

/** Whether what a kind's objects do is done to pages: of one of which nothing is known, nothing is known of that. */
function isOnPages(kind: Kind): boolean {
  return layersIn(kind, {}) !== undefined;
}

function pageObject(kind: Kind, name: string, normal: SealedObject): PageObject {
  const { layers = [], beside } = layersIn(kind, normal) ?? {};
  const unknown = beside === undefined ? null : { where: asText(normal.expression ?? ""), why: beside.why };
  return { name, layers, unknown };
}

function layersIn(kind: Kind, normal: SealedObject): Layers | undefined {
  return Object.values(kind.dimensions(normal)).find((each) => each.as === "layers");
}
