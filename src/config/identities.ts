import { canonicalName } from "../kinds/fields.js";
import { haveSameKey } from "../kinds/keys.js";
import { entryName, type Key, type Kind, listOf, nameField } from "../kinds/kind.js";
import { quoted } from "../model/cut.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { type Problem, problem } from "../model/problem.js";

/** Checks that each name, id and former name can refer to only one live object. */
export function checkIdentities(
  kind: Kind,
  declared: readonly Declared[],
  body: Pick<WantedZone, "locate">,
): readonly Problem[] {
  const list = listOf(kind);
  if (list === null || nameField(kind) === null) return [];
  const { named, within } = list;
  const pins = new Map<string, string>();
  const before: Entry[] = [];
  const entries = declared.map((object): Entry => {
    const { renamed_from: former, id } = object.body;
    const called = kind.keys.declared(object.body, null);
    const formerName = typeof former === "string" ? { ...called, name: canonicalName(former) } : null;
    return { called, former: formerName, isPinned: id !== undefined };
  });
  return declared.flatMap((object, index): readonly Problem[] => {
    const { id, [named]: name } = object.body;
    const entry = entries[index];
    if (entry === undefined) return [];
    const mistakes = [
      ...checkPlace(named, within, entry, before),
      // Some endpoints have ids as text, others as numbers.
      ...(typeof id === "string" || typeof id === "number"
        ? checkPin(String(id), typeof name === "string" ? name : null, pins)
        : []),
      ...checkFormerName(entry, entries, before),
    ];
    before.push(entry);
    return mistakes.map(({ key, ...rest }) => ({
      ...rest,
      severity: "error",
      at: body.locate([...object.path, key]),
    }));
  });
}

/** The present and the former name of an entry. */
interface Entry {
  readonly called: Key;
  readonly former: Key | null;
  /** Whether an id identifies the object, and not the name. */
  readonly isPinned: boolean;
}

/** Two layers can each have an entry of one name, which only shows after merging. */
function checkPlace(
  named: string,
  within: string | undefined,
  { called }: Entry,
  before: readonly Entry[],
): readonly Wrong[] {
  if (within === undefined || !before.some((earlier) => haveSameKey(earlier.called, called))) return [];
  const detail = `Two entries have the name ${quoted(called.name ?? "")}. Remove one, or give each its own ${within}.`;
  return [{ key: named, code: "duplicate_name", summary: "Duplicate name", detail }];
}

/** Checks that no two entries are about the same subject. */
export function checkSubjects(
  kind: Kind,
  declared: readonly Declared[],
  body: Pick<WantedZone, "locate">,
): readonly Problem[] {
  const list = listOf(kind);
  if (list === null || nameField(kind) !== null) return [];
  const first = new Map<string, Declared>();
  return declared.flatMap((object): readonly Problem[] => {
    const { name: subject } = kind.keys.declared(object.body, null);
    const earlier = subject === null ? undefined : first.get(subject);
    if (subject !== null && earlier === undefined) first.set(subject, object);
    if (earlier === undefined) return [];
    const where = body.locate(earlier.path, "key");
    const place = where === null ? "" : ` (${where.file}:${where.line})`;
    const detail = `${quoted(entryName(kind, object))} is the same as ${quoted(entryName(kind, earlier))}${place}. Remove one of the two.`;
    const at = body.locate([...object.path, list.named], "value");
    const summary = `Duplicate name ${quoted(entryName(kind, object))}`;
    return [problem("duplicate_name", summary, detail, at)];
  });
}

interface Wrong {
  readonly key: string;
  readonly code: string;
  readonly summary: string;
  readonly detail: string;
}

function checkPin(id: string, name: string | null, pins: Map<string, string>): readonly Wrong[] {
  if (!isHex(id))
    return [{ key: "id", code: "bad_id", summary: `Invalid id ${quoted(id)}`, detail: NOT_AN_ID }];
  const owner = pins.get(id.toLowerCase());
  pins.set(id.toLowerCase(), owner ?? (name === null ? "an entry without a name" : quoted(name)));
  if (owner === undefined) return [];
  const detail = `This id belongs to ${owner} already. Give it to one of the two only.`;
  return [{ key: "id", code: "duplicate_id", summary: `Duplicate id ${quoted(id)}`, detail }];
}

function checkFormerName(
  { called, former }: Entry,
  all: readonly Entry[],
  before: readonly Entry[],
): readonly Wrong[] {
  if (former?.name == null || called.name === null) return [];
  const declared = all.find((entry) => entry.called !== called && haveSameKey(entry.called, former)) ?? null;
  const namesake = before.find((entry) => entry.former !== null && haveSameKey(entry.former, former));
  const isPresent = former.name === called.name && called.within === null;
  // The entry may have moved to another list, in which the same name is free.
  const detail = formerAdvice(former.name, isPresent, declared, namesake?.called.name ?? null);
  return detail === null
    ? []
    : [
        {
          key: "renamed_from",
          code: "bad_rename",
          summary: `Unusable former name ${quoted(former.name)}`,
          detail,
        },
      ];
}

function formerAdvice(
  former: string,
  isPresent: boolean,
  declared: Entry | null,
  namesake: string | null,
): string | null {
  if (isPresent) return "The former name is the present name. Remove renamed_from.";
  if (declared?.isPinned === true) {
    return `${quoted(former)} is also declared here, with an id. Replace renamed_from with the id of the live object, or remove renamed_from.`;
  }
  if (declared !== null) {
    return `${quoted(former)} is also declared here, and keeps the live object of that name. Remove renamed_from, or the other entry.`;
  }
  if (namesake === null) return null;
  return `${quoted(namesake)} has the same renamed_from. Keep it in one of the two.`;
}

export const NOT_AN_ID =
  "Ids at Cloudflare have 32 hexadecimal digits. Copy the id from the dashboard, or remove it.";

/** The API schema says hexadecimal, and no length. */
export function isHex(text: string): boolean {
  return /^[0-9a-f]{1,64}$/i.test(text);
}
