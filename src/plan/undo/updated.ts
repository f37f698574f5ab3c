import { intermediateItems } from "../../calls/index.js";
import { isSame, namesWith, saidOf } from "../../kinds/fields.js";
import { isCreated, type Kind, listOf } from "../../kinds/kind.js";
import { groupBy } from "../../model/group-by.js";
import { type Item, WITHOUT_BASE } from "../../model/item.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../../model/json.js";

import type { Problem } from "../../model/problem.js";
import type { SealedObject } from "../../model/sealed.js";
import { blocksBeyond } from "../../strength/index.js";
import {
  blocksAnew,
  changedSince,
  differing,
  notBrought,
  secretAssumed,
  secretUnknown,
  secretUnsure,
} from "./messages.js";
import { NOTHING, type Past, type Undoing, type Undone, whole } from "./past.js";
import {
  changedSecrets,
  type Given,
  givenFor,
  normalWithoutSecrets,
  rawWithoutSecrets,
  type SecretFields,
  secretFieldsIn,
} from "./secrets.js";

/**
 * What was changed goes back field by field: a field that is still as the apply has made it becomes what it was. One
 * that somebody else has changed since stays, and so does all that the apply has not changed.
 */
export function undoUpdated(undoing: Undoing, past: Past, live: Item): Undone {
  const { zone, kind } = undoing;
  const { before } = past;
  const raw = live.raw ?? {};
  if (before === null) return NOTHING;
  const secretFields = secretFieldsIn(undoing, past, raw);
  // Only where nothing was set, or is, it is known what the fields are that nobody sees.
  const usual = isCreated(kind) ? {} : Object.fromEntries(saidOf(kind.fields, "unset"));
  const unset = isEmpty(before) || isEmpty(raw) ? usual : {};
  const normalOf = (each: JsonObject) => ({
    ...unset,
    ...normalWithoutSecrets(undoing, secretFields, each),
  });
  const ends = { kind, before: normalOf(before), afters: past.afters.map(normalOf), now: normalOf(raw) };
  const unsaid = Object.keys(usual).filter((field) => !(field in ends.before));
  const filledIn = isEmpty(before) ? namesWith(kind.fields, "unsetVaries") : unsaid;
  const states: States = { ...ends, filledIn, midways: midwaysOf(undoing, live, ends) };
  const fields = fieldsOf(states);
  const former = putBack(past, raw, secretFields, fields, states, normalOf);
  const put = isEmpty(before) ? former : (kind.restorable?.(former, raw) ?? former);
  const open = normalOf(put);
  const secrets = secretsOf(undoing, past, live, secretFields, isBack(fields, states));
  const failing = fields.back.filter((field) => !isAs(states, field, open, states.before));
  const kept = differing([...fields.conflicting, ...fields.drifted], states.before, states.now);
  const given = Object.fromEntries(secrets.given.map(({ field, value }) => [field, value]));
  const named = Object.fromEntries(secrets.given.map(({ name, value }) => [name, value as Json])); // a reference is JSON
  const relations = secrets.given.map(({ field }) => [field, { $sensitive: "different" }] as const);
  const made = whole(kind, { ...put, ...named }, { ...open, ...given }, live.ref);
  const want = past.behind === null ? made : { ...made, behind: past.behind };
  return {
    triples: [
      {
        ...WITHOUT_BASE,
        want,
        live: { ...live, normal: { ...states.now, ...Object.fromEntries(relations) } },
      },
    ],
    problems: [
      ...(kept.length === 0 ? [] : [changedSince(past, zone, kept)]),
      ...(isOddlyBlocking(states, open) ? [blocksAnew(past, zone, fields.back, kept)] : []),
      ...(failing.length === 0 ? [] : [notBrought(past, zone, failing)]),
      ...secrets.problems,
    ],
    secrets: new Map(
      secrets.given.flatMap(({ reference, plain }) => (reference === null ? [] : [[reference, plain]])),
    ),
  };
}

/** An object in the normal form as it was, as the apply may have made it, and as it is. */
interface States {
  readonly kind: Kind;
  readonly before: SealedObject;
  readonly afters: readonly SealedObject[];
  /** As a way back may have left it that was broken off. */
  readonly midways: readonly SealedObject[];
  readonly now: SealedObject;
  /** Fields that the service did not show before, and may show of its own since the apply has set something. */
  readonly filledIn: readonly string[];
}

/** What the calls make of it that go between, where no order of the calls of a way back is safe. */
function midwaysOf(
  { kind, service }: Undoing,
  live: Item,
  { before, afters }: Pick<States, "before" | "afters">,
): readonly SealedObject[] {
  const want = whole(kind, {}, before, live.ref);
  return afters.flatMap((normal) =>
    intermediateItems(kind, { want, live: { ...live, normal } }, service).map((item) => item.normal),
  );
}

interface Fields {
  /** Those that the apply has changed, as long as nobody else has since. */
  readonly back: readonly string[];
  /** Those that the apply has changed and somebody else too. */
  readonly conflicting: readonly string[];
  /** Those that only somebody else has changed. */
  readonly drifted: readonly string[];
}

function fieldsOf(states: States): Fields {
  const { before, afters, midways, now, filledIn } = states;
  const names = new Set([before, ...afters, now].flatMap((each) => Object.keys(each)));
  const changed = [...names].filter((field) => afters.some((after) => !isAs(states, field, after, before)));
  const isOurs = (field: string) =>
    [before, ...afters, ...midways].some((each) => isAs(states, field, each, now));
  return {
    back: changed.filter(isOurs),
    conflicting: changed.filter((field) => !isOurs(field)),
    drifted: [...names].filter((field) => ![...changed, ...filledIn].includes(field) && !isOurs(field)),
  };
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

/** Whether the fields that go back and the fields that others changed block together what neither state ever blocked. */
function isOddlyBlocking({ kind, before, now }: States, left: SealedObject): boolean {
  return blocksBeyond(kind.dimensions(left), kind.dimensions(before), kind.dimensions(now));
}

function isAs({ kind }: States, field: string, a: SealedObject, b: SealedObject): boolean {
  return isSame(a[field] ?? null, b[field] ?? null, kind.fields[field]);
}

/**
 * The live object with what goes back. Where a field is spread over several places of the object, or shares one with
 * others, only the places that the apply has changed are touched, and none that would change any other field.
 */
function putBack(
  past: Past,
  live: JsonObject,
  secretFields: SecretFields,
  fields: Fields,
  states: States,
  normalOf: (raw: JsonObject) => SealedObject,
): JsonObject {
  const before = rawWithoutSecrets(secretFields, past.before ?? {});
  const edits = past.afters.flatMap((after) => editsBetween(rawWithoutSecrets(secretFields, after), before));
  const place = listOf(states.kind)?.inOrder?.field;
  const areFree = (some: readonly Edit[]) => {
    const open = normalOf(edited(live, some));
    // A place that is not edited stays, although another form of the rest may say more of it.
    const stays = (field: string) => field === place && some.every(({ path: [first] }) => first !== place);
    const names = [...new Set([open, states.now].flatMap((each) => Object.keys(each)))];
    return names.every(
      (field) => fields.back.includes(field) || stays(field) || isAs(states, field, open, states.now),
    );
  };
  // What takes another form has its parts exchanged: one of them alone would make it something that is none of the two.
  const free = [...groupBy(edits, ({ path: [first] }) => JSON.stringify(first)).values()].flatMap((some) =>
    areFree(some) ? some : some.filter((each) => areFree([each])),
  );
  const put = edited(live, free);
  // The service may have changed more than it was sent: then all that was said of the object tells it better.
  const all = { ...live, ...before };
  return isExact(put, fields, states, normalOf) || !isExact(all, fields, states, normalOf) ? put : all;
}

/** Whether it has all that goes back, and all else as it is. */
function isExact(
  raw: JsonObject,
  { back }: Fields,
  states: States,
  normalOf: (raw: JsonObject) => SealedObject,
): boolean {
  const normal = normalOf(raw);
  const names = new Set([normal, states.now].flatMap((each) => Object.keys(each)));
  return [...names, ...back].every((field) =>
    isAs(states, field, normal, back.includes(field) ? states.before : states.now),
  );
}

/** The call had no effect, or what can be seen of it was undone before. */
function isBack({ back }: Fields, states: States): boolean {
  const { before, afters, now } = states;
  const isAsMade = (field: string) => afters.some((after) => isAs(states, field, after, now));
  return back.every((field) => isAs(states, field, before, now)) && back.some((field) => !isAsMade(field));
}

interface Secrets {
  readonly given: readonly Given[];
  readonly problems: readonly Problem[];
}

const NO_SECRETS: Secrets = { given: [], problems: [] };

/**
 * What the journal does not say, and the files may. What the files give in any case is not what was there before.
 *
 * @param isRestBack whether all else is as it was: then what the files give from the same place may be the former value
 */
function secretsOf(
  undoing: Undoing,
  past: Past,
  live: Item,
  secretFields: SecretFields,
  isRestBack: boolean,
): Secrets {
  const { kind, zone } = undoing;
  const changed = changedSecrets(past, secretFields);
  // Where nothing shows a call that may have had no effect, it most likely had none.
  if (changed.length === 0 || (isRestBack && !past.isSure)) return NO_SECRETS;
  const all = givenFor(undoing, past, secretFields);
  const isLive = ({ field, plain }: Given) => isSame(live.normal[field] ?? null, plain, kind.fields[field]);
  const own = all.filter(({ name }) => changed.includes(name));
  const kept = own.filter(({ isAsSent }) => isRestBack && isAsSent);
  const unsure = namesOf(kept).filter((name) => isRead(kind, name));
  const sure = own.filter((each) => !kept.includes(each));
  // What the service never shows goes along with what it shows, and is no difference on its own.
  const other = sure.filter((each) => isRead(kind, each.name) && !isLive(each));
  const lost = sure.filter((each) => each.isAsSent && isLive(each));
  const ungiven = changed.filter((name) => !own.some((each) => each.name === name));
  const unknown = [...namesOf(lost), ...ungiven].filter((name) => isRead(kind, name));
  const assumed = namesOf(other.filter(({ isAsSent }) => isAsSent));
  return {
    given: other.length === 0 ? [] : [...other, ...all.filter(({ name }) => isWriteOnly(kind, name))],
    problems: [
      ...(unknown.length === 0 ? [] : [secretUnknown(past, zone, unknown, "It stays as it is.")]),
      ...(unsure.length === 0 ? [] : [secretUnsure(past, zone, unsure)]),
      ...(assumed.length === 0 ? [] : [secretAssumed(past, zone, assumed)]),
    ],
  };
}

function namesOf(given: readonly Given[]): readonly string[] {
  return given.map(({ name }) => name);
}

function isRead(kind: Kind, name: string): boolean {
  return !isWriteOnly(kind, name);
}

function isWriteOnly({ fields }: Kind, name: string): boolean {
  return fields[name]?.writeOnly === true;
}

/** One place in an object as the service has it, and what is to stand there again. Undefined: nothing. */
interface Edit {
  readonly path: readonly Segment[];
  readonly value: Json | undefined;
}

type Segment = string | Entry;

/** One of a list whose entries say what they are about. */
interface Entry {
  readonly by: Named;
  readonly name: string;
  /** The entries that stood before it, nearest first. */
  readonly behind: readonly string[];
}

/** What entries of lists are told apart by. */
const NAMES = ["id", "category"] as const;
type Named = (typeof NAMES)[number];

/** The smallest changes that lead from one state of an object to another: what they do not name stays. */
function editsBetween(from: JsonObject, to: JsonObject): readonly Edit[] {
  return editsAt([], from, to);
}

/** The object with these changes made. Maps, lists and entries that then say nothing are gone. */
function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  return edits.reduce((now, { path, value }) => {
    const next = put(now, path, value);
    return isObject(next) ? next : {};
  }, object);
}

type Place = Json | undefined;

function editsAt(path: readonly Segment[], from: Place, to: Place): readonly Edit[] {
  if (equal(from, to)) return [];
  const [old, next] = [mapIn(from), mapIn(to)];
  if (old !== null && next !== null) {
    const names = [...new Set([...Object.keys(next), ...Object.keys(old)])];
    return names.flatMap((name) => editsAt([...path, name], old[name], next[name]));
  }
  const lists = entriesOf(from, to);
  if (lists === null) return [{ path, value: to }];
  const names = [...lists.to.keys()];
  const removed = [...lists.from.keys()].filter((name) => !lists.to.has(name));
  return [...names, ...removed].flatMap((name) => {
    const behind = names.slice(0, Math.max(names.indexOf(name), 0)).reverse();
    const entry: Entry = { by: lists.by, name, behind };
    return editsAt([...path, entry], lists.from.get(name), lists.to.get(name));
  });
}

/** What is not there is a map of nothing. */
function mapIn(place: Place): JsonObject | null {
  if (place === undefined) return {};
  return isObject(place) ? place : null;
}

interface Entries {
  readonly by: Named;
  readonly from: ReadonlyMap<string, JsonObject>;
  readonly to: ReadonlyMap<string, JsonObject>;
}

/** Null: they are values as a whole. */
function entriesOf(from: Place, to: Place): Entries | null {
  for (const by of NAMES) {
    const [old, next] = [byName(from, by), byName(to, by)];
    if (old !== null && next !== null) return { by, from: old, to: next };
  }
  return null;
}

function byName(list: Place, by: Named): ReadonlyMap<string, JsonObject> | null {
  const all = list === undefined ? [] : list;
  if (!isList(all)) return null;
  const named = all.flatMap((each): readonly (readonly [string, JsonObject])[] => {
    const { [by]: name, ...said } = isObject(each) ? each : {};
    return typeof name === "string" ? [[name, said]] : [];
  });
  const entries = new Map(named);
  return entries.size === all.length ? entries : null;
}

function put(now: Place, [first, ...rest]: readonly Segment[], value: Place): Place {
  if (first === undefined) return value;
  return typeof first === "string"
    ? putField(isObject(now) ? now : {}, first, rest, value)
    : putEntry(isList(now) ? now : [], first, rest, value);
}

function putField(map: JsonObject, name: string, rest: readonly Segment[], value: Place): Place {
  const inner = put(map[name], rest, value);
  if (inner !== undefined) return { ...map, [name]: inner };
  const { [name]: _, ...others } = map;
  return Object.keys(others).length === 0 ? undefined : others;
}

function putEntry(
  list: readonly Json[],
  { by, name, behind }: Entry,
  rest: readonly Segment[],
  value: Place,
): Place {
  const indexOf = (wanted: string) => list.findIndex((each) => isObject(each) && each[by] === wanted);
  const index = indexOf(name);
  const entry = put(index < 0 ? { [by]: name } : list[index], rest, value);
  const says = isObject(entry) && Object.keys(entry).some((key) => key !== by) ? [entry] : [];
  const behindIndex = behind.map(indexOf).find((place) => place >= 0) ?? -1;
  const next = index < 0 ? list.toSpliced(behindIndex + 1, 0, ...says) : list.toSpliced(index, 1, ...says);
  return next.length === 0 ? undefined : next;
}
