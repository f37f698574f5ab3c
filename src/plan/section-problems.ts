import { notIncluded, wantedIn } from "../kinds/included.js";
import { type Finding, type Kind, nameField, objectLimit, rulesAt, sectionIn } from "../kinds/kind.js";
import { beyondLimits } from "../kinds/service-limits.js";
import { isOffOutside } from "../kinds/switched-on.js";
import type { KindState, Matched } from "../match/match.js";
import { entryAt, type Service, type WantedZone } from "../model/declared-zone.js";
import type { Item, Path, Picking, Triple } from "../model/item.js";
import { type Action, QUOTA_FULL } from "../model/plan.js";
import { type Problem, problem, warning } from "../model/problem.js";
import { says } from "../model/sentence.js";
import type { Difference } from "./differences.js";
import { nameOf } from "./value-words.js";

export interface Refused {
  readonly triple: Triple;
  readonly want: Item;
  readonly problems: readonly Problem[];
}

/** The declared objects whose calls the service would refuse. */
export function refusedWithout(
  { kind, declared }: KindState,
  pending: readonly Difference[],
  zone: WantedZone,
  config: readonly string[],
): readonly Refused[] {
  const checkSent = kind.checks?.sent;
  if (checkSent === undefined) return [];
  return pending.flatMap(({ action, triple, fields }): readonly Refused[] => {
    const { want, replaces } = triple;
    const entry = entryAt(declared, want?.at);
    if (want === null || entry === undefined || replaces === "made") return [];
    const isWhole = action === "create" || replaces !== undefined;
    const sent = isWhole ? "all" : fields.map(({ path }) => path);
    const problems = checkSent(entry.body, sent, { zone: zone.name, config }, triple.live).map((finding) =>
      placedIn(want, finding, zone),
    );
    return problems.length === 0 ? [] : [{ triple, want, problems }];
  });
}

/** Problems of the objects after the plan, at their places in the files. */
export function wholeProblems(
  kind: Kind,
  { triples }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  return triples.flatMap(({ want }) =>
    want === null
      ? []
      : (kind.checks?.whole?.(want, service) ?? []).map((finding) => placedIn(want, finding, zone)),
  );
}

/** A zone that is already beyond the limit may stay so, but must not grow. */
export function tooMany(
  kind: Kind,
  { triples, kept }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  const { section } = kind;
  const limit = objectLimit(kind, service);
  const now = triples.filter(({ live }) => live !== null).length + kept.length;
  const then = triples.filter(({ want }) => want !== null).length + kept.length;
  if (limit === null || then <= Math.max(limit, now)) return [];
  const at = zone.locate([section], "key");
  if (limit === 0) {
    const { why, ...rest } = notIncluded(kind, wantedIn(zone, kind));
    const none = `${zone.name} would have ${then} ${section}, and service.limits.${section} is 0. ${why}`;
    return [{ ...rest, detail: none, at }];
  }
  const detail = `${zone.name} would have ${then} ${section}, ${kept.length} of them undeclared, and service.limits.${section} is ${limit}. Delete some in the same change (ensure: absent, or prune), or raise the limit if your account allows more.`;
  return [problem(QUOTA_FULL, `Too many ${section}`, detail, at)];
}

/** Changes that the zone's Cloudflare plan probably does not allow. The service decides. */
export function beyondPlan(
  { kind, live }: KindState,
  pending: readonly Difference[],
  zone: WantedZone,
  plan: string | undefined,
): readonly Problem[] {
  if (plan === undefined) return [];
  const objects = pending.flatMap(({ triple: { want } }) =>
    want === null
      ? []
      : (kind.checks?.inPlan?.(want, plan) ?? []).map((finding) => placedIn(want, finding, zone)),
  );
  const most = kind.service.mostRules?.[plan];
  const now = rulesAt(kind)?.ruleset(live.context)?.rules.length ?? 0;
  const count = (action: Action) => pending.filter((each) => each.action === action).length;
  const then = now + count("create") - count("delete");
  if (most === undefined || then <= Math.max(most, now)) return objects;
  const detail = `${zone.name} would have ${then} rules in ${kind.section}, undeclared ones included. Its Cloudflare plan is ${plan}, which has ${most}. Cloudflare will probably refuse the call. Delete rules in the same change, or change the zone's Cloudflare plan.`;
  const at = zone.locate([kind.section], "key");
  return [...objects, warning("too_many_rules", `Too many rules in ${kind.section}`, detail, at)];
}

/** Objects that stay switched off although the files do not mention it: a reader would take them for active. */
export function switchedOff({ kind }: KindState, { triples }: Matched, zone: WantedZone): readonly Problem[] {
  const off = triples.flatMap(({ want }) => (want !== null && isOffOutside(kind, want) ? [want] : []));
  return off.map(({ ref, at }) =>
    warning(
      "switched_off",
      "Live object is switched off",
      `The live ${nameOf(ref)} is switched off, so its declared fields have no effect. Write enabled: true to switch it on, or enabled: false if this is intended.`,
      zone.locate(at ?? []),
    ),
  );
}

export function concerns(
  kind: Kind,
  { triples, kept }: Matched,
  service: Service,
  zone: WantedZone,
): readonly Problem[] {
  const section: Path = [sectionIn(kind, zone.sections)];
  // At its entry, where a comment can accept it for this object alone.
  const declared = triples.flatMap(({ want, live }) =>
    want !== null && live !== null ? [{ item: live, at: want.at ?? section }] : [],
  );
  // Undeclared objects of a kind with subjects have other subjects, so they do not concern the files.
  const others = nameField(kind) !== null ? kept.map((item) => ({ item, at: section })) : [];
  return [...declared, ...others].flatMap(({ item, at }) =>
    [...beyondLimits(kind, item, service), ...(kind.kept?.oddities?.(item, service) ?? [])].map(
      (oddity): Problem => ({ ...oddity, severity: "warning", at: zone.locate(at) }),
    ),
  );
}

export function cannotList(kind: Kind, zone: WantedZone): Problem {
  return warning(
    "unlisted",
    "Live objects cannot be listed",
    says`The service does not list the ${kind.section} of ${zone.name}, so each declared object is planned as new and cannot be changed, deleted or read back. Apply objects that do not exist yet once, with ${{ flag: "allow", value: "create_unlisted" }}.`,
    zone.locate([kind.section], "key"),
  );
}

/** Whether a replacement has no free place even after all planned deletions. */
export function isFull(kind: Kind, { triples, kept }: Matched, service: Service): boolean {
  const limit = objectLimit(kind, service);
  const staying = triples.filter(({ want, live }) => want !== null && live !== null).length + kept.length;
  return limit !== null && staying >= limit && triples.some(({ replaces }) => replaces === "whole");
}

/** Whether no managed live object stays. In a narrowed plan, the objects outside it stay. */
export function isEmptied({ triples, kept }: Matched, picking: Picking): boolean {
  const isWhole = picking.isAll || kept.length === 0;
  return (
    isWhole &&
    triples.every(({ want, live, replaces }) => live === null || want === null || replaces !== undefined)
  );
}

function placedIn({ at }: Item, { path, offset: _, ...rest }: Finding, zone: WantedZone): Problem {
  return { ...rest, at: zone.locate([...(at ?? []), ...path], path.length === 0 ? "key" : "value") };
}
