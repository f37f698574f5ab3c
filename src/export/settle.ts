import { desiredFrom } from "../config/index.js";
import { declaredIn } from "../config/zone.js";
import { diffFields } from "../diff/fields.js";
import type { Kind, Live } from "../kinds/kind.js";
import { keyOwning } from "../kinds/owning-key.js";
import { match } from "../match/index.js";
import type { Path, Triple } from "../model/item.js";
import type { Problem, Result } from "../model/problem.js";
import { secretsIn } from "../model/secrets-in-text.js";
import type { Declared, Service, WantedZone } from "../model/wanted.js";
import { fileText, serviceFor } from "./file-text.js";
import { type LeftOut, leaveOut, type Place } from "./leave-out.js";
import { unsaid } from "./unsaid.js";
import type { Entry, ExportedZone, Section } from "./zone.js";

/** Reads what a file with these objects would have a plan read. */
export type ReadAgain = (
  kind: Kind,
  declared: readonly Declared[],
  locate: WantedZone["locate"],
) => Promise<Result<Live>>;

/**
 * The zone without what no file can declare. The file is read and compared as `plan` does it; what is refused, or would
 * come out as a change, is left out with a note, until nothing is. So an export holds by trial, whatever is live.
 */
export async function settle(zone: ExportedZone, read: ReadAgain): Promise<ExportedZone> {
  const tried = await tryOut(zone, read);
  return tried.leftOut.length === 0 ? tried.zone : settle(leaveOut(zone, tried.leftOut), read);
}

interface Tried {
  readonly leftOut: readonly LeftOut[];
  /** With notes of what the file does not say, where nothing is left out. */
  readonly zone: ExportedZone;
}

async function tryOut(zone: ExportedZone, read: ReadAgain): Promise<Tried> {
  const { text, secrets } = fileText([zone]);
  const exposed = exposedIn(zone, [...secrets.values()]);
  if (exposed.length > 0) return { leftOut: exposed, zone };
  const { desired, problems } = desiredFrom([{ file: "export", text }], Object.fromEntries(secrets));
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return { leftOut: errors.map(refused), zone };
  const [declared] = desired?.zones ?? [];
  if (declared === undefined) return { leftOut: [], zone };
  const wanted = declared.open();
  const tried = await Promise.all(
    zone.sections.map((section) => trySection(section, wanted, serviceFor([zone]), read)),
  );
  return {
    leftOut: tried.flatMap(({ leftOut }) => leftOut),
    zone: { ...zone, sections: tried.map(({ section }) => section) },
  };
}

/** Objects that hold a secret where everybody sees it. */
function exposedIn({ sections }: ExportedZone, secrets: readonly string[]): readonly LeftOut[] {
  return sections.flatMap(({ kind, entries }) =>
    entries.flatMap((entry, index) => {
      const shown = Object.entries(entry.body).filter(([key]) => kind.sensitive[key] !== "always");
      if (secretsIn(JSON.stringify(shown), secrets).length === 0) return [];
      const why = "A secret of a log destination stands in it, where the file would show it.";
      return [{ place: { section: kind.section, index, key: null, inner: null }, why, isNameless: true }];
    }),
  );
}

function refused({ at, detail }: Problem): LeftOut {
  return { place: placeOf(at?.pointer ?? ""), why: detail };
}

/** `/zones/NAME/section/0/key/inner`; a kind with one object has no index. */
function placeOf(pointer: string): Place | null {
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
  const { kind, entries } = section;
  if (entries.length === 0) return { leftOut: [], section };
  const declared = declaredIn(kind, wanted.sections);
  const live = await read(kind, declared, wanted.locate);
  if (!live.ok) {
    const place = { section: kind.section, index: null, key: null, inner: null };
    return { leftOut: live.problems.map(({ detail }) => ({ place, why: detail })), section };
  }
  const matched = match(kind, declared, live.value, wanted, { former: null, only: "all" });
  const errors = matched.problems.filter(({ severity }) => severity === "error");
  const byTriple = matched.triples.map((triple) => {
    const entry = entries[indexOf(triple.want?.at ?? null) ?? 0];
    return { triple, entry, leftOut: entry === undefined ? [] : differing(kind, triple, entry, service) };
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

/** What would be a change. */
function differing(kind: Kind, { want, live }: Triple, entry: Entry, service: Service): readonly LeftOut[] {
  if (want === null) return [];
  const at = { section: kind.section, index: indexOf(want.at) };
  const wrong = kind.checkWhole(want, service).filter(({ severity }) => severity === "error");
  if (wrong.length > 0)
    return wrong.map(({ path: [key], detail }) => ({
      place: { ...at, key: typeof key === "string" ? key : null, inner: null },
      why: detail,
    }));
  return diffFields(live?.normal ?? null, want.normal, kind.meanings).map(({ path: field }) => ({
    place: { ...at, ...keyOwning(kind, field, entry.body, entry.item) },
    why: `To declare it would change its ${field}.`,
  }));
}
