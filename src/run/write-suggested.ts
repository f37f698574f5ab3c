import type { Unit } from "../adopt/drifted.js";
import { type Texts, writtenBack } from "../adopt/write-back.js";
import type { Client } from "../api/client.js";
import { desiredFrom } from "../config/index.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { isSame } from "../kinds/fields.js";
import type { Kind, Live } from "../kinds/kind.js";
import { entryAt } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import type { SuggestedValue } from "../model/suggestion.js";
import { type FilesInput, readFilesToEdit } from "./files.js";
import { writeFiles } from "./write-files.js";

/** A suggestion for one object. */
export interface Suggested {
  readonly zone: string;
  readonly value: SuggestedValue;
  /** The part of the suggestion that may go into the files. */
  readonly toWrite: Pick<SuggestedValue, "proposed" | "added">;
  /** The object's declaration. Null: undeclared. */
  readonly declared: {
    readonly kind: Kind;
    readonly live: Live;
    readonly item: Item;
    readonly open: OpenZone;
  } | null;
}

export type Written = NonNullable<SuggestedValue["written"]>;

/**
 * Writes suggestions into the files that declare their objects, as `adopt` writes drift. All other text stays byte for byte.
 * Undeclared objects, and values that cannot be edited alone, are left.
 */
export async function writeSuggested(
  all: readonly Suggested[],
  input: FilesInput,
  client: Pick<Client, "isCredentialIn">,
): Promise<Result<ReadonlyMap<Suggested, Written>>> {
  const written = new Map<Suggested, Written>();
  const { files, problems } = await readFilesToEdit(input);
  const units = new Map<Unit, Suggested>();
  for (const each of all.filter(({ value }) => value.added.length > 0)) {
    const unit = unitOf(each);
    if (unit !== null && each.toWrite.added.length === 0) written.set(each, { why: ONLY_REPORTED });
    else if (unit !== null) units.set(unit, each);
    else written.set(each, { why: each.value.stands === "new" ? NOT_THERE : NOT_DECLARED });
  }
  if (units.size === 0) return ok(written);
  if (problems.length > 0) return failed(...problems);
  const before: Texts = new Map(files.map(({ file, text }) => [file, text]));
  const { texts, outcomes } = writtenBack([...units.keys()], before);
  if ([...texts.values()].some((text) => client.isCredentialIn(text))) return failed(EXPOSED);
  const isAsMeant = readAgain(new Map([...before, ...texts]), input);
  const wrong = outcomes.filter(({ unit, why }) => why === null && !isAsMeant(unit, units.get(unit)));
  for (const { unit, why } of outcomes) {
    const suggested = units.get(unit);
    if (suggested === undefined) continue;
    const file = unit.zone.layers.at(-1)?.source.file ?? "";
    if (why !== null) written.set(suggested, { why });
    else if (wrong.length > 0)
      written.set(suggested, { why: "The edited file would not match the suggestion." });
    else written.set(suggested, { file, left: leftOf(suggested) });
  }
  if (wrong.length > 0) return ok(written);
  const done = await writeFiles(texts, before, input.cwd);
  return done.ok ? ok(written) : done;
}

const NOT_DECLARED = "It is undeclared. Declare it first: zoneward adopt --new.";
const NOT_THERE = "The files have no such policy. Paste the suggestion into the zone's file.";
const ONLY_REPORTED =
  "Reports only; reports can be forged. Add your own sources to the value, or pass --write=reported.";

/** Suggested sources that are not written, because only reported loads need them. */
function leftOf({ value, toWrite }: Suggested): readonly string[] {
  const written = new Set(toWrite.added.map(({ kind, source }) => `${kind} ${source}`));
  return value.added.flatMap(({ kind, source }) => (written.has(`${kind} ${source}`) ? [] : [source]));
}

const EXPOSED = problem(
  "secret_exposed",
  "Credential would be exposed",
  "A seen load has the credential of this run, and the file would show it. Nothing is written.",
);

/** Treats the suggested value as drift that the files adopt. */
function unitOf({ declared, toWrite }: Suggested): Unit | null {
  if (declared === null) return null;
  const { kind, live, item, open } = declared;
  const field = kind.touches?.loads?.field;
  const entry = entryAt(declaredIn(kind, open.sections), item.at);
  if (field === undefined || entry === undefined) return null;
  const next: Item = { ...item, normal: { ...item.normal, [field]: toWrite.proposed } };
  const drifted = {
    as: "changed" as const,
    ref: item.ref,
    declared: entry,
    live: next,
    fields: [{ field, origin: "drift" as const }],
    position: null,
  };
  return { zone: open, kind, context: live.context, secretFields: new Set(), drifted };
}

/** Tests whether the edited files are valid and declare the suggested value. */
function readAgain(
  texts: Texts,
  { environment }: FilesInput,
): (unit: Unit, suggested: Suggested | undefined) => boolean {
  const files = [...texts].map(([file, text]) => ({ file, text }));
  const { desired } = desiredFrom(files, environment, "check");
  const zones = new Map(desired?.zones.map((zone) => [zone.name, zone]));
  return ({ kind, drifted }, suggested) => {
    const field = kind.touches?.loads?.field;
    const open = zones.get(suggested?.zone ?? "")?.open();
    if (drifted.as !== "changed" || field === undefined || suggested === undefined || open === undefined)
      return false;
    const { path } = drifted.declared;
    const again = entryAt(declaredIn(kind, open.sections), path);
    if (again === undefined) return false;
    const now = kind.toDesired(again.body, null)[field] ?? null;
    return isSame(now, suggested.toWrite.proposed, kind.fields[field]);
  };
}
