import { diffFields } from "../diff/fields.js";
import { across, type KindPart } from "../kinds/across/index.js";
import type { Draft, Drafted, Finding, Kind, Live } from "../kinds/kind.js";
import { type Matched, match } from "../match/index.js";
import type { Item, Ref, Triple } from "../model/item.js";
import { isObject } from "../model/json.js";
import type { Action, Breach, Change, Seen, ZonePlan } from "../model/plan.js";
import { failed, hasErrors, ok, type Problem, type Result } from "../model/problem.js";
import { isSecret, type Sealed } from "../model/sealed.js";
import type { Declared, Service, WantedZone } from "../model/wanted.js";
import { shifts } from "../posture/index.js";
import { guard } from "./guard.js";
import { order } from "./order.js";
import { callOf, seenOf, zoneDigest } from "./zone-part.js";

/** One kind's part of a zone: what the files declare, and what is live. */
export interface KindState {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
  readonly live: Live;
}

/**
 * Declared × live → the zone's plan. Pure: the same inputs give the same plan. Only kinds whose section the zone
 * has are among the states.
 */
export function buildZonePlan(
  zone: WantedZone,
  zoneId: string,
  states: readonly KindState[],
  service: Service,
  requests: number,
): Result<ZonePlan> {
  const matches = states.map((state) => ({
    state,
    matched: match(state.kind, state.declared, state.live, zone),
  }));
  const problems = matches.flatMap(({ state, matched }) => [
    ...matched.problems,
    ...wholeProblems(state.kind, matched, service, zone),
  ]);
  if (hasErrors(problems)) return failed(...problems);
  const changes: Change[] = [];
  const drafts: (readonly Draft[])[] = [];
  const seen: Seen[] = [];
  const touched: ZonePlan["touched"][number][] = [];
  let unchanged = 0;
  for (const { state, matched } of matches) {
    const drafted = draft(state.kind, matched, changes.length);
    unchanged += matched.triples.length - drafted.length;
    changes.push(...drafted.map((each) => toChange(state.kind, each, zone)));
    const own = state.kind.steps(drafted, { zoneId, ...state.live });
    drafts.push(own);
    seen.push(...drafted.map(({ triple }) => ({ ref: refOf(triple), state: triple.live?.normal ?? null })));
    touched.push(...touchedBy(state.kind, drafted));
    seen.push(...own.flatMap(({ touches }) => touches ?? []));
  }
  const unlisted = states.flatMap(({ kind, live }) => (live.unlisted === true ? [kind.name] : []));
  const steps = order(drafts, changes).map((step) => ({ ...step, fills: fillsOf(step.body, matches) }));
  const breaches: readonly Breach[] = guard(zone, changes, unlisted);
  return ok({
    zone: zone.name,
    zoneId,
    counts: { ...countActions(changes), unchanged, requests },
    unmanaged: matches.flatMap(({ matched }) => matched.unmanaged.map((item) => item.ref)),
    unlisted,
    seen,
    touched,
    changes,
    steps,
    breaches,
    secrets: new Map(matches.flatMap(({ matched }) => [...matched.secrets])),
    problems: [
      ...problems,
      ...states.flatMap(({ live }) => live.warnings ?? []),
      ...states.flatMap(({ kind, live }) => (live.unlisted === true ? [cannotList(kind, zone)] : [])),
      ...matches.flatMap(({ state, matched }) => concerns(state.kind, matched, service, zone)),
      ...across(
        matches.map(({ state, matched }) => ({ kind: state.kind.name, objects: asTheyWillBe(matched) })),
      ).map(({ path, ...rest }): Problem => ({ ...rest, at: zone.locate(path) })),
    ],
    digest: zoneDigest({ zoneId, calls: steps.map(callOf), seen: seen.map(seenOf) }),
  });
}

/** The objects that are different, in file order, deletions of undeclared ones last. */
function draft(kind: Kind, { triples }: Matched, first: number): readonly Drafted[] {
  const different = triples.flatMap((triple) => {
    const fields = diffFields(triple.live?.normal ?? null, triple.want?.normal ?? null, kind.meanings);
    const action = actionOf(triple);
    return action === "update" && fields.length === 0 ? [] : [{ action, triple, fields }];
  });
  return different.map((each, index) => ({ at: first + index, ...each }));
}

function actionOf({ want, live }: Triple): Action {
  if (want === null) return "delete";
  return live === null ? "create" : "update";
}

/** The fields of a body that hold what a sealed field of a wanted object is. */
function fillsOf(body: Sealed | null, matches: readonly { readonly matched: Matched }[]): readonly string[] {
  const fields = Object.entries(isObject(body) ? body : {}).filter(([, value]) => isSecret(value));
  if (fields.length === 0) return [];
  const sealed = new Set(
    matches.flatMap(({ matched }) =>
      matched.triples.flatMap(({ want }) => Object.values(want?.normal ?? {})),
    ),
  );
  return fields.flatMap(([field, value]) => (sealed.has(value) ? [field] : []));
}

/** The live objects that change, without what the service writes into them on its own. */
function touchedBy(kind: Kind, drafted: readonly Drafted[]): ZonePlan["touched"] {
  return drafted.flatMap(({ triple: { live } }) => {
    const kept = Object.entries(live?.raw ?? {}).filter(([field]) => !kind.volatile.includes(field));
    return live === null ? [] : [{ ref: live.ref, raw: Object.fromEntries(kept) }];
  });
}

function refOf({ want, live }: Triple): Ref {
  const item = want ?? live;
  if (item === null) throw new Error("a triple has at least one side");
  return item.ref;
}

function toChange(kind: Kind, { action, triple, fields }: Drafted, zone: WantedZone): Change {
  const { want, live } = triple;
  const ref = refOf(triple);
  const path = want?.at ?? live?.at ?? ["prune", zone.prune.indexOf(kind.section)];
  return {
    ref,
    action,
    was: live !== null && live.ref.key !== ref.key ? live.ref.key : null,
    fields,
    shifts: shifts(
      live === null ? {} : kind.dimensions(live.normal),
      want === null ? {} : kind.dimensions(want.normal),
    ),
    at: zone.locate(path),
  };
}

function countActions(changes: readonly Change[]): Record<Action, number> {
  const count = (action: Action) => changes.filter((change) => change.action === action).length;
  return { create: count("create"), update: count("update"), delete: count("delete") };
}

function concerns(
  kind: Kind,
  { triples, unmanaged }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  const kept = triples.flatMap(({ want, live }) => (want !== null && live !== null ? [live] : []));
  return [...kept, ...unmanaged].flatMap((item) =>
    kind
      .concerns(item, service)
      .map((concern): Problem => ({ ...concern, severity: "warning", at: zone.locate([kind.section]) })),
  );
}

/** The zone's objects of a kind after the plan, those of others included. */
function asTheyWillBe({ triples, unmanaged }: Matched): KindPart["objects"] {
  const wanted = triples.flatMap(({ want }) => (want === null ? [] : [want]));
  return [...wanted, ...unmanaged].map(({ normal, at }) => ({ normal, at }));
}

/** What is wrong with objects as they would be, at their places in the files. */
function wholeProblems(
  kind: Kind,
  { triples }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  return triples.flatMap(({ want }) =>
    want === null ? [] : kind.checkWhole(want, service).map((finding) => placedIn(want, finding, zone)),
  );
}

function placedIn({ at }: Item, { path, offset: _, ...rest }: Finding, zone: WantedZone): Problem {
  return { ...rest, at: zone.locate([...(at ?? []), ...path], path.length === 0 ? "key" : "value") };
}

function cannotList(kind: Kind, zone: WantedZone): Problem {
  return {
    code: "unlisted",
    severity: "warning",
    summary: "What is live cannot be listed",
    detail: `The service does not list the ${kind.section} of ${zone.name}, so all that the file declares is planned as new, and nothing can be changed, deleted or read back. Apply only once, with --allow create_unlisted, what is certainly not there.`,
    at: zone.locate([kind.section], "key"),
  };
}
