import { isSame } from "../kinds/fields.js";
import { kindNamed } from "../kinds/index.js";
import { rulesAt } from "../kinds/kind.js";
import { withoutVolatile } from "../kinds/secret-fields.js";
import { cut, cutBoth, fewOf } from "../model/cut.js";
import { type Item, isSameAcrossReadings, isSameName, isSameWithinReading, type Ref } from "../model/item.js";
import { equal, isObject, type JsonObject } from "../model/json.js";
import type { ZonePlan } from "../model/plan.js";
import { type Problem, problem, warning } from "../model/problem.js";
import { SENSITIVE } from "../model/reference.js";
import { isLate, isSecret, isSensitive } from "../model/sealed.js";
import { RULES, type Unmanaged } from "../model/unmanaged.js";
import { allItems } from "../model/zone-state.js";
import { hasCall, partOf, type ShownChange, type ZonePart, zoneDigest } from "./digest.js";
import { brief, changesBetween, nameOf } from "./value-words.js";

/** Why a zone's saved plan must not be applied: the changes since it was made. Null: both plans are the same. */
export function difference(before: ZonePart, now: ZonePart): Problem | null {
  const sections = movedSections(before, now);
  if (sections !== null) return sections;
  if (before.digest === now.digest) return equal(before.changes, now.changes) ? null : edited(before.zone);
  const { zone } = before;
  if (before.zoneId !== now.zoneId) {
    const detail = `Since the plan was made, ${zone} became another zone: ${anotherId(before.zoneId, now.zoneId)}. Plan again. Nothing is written to it.`;
    return problem("stale_live", LIVE_CHANGED, detail);
  }
  const changed = changedObjects(before, now);
  if (changed.length > 0) return liveChanged(zone, changed);
  const settled = settledObjects(before, now);
  if (settled.length > 0)
    return outOfDate(
      `In ${zone}, these no longer need a change: ${settled.join(", ")}. The files or the live state changed.`,
    );
  const takenOver = furtherTakenOver(before, now).map(({ kind, key }) => nameOf({ kind, key }));
  if (takenOver.length > 0) {
    const reason = `In ${zone}, the files now match live changes that the plan does not show: ${takenOver.slice(0, MAX_NAMED).join(", ")}.`;
    return notWritten("stale_live", LIVE_CHANGED, reason);
  }
  const further = furtherChanges(before, now);
  if (further.length > 0)
    return outOfDate(
      `${zone} needs changes that the plan does not have: ${further.slice(0, MAX_NAMED).join("; ")}. The files or the live state changed.`,
    );
  const requested = [...rewritten(before, now), ...requestedChanges(before, now)];
  const differences = [...requested, ...movedCalls(before, now, requested.length > 0)];
  const why = differences.slice(0, MAX_NAMED).join("; ") || "the same calls in another order";
  const reason = `The files of ${zone} changed since the plan: ${why}.`;
  return notWritten("stale_files", "Files changed since the plan", reason);
}

function notWritten(code: string, summary: string, reason: string): Problem {
  return problem(code, summary, `${reason} Plan again. Nothing was written to this zone.`);
}

const LIVE_CHANGED = "Live state changed since the plan";

function liveChanged(zone: string, changed: readonly string[]): Problem {
  const reason = `Since the plan was made, ${zone} has changed: ${changed.join("; ")}.`;
  return notWritten("stale_live", LIVE_CHANGED, reason);
}

function outOfDate(reason: string): Problem {
  return notWritten("stale_plan", "Plan is out of date", reason);
}

/** Changes taken over from live that the earlier plan neither took over nor made. */
export function furtherTakenOver(before: ZonePart, now: ZonePart): readonly ShownChange[] {
  return now.takenOver.filter(
    (each) =>
      !before.takenOver.some((other) => equal(other, each)) &&
      !before.changes.some((planned) => isSameName(planned, each)),
  );
}

/** Sections that only one of the two plans could have. Null: both have the same. */
export function movedSections(
  { zone, notPlanned: before }: Pick<ZonePart, "zone" | "notPlanned">,
  { notPlanned: now }: Pick<ZonePart, "notPlanned">,
): Problem | null {
  const [missing, added] = [
    now.filter((each) => !before.includes(each)),
    before.filter((each) => !now.includes(each)),
  ];
  if (missing.length + added.length === 0) return null;
  const reasons = [
    ...(missing.length === 0 ? [] : [`${missing.join(" and ")} cannot be planned now`]),
    ...(added.length === 0 ? [] : [`${added.join(" and ")} can be planned now`]),
  ];
  const reason = `The plan of ${zone} has other sections: ${reasons.join("; ")}.`;
  return notWritten("stale_sections", "Plan has other sections", reason);
}

function edited(zone: string): Problem {
  const reason = `The changes and calls of ${zone} do not match, so the plan was edited.`;
  return notWritten("plan_edited", "Plan file was edited", reason);
}

/** Texts in the files that have changed where the calls have references. */
function rewritten({ written: before }: ZonePart, { written: now }: ZonePart): readonly string[] {
  if (before?.digest === now?.digest) return [];
  const [old, fresh] = [before?.texts ?? [], now?.texts ?? []];
  const counterpart = (texts: typeof old, text: (typeof old)[number]) =>
    texts.find((each) => isSameName(each, text) && each.path === text.path);
  const describe = (each: (typeof old)[number], oldText: string, newText: string) =>
    `${nameOf(each)}, ${each.path} in the files: ${cutBoth(oldText, newText, TEXT_CHARS).join(" → ")}`;
  const removed = old.filter((each) => counterpart(fresh, each) === undefined);
  const added = fresh.filter((each) => counterpart(old, each) === undefined);
  const changed = fresh.flatMap((each) => {
    const oldEntry = counterpart(old, each);
    return oldEntry === undefined || oldEntry.text === each.text
      ? []
      : [describe(each, oldEntry.text, each.text)];
  });
  const differences = [
    ...removed.map((each) => describe(each, each.text, "absent")),
    ...added.map((each) => describe(each, "absent", each.text)),
    ...changed,
  ];
  if (differences.length > 0) return differences;
  // One of these sensitive texts differs, and it cannot be shown.
  const hidden = fresh
    .filter(({ text }) => text.includes(SENSITIVE))
    .map((each) => `${nameOf(each)}, ${each.path}`);
  return hidden.length === 0
    ? []
    : [`${hidden.join(" or ")}, in the files: (sensitive) → (sensitive, changed)`];
}

const TEXT_CHARS = 200;

type SeenState = ZonePart["seen"][number];

function seenIn({ seen }: ZonePart): readonly SeenState[] {
  return seen.map(asSeen);
}

/** Kinds share a list of rules, and two plans may have read it for different kinds. So it has a kind of its own. */
function asSeen<Seen extends Ref & { readonly state?: unknown }>(seen: Seen): Seen {
  const { state = null } = seen;
  const kind = kindNamed(seen.kind);
  const isNamed = kind !== undefined && rulesAt(kind)?.phase.name === seen.key;
  // A rule may have the name of its phase.
  return isNamed && (!isObject(state) || "rules" in state) ? { ...seen, kind: "rule list" } : seen;
}

/** Prefers an object that also has the same name. */
function sameObject(a: SeenState, candidates: readonly SeenState[]): SeenState | undefined {
  const same = candidates.filter((b) => isSameAcrossReadings(a, b));
  return same.find((b) => b.id === a.id && b.key === a.key) ?? same[0];
}

/** Objects that both plans touch, and whose live state has changed. */
function changedObjects(before: ZonePart, now: ZonePart): readonly string[] {
  const seenNow = seenIn(now);
  return seenIn(before).flatMap((old) => {
    const fresh = sameObject(old, seenNow);
    if (fresh === undefined) return madeAgain(old, seenNow);
    if (equal(old.state, fresh.state)) return [];
    return [`${nameOf(old)} ${stateChange(old.state, fresh.state)}`];
  });
}

/** An object that was deleted and created again under its name. */
function madeAgain({ id, ...old }: SeenState, candidates: readonly SeenState[]): readonly string[] {
  const other = candidates.find((each) => isSameName(each, old));
  if (id === null || other === undefined || other.id === null) return [];
  return [`${nameOf(old)} was created again: ${anotherId(id, other.id)}`];
}

/** @param before the id in the plan file, which is untrusted */
function anotherId(before: string, now: string): string {
  return `its id was ${cut(before, ID_CHARS)}, and is ${now}`;
}

const ID_CHARS = 40;

/** Names changed objects rather than the lists that were read for them. */
function settledObjects(before: ZonePart, now: ZonePart): readonly string[] {
  const seenNow = seenIn(now);
  const settled = seenIn(before).filter((old) => sameObject(old, seenNow) === undefined);
  const changed = settled.filter((each) => before.changes.some((change) => isSameName(change, each)));
  return (changed.length > 0 ? changed : settled).map(nameOf);
}

/** Changes of further objects. Whether the files or the service caused them is unknown. */
function furtherChanges(before: ZonePart, now: ZonePart): readonly string[] {
  const isKnown = (change: ShownChange) => before.changes.some((each) => isSameName(each, change));
  return now.changes
    .filter((each) => !isKnown(each))
    .map(({ action, replaces, ...object }) => `${replaces ? "replace" : action} ${nameOf(object)}`);
}

function stateChange(before: unknown, after: unknown): string {
  if (before === null) return "was created";
  if (after === null) return "was deleted";
  return `(${changesBetween(before, after).join(", ")})`;
}

/** More are not named: the plan shows them. */
const MAX_NAMED = 6;

/** Desired values that differ from those of the saved plan. */
function requestedChanges(before: ZonePart, now: ZonePart): readonly string[] {
  return before.changes.flatMap((old) => {
    const fresh = now.changes.find((each) => isSameName(each, old));
    if (fresh === undefined) return [];
    const paths = [...new Set([...old.fields, ...fresh.fields].map(({ path }) => path))];
    return paths.flatMap((path) => requestedField(path, old, fresh)).map((each) => `${nameOf(old)}, ${each}`);
  });
}

/** A field that only one of the plans changes: the other leaves it as it is live. */
function requestedField(path: string, old: ShownChange, fresh: ShownChange): readonly string[] {
  const [oldField, newField] = [old, fresh].map(({ fields }) => fields.find((each) => each.path === path));
  // The texts in the files are compared instead.
  if (isReference(oldField?.after) && isReference(newField?.after)) return [];
  const oldValue = { [path]: oldField === undefined ? newField?.before : oldField.after };
  const newValue = { [path]: newField === undefined ? oldField?.before : newField.after };
  const differences = changesBetween(oldValue, newValue);
  return newField === undefined ? differences.map((each) => `${each} (live)`) : differences;
}

function isReference(value: unknown): boolean {
  return isObject(value) && "$secret" in value;
}

/** Calls that are gone or new. Calls whose body changed are named only where the changes above do not explain it. */
function movedCalls(before: ZonePart, now: ZonePart, isExplained: boolean): readonly string[] {
  const address = ({ method, path }: ZonePart["calls"][number]) => `${method} ${path}`;
  const [old, fresh] = [before.calls.map(address), now.calls.map(address)];
  const changed = before.calls.flatMap((call) => {
    const again = now.calls.find((each) => address(each) === address(call));
    if (isExplained || again === undefined || equal(call.body, again.body)) return [];
    return [`${address(call)} with ${changesBetween(call.body, again.body).join(", ")}`];
  });
  return [
    ...changed,
    ...old.filter((each) => !fresh.includes(each)).map((each) => `no longer ${each}`),
    ...fresh.filter((each) => !old.includes(each)).map((each) => `now ${each}`),
  ];
}

/** Why a zone's plan must not be applied: objects that it touches have changed. Null: none has. */
export function movedSince(plan: ZonePlan, fresh: ZonePlan): Problem | null {
  const before = inOneOrder(partOf(plan));
  const now = inOneOrder(partWithin(plan, fresh));
  const isSame = plan.digest === fresh.digest || before.digest === now.digest;
  return isSame ? movedUnshown(plan, fresh) : difference(before, now);
}

/** A later plan, reduced to the objects of the first one. */
function partWithin(plan: ZonePlan, fresh: ZonePlan): ZonePart {
  const changes = fresh.changes.filter(({ ref }) =>
    plan.changes.some((each) => isSameAcrossReadings(each.ref, ref)),
  );
  const steps = fresh.steps.filter((step) => changes.some(({ index }) => step.changes.includes(index)));
  const numbers = new Map(steps.map(({ n }, index) => [n, index + 1]));
  const renumbered = steps.map((step) => {
    const path = step.path.map((part) =>
      isLate(part) ? { $result: numbers.get(part.$result) ?? part.$result } : part,
    );
    return { ...step, path };
  });
  const seenBefore = plan.live.seen.map(({ ref, state }) => asSeen({ ...ref, state }));
  const seen = fresh.live.seen.filter(({ ref, state }) => {
    const now = asSeen({ ...ref, state });
    return seenBefore.some((each) => isSameAcrossReadings(each, now));
  });
  return partOf({ ...fresh, changes, steps: renumbered, live: { ...fresh.live, seen } });
}

/**
 * Two plans may order the same calls differently, because of objects that they do not touch. So calls are compared sorted,
 * and changes without a call are left out.
 */
function inOneOrder(part: ZonePart): ZonePart {
  const text = (call: ZonePart["calls"][number]) => `${call.method} ${call.path}`;
  const calls = part.calls.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
  const sorted = { ...part, calls, takenOver: [] };
  return { ...sorted, digest: zoneDigest(sorted) };
}

/** Changes of planned objects that the plan does not show: undeclared or sensitive fields. */
function movedUnshown(plan: ZonePlan, fresh: ZonePlan): Problem | null {
  const changed = liveChanges(plan, fresh).flatMap(({ ref, fields }) =>
    isTouched(plan, ref) ? [`${nameOf(ref)} (${fields.join(", ")})`] : [],
  );
  return changed.length === 0 ? null : liveChanged(plan.zone, changed);
}

interface LiveChange {
  readonly ref: Ref;
  readonly how: "changed" | "was deleted" | "was created";
  readonly fields: readonly string[];
}

/** The differences between the live objects that two plans have read. */
function liveChanges(plan: ZonePlan, fresh: ZonePlan): readonly LiveChange[] {
  const [before, now] = [liveObjects(plan), liveObjects(fresh)];
  const differing = before.flatMap((item): readonly LiveChange[] => {
    const again = now.find(({ ref }) => isSameAcrossReadings(ref, item.ref));
    const [old, current] = [lastingOf(item), again === undefined ? {} : lastingOf(again)];
    const names = [...new Set([...Object.keys(old), ...Object.keys(current)])];
    const fields = names.filter((name) => !equal(old[name], current[name]));
    if (again !== undefined && fields.length === 0) return [];
    return [{ ref: item.ref, how: again === undefined ? "was deleted" : "changed", fields }];
  });
  const known = [...before, ...plan.changes].map(({ ref }) => ref);
  const added = now.flatMap(({ ref }): readonly LiveChange[] =>
    known.some((each) => isSameAcrossReadings(each, ref)) ? [] : [{ ref, how: "was created", fields: [] }],
  );
  return [...differing, ...added];
}

export function liveObjects({ meaning: { states } }: ZonePlan): readonly Item[] {
  return states === undefined ? [] : allItems(states.before);
}

/** Whether a call of the plan changes the live object. */
export function isTouched({ changes }: ZonePlan, ref: Ref): boolean {
  return changes.some(
    (each) => hasCall(each) && each.before !== null && isSameWithinReading(each.before.ref, ref),
  );
}

/** The object without fields that the service changes on its own. */
function lastingOf({ ref, raw }: Item): JsonObject {
  const kind = kindNamed(ref.kind);
  return kind === undefined ? (raw ?? {}) : withoutVolatile(kind, raw);
}

/** More are not named. */
const MAX_OTHERS = 6;

/** Changes in the zone beside those of the plan. Null: none in the objects that zoneward reads. */
export function movedElsewhere(plan: ZonePlan, fresh: ZonePlan): Problem | null {
  const others = liveChanges(plan, fresh).filter(({ ref }) => !isTouched(plan, ref));
  const changed = [...movedRules(plan, fresh), ...others.map(({ ref, how }) => `${nameOf(ref)} ${how}`)];
  if (changed.length === 0) return null;
  const detail = `In ${plan.zone}, since the plan was made: ${fewOf(changed, MAX_OTHERS).join("; ")}. The plan does not touch them.`;
  return warning("moved_elsewhere", "Other objects changed since the plan", detail);
}

/** Unmanaged rules whose effect differs from the one in the plan. */
function movedRules(plan: ZonePlan, fresh: ZonePlan): readonly string[] {
  const rulesOf = ({ live: { unmanaged } }: ZonePlan) =>
    new Map(unmanaged.flatMap((each) => (each.list === RULES ? [[idOf(each), each] as const] : [])));
  // The overrides of a rule have its id, and overrides of several rules have the same keys.
  const idOf = ({ fields, ref: { id, key } }: Unmanaged) =>
    fields === undefined ? id : JSON.stringify([id, key]);
  const [before, now] = [rulesOf(plan), rulesOf(fresh)];
  const ruleName = ({ ref: { key, id } }: Unmanaged) => `rule ${key === "" ? id : brief(key)}`;
  return [
    ...[...now.values()].flatMap((rule) => {
      const formerRule = before.get(idOf(rule));
      if (formerRule?.does === rule.does) return [];
      const isNew = formerRule === undefined && rule.fields === undefined;
      return [`${ruleName(rule)} ${isNew ? "was created" : "changed"} (it ${rule.does})`];
    }),
    ...[...before.values()].flatMap((rule) => {
      if (now.has(idOf(rule))) return [];
      return [`${ruleName(rule)} ${rule.fields === undefined ? "was deleted" : "changed"}`];
    }),
  ];
}

/**
 * The fields in which an object from the service differs from an item. Secret fields do not count. The object is read without
 * its context, so this is for objects that have calls of their own.
 */
export function fieldsDiffering(raw: JsonObject, { ref, normal }: Item): readonly string[] {
  const kind = kindNamed(ref.kind);
  const now = kind?.normalOf(raw, null, []) ?? {};
  return Object.entries(normal).flatMap(([field, value]) => {
    const known = kind?.fields[field];
    if (isSecret(value) || isSensitive(value) || known?.writeOnly === true) return [];
    return isSame(now[field] ?? null, value, known) ? [] : [field];
  });
}
