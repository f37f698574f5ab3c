import { rulesAt } from "../kinds/kind.js";
import { fieldsWithSecrets } from "../kinds/secret-fields.js";
import type { KindState, Matched } from "../match/match.js";
import type { WantedZone } from "../model/declared-zone.js";
import { type Item, isSameWithinReading } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import type { Change, PlanMeaning } from "../model/plan.js";
import { DIFFERENT } from "../model/sealed.js";
import type { ZoneState } from "../model/zone-state.js";
import { movingObjects } from "./csp-moves.js";
import type { Section } from "./section.js";

/** The zone with its live objects and rules. */
export function stateBefore(sections: readonly Section[]): ZoneState {
  return {
    objects: objectsIn(sections, itemsBefore),
    // All kinds of a phase have read the same list.
    rules: new Map(
      sections.filter(isRead).flatMap(({ state: { kind, live } }) => {
        const at = rulesAt(kind);
        return at === null ? [] : [[at.phase.name, at.ruleset(live.context)?.rules ?? []] as const];
      }),
    ),
  };
}

/**
 * The zone once the plan is carried out.
 *
 * @param rulesOf the rules of a phase after the plan, from its live rules
 */
export function stateAfter(
  sections: readonly Section[],
  { rules: live }: ZoneState,
  rulesOf: (phase: string, live: readonly JsonObject[]) => readonly JsonObject[],
): ZoneState {
  return {
    objects: objectsIn(sections, itemsAfter),
    rules: new Map([...live].map(([phase, rules]) => [phase, rulesOf(phase, rules)])),
  };
}

function objectsIn(
  sections: readonly Section[],
  itemsOf: (matched: Matched) => readonly Item[],
): ZoneState["objects"] {
  return new Map(
    sections
      .filter(isRead)
      .map(({ state: { kind, live }, matched }) => [
        kind.name,
        { items: itemsOf(matched), context: live.context },
      ]),
  );
}

function isRead({ state }: Section): boolean {
  return state.letGo !== "unread";
}

/** The zone's states for tests and comparisons, without the secrets of the files. */
export function shownStates(
  { before, after }: { readonly before: ZoneState; readonly after: ZoneState },
  states: readonly KindState[],
  changes: readonly Change[],
  zone: WantedZone,
): NonNullable<PlanMeaning["states"]> {
  const hasBase = states.some(({ base }) => base.is === "read");
  return {
    before: withoutSecretFields(before, states, zone),
    ...(hasBase ? { inBase: withoutSecretFields(stateInBase(before, changes), states, zone) } : {}),
    after,
  };
}

/** The state with the objects of these kinds alone. */
export function among({ objects, rules }: ZoneState, sections: readonly Section[]): ZoneState {
  const names = new Set(sections.map(({ state }) => state.kind.name));
  return { objects: new Map([...objects].filter(([name]) => names.has(name))), rules };
}

function itemsBefore({ triples, kept }: Matched): readonly Item[] {
  return [...triples.flatMap(({ live }) => live ?? []), ...kept];
}

/** The objects in all their states. */
export function itemsEver({ triples, kept }: Matched): readonly Item[] {
  return [
    ...triples.flatMap(({ base, inBase = null, want, live }) =>
      [base, inBase, want, live].flatMap((item) => item ?? []),
    ),
    ...kept,
  ];
}

function itemsAfter({ triples, kept }: Matched): readonly Item[] {
  const wanted = triples.flatMap(({ want, replaces }) =>
    want === null || replaces === "made" ? [] : [want],
  );
  return [...wanted, ...kept];
}

/** The zone with the objects of the base, and with the live lists of rules. */
function stateInBase({ objects, rules }: ZoneState, changes: readonly Change[]): ZoneState {
  const moving = movingObjects(changes);
  const inBase = [...objects].map(([name, { items, context }]) => {
    const unchanged = items.filter(
      ({ ref }) => !moving.some(({ change }) => isSameWithinReading(change.ref, ref)),
    );
    const former = moving.flatMap((each) => (each.change.ref.kind === name ? (each.inBase ?? []) : []));
    return [name, { items: [...unchanged, ...former], context }] as const;
  });
  return { objects: new Map(inBase), rules };
}

/** Hides secret fields, because the results of tests could reveal them bit by bit. */
function withoutSecretFields(
  { objects, rules }: ZoneState,
  states: readonly KindState[],
  zone: WantedZone,
): ZoneState {
  const hidden = states.map(
    (state) =>
      [
        state.kind.name,
        new Set([...state.base.secretFields, ...fieldsWithSecrets(state.kind, state.declared, zone)]),
      ] as const,
  );
  const fieldsOf = new Map(hidden);
  const shown = [...objects].map(([name, { items, context }]) => {
    const fields = fieldsOf.get(name) ?? new Set();
    return [name, { items: items.map((item) => withHidden(item, fields)), context }] as const;
  });
  return { objects: new Map(shown), rules };
}

function withHidden(item: Item, fields: ReadonlySet<string>): Item {
  if (fields.size === 0) return item;
  const normal = Object.entries(item.normal).map(
    ([field, value]) => [field, fields.has(field) ? DIFFERENT : value] as const,
  );
  return { ...item, normal: Object.fromEntries(normal) };
}
