import { desiredFrom } from "../config/index.js";
import { declaredIn } from "../config/zone.js";
import { diffFields, isSame } from "../kinds/fields.js";
import { impliedIn, type Kind, type Live, listOf, owningKeys } from "../kinds/kind.js";
import { hasSensitive } from "../kinds/secret-fields.js";
import { withoutBase } from "../match/base.js";
import { match } from "../match/match.js";
import type { Declared, Service, WantedZone } from "../model/declared-zone.js";
import type { Path, Triple } from "../model/item.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import { secretsIn } from "../model/looks-secret.js";
import type { Problem, Result } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import { bodiesOf, isListIn } from "./bodies.js";
import { fileText, serviceFor } from "./file-text.js";
import type { Entry, ExportedZone, Section } from "./read-live.js";

/** Reads the live state that a plan of these objects would read. */
type ReadAgain = (
  kind: Kind,
  declared: readonly Declared[],
  locate: WantedZone["locate"],
) => Promise<Result<Live>>;

/**
 * Removes everything that cannot be declared. The file is planned like any other; parts that are refused or would be a
 * change are left out with a note, and the rest is planned again, until no such part remains.
 *
 * @param known limits of the service that are known already, and values that no file may show
 */
export async function settle(zone: ExportedZone, known: Known, read: ReadAgain): Promise<ExportedZone> {
  const trial = await tryOut(zone, known, read);
  return trial.leftOut.length === 0 ? trial.zone : settle(leaveOut(zone, trial.leftOut), known, read);
}

interface Known {
  readonly service: Service;
  readonly isSecretIn: (text: string) => boolean;
}

interface Trial {
  readonly leftOut: readonly LeftOut[];
  /** With notes on undeclared fields, if nothing is left out. */
  readonly zone: ExportedZone;
}

async function tryOut(
  zone: ExportedZone,
  { service: known, isSecretIn }: Known,
  read: ReadAgain,
): Promise<Trial> {
  const { bodies, secrets } = bodiesOf([zone]);
  const service = serviceFor([zone], known);
  const text = fileText({ remarks: [], service, templates: [], zones: bodies });
  const shows = (text: string) => secretsIn(text, secrets.values()).length > 0;
  const exposed = [
    ...exposedIn(zone, shows, "the secret of a log destination"),
    ...exposedIn(zone, isSecretIn, "the value of a secret variable"),
  ];
  if (exposed.length > 0) return { leftOut: exposed, zone };
  const { desired, problems } = desiredFrom([{ file: "export", text }], Object.fromEntries(secrets));
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return { leftOut: errors.map(refused), zone };
  const [declared] = desired?.zones ?? [];
  if (declared === undefined) return { leftOut: [], zone };
  const wanted = declared.open();
  const runs = await Promise.all(zone.sections.map((section) => trySection(section, wanted, service, read)));
  return {
    leftOut: runs.flatMap(({ leftOut }) => leftOut),
    zone: { ...zone, sections: runs.map(({ section }) => section) },
  };
}

/** Objects with a secret in a field that is shown. */
function exposedIn(
  { sections }: ExportedZone,
  shows: (text: string) => boolean,
  what: string,
): readonly LeftOut[] {
  return sections.flatMap(({ kind, name, entries }) =>
    entries.flatMap((entry, index) => {
      const shown = Object.entries(entry.body).filter(([key]) => kind.fields[key]?.secret !== "always");
      if (!shows(JSON.stringify(shown))) return [];
      const why = `It has ${what}, which the file would show.`;
      return [{ place: { section: name, index, key: null, inner: null }, why, isNameless: true }];
    }),
  );
}

function refused({ at, detail }: Problem): LeftOut {
  return { place: bodyPlaceOf(at?.pointer ?? ""), why: detail };
}

/** `/zones/NAME/section/0/key/inner`; a single object has no index. */
function bodyPlaceOf(pointer: string): BodyPlace | null {
  const steps = pointer.split("/").slice(3);
  const [section, ...rest] = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (section === undefined) return null;
  const isItem = /^\d+$/.test(rest[0] ?? "");
  const [key = null, inner = null] = isItem ? rest.slice(1) : rest;
  return { section, index: isItem ? Number(rest[0]) : null, key, inner };
}

async function trySection(
  section: Section,
  wanted: WantedZone,
  service: Service,
  read: ReadAgain,
): Promise<{ readonly leftOut: readonly LeftOut[]; readonly section: Section }> {
  const { kind, name, entries } = section;
  if (entries.length === 0) return { leftOut: [], section };
  const declared = declaredIn(kind, wanted.sections);
  const live = await read(kind, declared, wanted.locate);
  if (!live.ok) {
    const place = { section: name, index: null, key: null, inner: null };
    return { leftOut: live.problems.map(({ detail }) => ({ place, why: detail })), section };
  }
  const matched = match({ kind, base: withoutBase(kind), declared, live: live.value }, wanted, {
    only: "all",
  });
  const errors = matched.problems.filter(({ severity }) => severity === "error");
  const byTriple = matched.triples.map((triple) => {
    const entry = entries[indexOf(triple.want?.at ?? null) ?? 0];
    return { triple, entry, leftOut: entry === undefined ? [] : differing(section, triple, entry, service) };
  });
  const leftOut = [...errors.map(refused), ...byTriple.flatMap((each) => each.leftOut)];
  if (leftOut.length > 0) return { leftOut, section };
  const remarks = new Map(
    byTriple.map(({ triple, entry }) => [entry, entry === undefined ? [] : unsaid(kind, triple, entry)]),
  );
  const remarked = entries.map((each) => ({ ...each, notes: [...each.notes, ...(remarks.get(each) ?? [])] }));
  return { leftOut: [], section: { ...section, entries: remarked } };
}

function indexOf(path: Path | null): number | null {
  const step = path?.[1];
  return typeof step === "number" ? step : null;
}

/** Fields that would be a change. */
function differing(
  { kind, name }: Section,
  { want, live }: Triple,
  entry: Entry,
  service: Service,
): readonly LeftOut[] {
  if (want === null) return [];
  const at = { section: name, index: indexOf(want.at) };
  const errors = (kind.checks?.whole?.(want, service) ?? []).filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    return errors.map(({ path: [key], detail }) => ({
      place: { ...at, key: typeof key === "string" ? key : null, inner: null },
      why: detail,
    }));
  const keys = owningKeys(kind, entry.body, entry.item);
  return diffFields(live?.normal ?? null, want.normal, kind.fields).map(({ path: field }) => {
    const [key = null, inner = null] = keys.get(field) ?? [];
    return { place: { ...at, key, inner }, why: `Declaring it would change its ${field}.` };
  });
}

/** Notes on live fields that the entry does not declare. Defaults of the service are skipped. */
function unsaid(kind: Kind, { want, live }: Triple, { item, leftOut }: Entry): readonly string[] {
  if (want === null || live === null) return [];
  // The triple does not have possible secrets.
  const liveFields: SealedObject = hasSensitive(kind) ? item.normal : live.normal;
  const defaults = impliedIn(kind);
  const named = listOf(kind)?.named;
  const fields = Object.entries(liveFields).filter(
    ([field, value]) =>
      !want.owns.includes(field) &&
      !leftOut.includes(field) &&
      value !== null &&
      !(field === named && value === "") &&
      !isSame(value, defaults[field] ?? null, kind.fields[field]),
  );
  return fields.map(([field, value]) => {
    const words = hasSensitive(kind) ? "" : `, which is ${wordsFor(kind, field, value as Json)}`; // as it came
    return `Not managed: ${field}${words}.`;
  });
}

function wordsFor(kind: Kind, field: string, value: Json): string {
  return kind.fields[field]?.show?.(value) ?? JSON.stringify(value);
}

/** A place in a zone's body. */
interface BodyPlace {
  readonly section: string;
  /** The index in a list. Null: a single object, or the whole section. */
  readonly index: number | null;
  /** The key in the object, and the key below that. */
  readonly key: string | null;
  readonly inner: string | null;
}

/** A part to leave out of the file, and why. */
interface LeftOut {
  readonly place: BodyPlace | null;
  readonly why: string;
  /** The name may hold a secret, so it is not shown. */
  readonly isNameless?: true;
}

/**
 * Removes parts of a zone, with a note for each. A part without a section, such as a new field of expressions, may come
 * from any section: all sections go, since otherwise the same refusal would repeat forever.
 */
function leaveOut(zone: ExportedZone, leftOuts: readonly LeftOut[]): ExportedZone {
  const names = zone.sections.map(({ name }) => name);
  return {
    ...zone,
    sections: zone.sections.map((section) => {
      const sectionLeftOuts = leftOuts.filter(
        ({ place }) => place === null || place.section === section.name || !names.includes(place.section),
      );
      return sectionLeftOuts.length === 0 ? section : withoutLeftOut(section, sectionLeftOuts);
    }),
  };
}

function withoutLeftOut(section: Section, leftOuts: readonly LeftOut[]): Section {
  const isList = isListIn(section);
  const whole = leftOuts.find(({ place }) => place === null || (isList && place.index === null));
  if (whole !== undefined) return withoutAll(section, whole.why);
  const notes: string[] = [];
  const entries = section.entries.flatMap((entry, index) => {
    const entryLeftOuts = leftOuts.filter(({ place }) => !isList || place?.index === index);
    if (entryLeftOuts.length === 0) return [entry];
    const reduced = withoutKeys(entry, entryLeftOuts, section);
    if (reduced !== null) return [reduced];
    const isNameless = entryLeftOuts.some((each) => each.isNameless === true);
    const name = isNameless ? `${section.kind.name} ${entry.item.ref.id}` : nameOf(entry, section);
    const why = unnamed(entry, section) ?? entryLeftOuts[0]?.why ?? "";
    notes.push(...(isNameless ? [] : entry.notes), `Not managed: ${name}. ${why}`);
    return [];
  });
  return { ...section, entries, notes: [...section.notes, ...notes] };
}

/** Why an object without a name cannot be in a list. Null: it has a name. */
function unnamed({ item }: Entry, { kind }: Section): string | null {
  const named = listOf(kind)?.named;
  if (named === undefined || item.ref.key.trim() !== "") return null;
  return `It has no ${named} to identify it. Set one, for example in the dashboard, and export again.`;
}

function withoutAll(section: Section, why: string): Section {
  if (section.entries.length === 0) return section;
  const notes = section.entries.flatMap((entry) => entry.notes);
  return {
    ...section,
    entries: [],
    notes: [...section.notes, ...notes, `Not managed: ${section.name}. ${why}`],
  };
}

function nameOf({ item }: Entry, section: Section): string {
  if (!isListIn(section)) return section.name;
  const { kind, key, id } = item.ref;
  const name = key.trim() === "" ? `unnamed ${kind}` : `${kind} ${JSON.stringify(key)}`;
  return id === null ? name : `${name} (${id})`;
}

/** Null: without these keys, the entry is empty or cannot be identified. */
function withoutKeys(entry: Entry, leftOuts: readonly LeftOut[], { kind }: Section): Entry | null {
  const named = listOf(kind)?.named ?? null;
  const notes = [...entry.notes];
  let body = entry.body;
  for (const { place, why } of leftOuts) {
    const key = place?.key ?? null;
    if (key === null || key === named || !Object.hasOwn(entry.body, key)) return null;
    if (!Object.hasOwn(body, key)) continue;
    const reduced = withoutKey(body, key, place?.inner ?? null);
    body = reduced.body;
    notes.push(`Not managed: ${reduced.name}. ${why}`);
  }
  const isLeft = Object.keys(body).some((each) => each !== named && each !== "id");
  const leftOut = [...entry.leftOut, ...lostFields(kind, entry, body)];
  return isLeft ? { ...entry, body, notes, leftOut } : null;
}

/** Fields that the reduced body no longer has. */
function lostFields(kind: Kind, { body, item }: Entry, reducedBody: JsonObject): readonly string[] {
  const kept = kind.toDesired(reducedBody, item);
  return Object.keys(kind.toDesired(body, item)).filter((field) => !(field in kept));
}

function withoutKey(
  body: JsonObject,
  key: string,
  inner: string | null,
): { readonly body: JsonObject; readonly name: string } {
  const { [key]: value = null, ...rest } = body;
  if (inner === null || !isObject(value) || !Object.hasOwn(value, inner)) return { body: rest, name: key };
  const { [inner]: _, ...otherKeys } = value;
  const isEmpty = Object.keys(otherKeys).length === 0;
  return { body: isEmpty ? rest : { ...body, [key]: otherKeys }, name: `${key}.${inner}` };
}
