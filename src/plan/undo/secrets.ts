import { isSame } from "../../kinds/fields.js";
import { pair } from "../../match/pair.js";
import { seal } from "../../match/seal.js";
import type { Declared } from "../../model/declared-zone.js";
import { type Item, pointerOf } from "../../model/item.js";
import { equal, type Json } from "../../model/json.js";
import { isMasked, isSecret, isSensitive, type Sealed } from "../../model/sealed.js";
import { NOTHING, type Past } from "./past.js";

/** The value of a secret field, which goes back with the object. */
interface GivenSecret {
  readonly field: string;
  /** The field's name in the object as the service has it. */
  readonly name: string;
  /** The value as in plans: a reference if it is a secret. */
  readonly value: Sealed;
  readonly plain: Json;
  /** Whether the apply sent a value with the same reference. */
  readonly isAsSent: boolean;
}

export function withSecrets(item: Item, given: readonly GivenSecret[]): Item {
  const named = given.map(({ name, value }) => [name, value as Json] as const); // a reference is JSON
  const fields = given.map(({ field, value }) => [field, value] as const);
  return {
    ...item,
    raw: { ...item.raw, ...Object.fromEntries(named) },
    normal: { ...item.normal, ...Object.fromEntries(fields) },
  };
}

/** All secret fields of an object that the files give. */
function givenFor(past: Past): readonly GivenSecret[] {
  const { kind, zone, afters, replaced, change } = past;
  const entry = entryFor(past);
  if (entry === null) return [];
  const former = { entry: null, secretFields: new Set<string>() };
  const desired = kind.toDesired(entry.body, null);
  const {
    desired: desiredFields,
    secrets,
    unset,
  } = seal(kind, entry, desired, change.key, null, zone, former);
  const bodies = [...afters, ...(replaced?.sent ?? [])];
  return [...past.secretFields].flatMap(([field, name]) => {
    const value = desiredFields[field] ?? null;
    if (value === null || unset.some((each) => each.field === field)) return [];
    const plain = isSecret(value) ? (secrets.get(value.$secret) ?? null) : (value as Json); // what is not sealed is JSON
    const isAsSent = bodies.some(({ [name]: sent }) => sent !== undefined && equal(sent, value));
    return [{ field, name, value, plain, isAsSent }];
  });
}

/** The entry that the files have for the object, as it was before the apply or as the apply made it. */
function entryFor({ kind, zone, declared, live, before, afters, change, itemOf }: Past): Declared | null {
  const entries = declared.filter(({ body }) => body.ensure !== "absent");
  const states = [before, ...afters].filter((raw) => raw !== null).map((raw) => itemOf(raw));
  const pairs = states.flatMap((item) => {
    const items = [{ ...item, ref: { ...item.ref, id: change.id } }];
    return pair(kind, entries, { items, context: live.context }, zone).pairs;
  });
  return pairs.find((each) => each.live !== null)?.declared ?? null;
}

/**
 * Adds the values of secret fields that the journal has in the open. They do not look like secrets. Since their meaning is
 * unknown, plans show references to them. No apply writes a field that is always secret, so somebody else did.
 */
function withJournaled(past: Past): readonly GivenSecret[] {
  const { kind, zone, before, change } = past;
  const journaled = [...past.secretFields].flatMap(([field, name]): readonly GivenSecret[] => {
    const plain = before?.[name] ?? null;
    const isForged = kind.fields[field]?.secret === "always";
    if (isForged || plain === null || plain === "" || isMasked(plain)) return [];
    const place = pointerOf([zone.name, kind.name, change.key, field]).slice(1);
    return [{ field, name, value: { $secret: `journal:${place}` }, plain, isAsSent: false }];
  });
  const known = new Set(namesOf(journaled));
  return [...journaled, ...givenFor(past).filter(({ name }) => !known.has(name))];
}

/**
 * Finds the secrets of an object that goes back, and the values of their references. The journal holds none, so the files
 * have to give them.
 *
 * @param now the live objects in its place, or the object itself
 * @param isRestBack whether all other fields are back already: then it is unknown whether the secret is
 */
export function secretsBack(past: Past, now: readonly Item[], isRestBack = false) {
  const { before, afters, change, isSure, messages } = past;
  const { fields } = past.kind;
  // If no field shows the effect of an unsure call, it most likely had none.
  if (isRestBack && !isSure) return { ...NOTHING, given: [] };
  const isGone = change.action === "delete";
  const all = isGone ? withJournaled(past) : givenFor(past);
  // The service never shows a write-only field, so it is sent with other fields and is no difference by itself.
  const isRead = (name: string) => fields[name]?.writeOnly !== true;
  const isLost = (name: string) => (before?.[name] ?? "") !== "";
  const isChanged = (name: string) =>
    afters.some((after) => !equal(after[name] ?? null, before?.[name] ?? null));
  const needed = [...past.secretFields.values()].filter(isRead).filter(isGone ? isLost : isChanged);
  const neededSecrets = all.filter(({ name }) => needed.includes(name));
  const unsure = neededSecrets.filter(({ isAsSent }) => isRestBack && isAsSent);
  const isDoubtful = (each: GivenSecret) => (isGone ? mayBeOfReplacement(past, each) : each.isAsSent);
  const isLive = ({ field, plain }: GivenSecret) =>
    now.some(({ normal }) => isSame(normal[field] ?? null, plain, fields[field]));
  // A doubtful value that is not live may be the former one.
  const sure = neededSecrets.filter((each) => !isDoubtful(each) || (now.length > 0 && !isLive(each)));
  const unknown = needed.filter((name) => ![...sure, ...unsure].some((each) => each.name === name));
  const differing = sure.filter((each) => !unsure.includes(each) && !isLive(each));
  const back = isGone ? unknown.length === 0 : differing.length > 0;
  const returning = isGone ? neededSecrets : differing;
  const given = back ? all.filter((each) => !isRead(each.name) || returning.includes(each)) : [];
  const assumed = given.filter((each) => isRead(each.name) && isDoubtful(each));
  const consequence = isGone ? "It is not created again." : "It stays unchanged.";
  return {
    given,
    secrets: new Map(given.flatMap(({ value, plain }) => (isSecret(value) ? [[value.$secret, plain]] : []))),
    problems: [
      ...(unknown.length === 0 ? [] : [messages.secretUnknown(unknown, consequence)]),
      ...(unsure.length === 0 ? [] : [messages.secretUnsure(namesOf(unsure))]),
      ...(assumed.length === 0 ? [] : [messages.secretAssumed(namesOf(assumed))]),
    ],
  };
}

/**
 * Whether the files may give the value of a replaced object's replacement, which got another value from the same place, or
 * from an unknown place.
 */
function mayBeOfReplacement({ before, replaced }: Past, { field, name, isAsSent }: GivenSecret): boolean {
  const shown = replaced?.shown[field] ?? null;
  if (replaced === undefined || !isSensitive(shown) || shown.$sensitive === "same") return false;
  return (before?.[name] ?? "") !== "" && (isAsSent || replaced.sent.length === 0);
}

function namesOf(given: readonly GivenSecret[]): readonly string[] {
  return given.map(({ name }) => name);
}
