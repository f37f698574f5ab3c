import { adopted, type TryOut } from "../adopt/adopt.js";
import { driftedOf, keyOf, sectionOf, type Unit, type UnitOutcome } from "../adopt/drifted.js";
import type { Texts, WrittenBack } from "../adopt/write-back.js";
import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { type Desired, desiredFrom } from "../config/index.js";
import { valuesIn } from "../config/syntax.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { managedKinds } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import { fieldsWithSecrets } from "../kinds/secret-fields.js";
import { type KindReport, reportOnce } from "../match/report-once.js";
import { refusedBy } from "../model/guardrails.js";
import type { Json } from "../model/json.js";
import { secretsIn } from "../model/looks-secret.js";
import {
  asError,
  failed,
  hasErrors,
  ok,
  type Problem,
  problem,
  type Result,
  warning,
} from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { Effect } from "../model/strength.js";
import { type Judged, judged } from "./adopt-judged.js";
import { type Base, readBoth } from "./base.js";
import { EXIT } from "./exit-codes.js";
import { type PlanInput, readFilesToEdit } from "./files.js";
import { type LiveReader, liveReader } from "./live.js";
import { type LocatedZone, locateZones, placed } from "./locate.js";
import { picksOf } from "./narrowing.js";
import { type RunBase, runBase } from "./run-base.js";
import { notHeldAgainst } from "./secrets.js";
import { selectZones } from "./select-zones.js";
import { unreadSection } from "./unread-sections.js";
import { writeFiles } from "./write-files.js";
import { collected, someAtATime } from "./zones.js";

/** The result of an adoption. */
export interface Adoption {
  readonly adopted: readonly EffectiveChange[];
  readonly left: readonly LeftChange[];
  /** The files that were written. In a dry run: those that would be. */
  readonly files: readonly string[];
  /** The edits as a patch. Only in a dry run. */
  readonly patch?: string;
  /** The names of secrets that the files now need. */
  readonly secrets: readonly string[];
  /** Breaches that are not lifted. If there are any, nothing is written. */
  readonly refused: readonly Problem[];
  /** Zones that could not be read, files that could not be written, and warnings. */
  readonly problems: readonly Problem[];
}

/** A dry run always exits 0. */
export function adoptionCode({ problems, refused, patch }: Adoption): number {
  if (hasErrors(problems)) return EXIT.error;
  return refused.length > 0 && patch === undefined ? EXIT.refused : EXIT.done;
}

interface AdoptInput extends PlanInput {
  /** Whether undeclared objects that are not acknowledged are added to the files too. */
  readonly withUndeclared?: boolean;
  /** Whether nothing is written. */
  readonly isDry?: boolean;
}

/** A change made outside the files that is now in the files. */
export interface AdoptedChange {
  readonly zone: string;
  readonly section: string;
  readonly key: string;
  /** Null: the object as a whole. */
  readonly field: string | null;
  /** The files lose the object's entry, since the object was deleted outside. */
  readonly removed?: true;
}

/** An adopted change with its effect on protection. */
export interface EffectiveChange extends AdoptedChange {
  /** Null: no longer known. */
  readonly effect: Effect | null;
}

/** Drift that is not written into the files. */
export interface LeftChange extends AdoptedChange {
  readonly why: string;
}

/** An adoption with the document of its drift. */
interface AdoptRun extends Pick<Judged, "driftIn"> {
  readonly adoption: Adoption;
}

/** Files → live state → drift → files with the drift. Only reads are sent. */
export async function runAdopt(
  input: AdoptInput,
  client: Client,
  progress: Progress,
): Promise<Result<AdoptRun>> {
  const read = await readFiles(input, client);
  if (!read.ok) return read;
  const { desired, base, texts, warnings, secrets } = read.value;
  const selected = selectZones(desired, input.zones);
  if (!selected.ok) return selected;
  const picks = picksOf(input);
  if (!picks.ok) return picks;
  const zones = await locateZones(selected.value, client);
  const shared = new ZoneReads(client);
  const looks = zones.map((zone) => lookingAt(zone, client, shared));
  const compared = comparing(desired, base, input);
  const looked = await lookAll(looks, compared, client.concurrency, progress);
  const { whole } = picks.value;
  const isMeant = (unit: Unit) => whole.has({ kind: unit.kind.name, key: keyOf(unit) });
  const units = looked.units.filter(isMeant);
  const { problems } = looked;
  const result = await adopted(units, texts, tryingOut(looks, { units, problems }, base, input, isMeant));
  const hidden = [...secrets, ...looks.flatMap((look) => [...look.secrets])];
  if (isExposed(result, texts, hidden, client)) return failed(exposed());
  const all = [...warnings, ...notHeldAgainst(selected.value.map((zone) => zone.open())), ...problems];
  const reads = new Map(looks.map((look) => [look.zone.declared.name, look.reads]));
  const judgement = await judged(units, { ...input, reads }, client);
  if (!judgement.ok) return judgement;
  const { driftIn } = judgement.value;
  const isDry = input.isDry === true;
  const adoption = adoptionOf(result, judgement.value, all, isDry);
  if (isDry) return ok({ adoption: { ...adoption, patch: await patchOf(result.texts, texts) }, driftIn });
  if (adoption.refused.length > 0) return ok({ adoption, driftIn });
  const written = await writeFiles(result.texts, texts, input.cwd);
  return written.ok ? ok({ adoption, driftIn }) : failed(...all, ...written.problems);
}

/** The edits in the format of `git apply`. */
async function patchOf(after: Texts, before: Texts): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  return [...after]
    .map(([file, text]) =>
      createTwoFilesPatch(`a/${file}`, `b/${file}`, before.get(file) ?? "", text, undefined, undefined, {
        headerOptions: FILE_HEADERS_ONLY,
      }),
    )
    .join("");
}

interface FilesRead {
  readonly desired: Desired;
  readonly base: Base | null;
  /** The files as they are on the disk. */
  readonly texts: Texts;
  readonly warnings: readonly Problem[];
  /** The values of the secrets in the files, before the change and now. */
  readonly secrets: readonly string[];
}

async function readFiles(input: PlanInput, client: Client): Promise<Result<FilesRead>> {
  const read = await readBoth(input);
  if (!read.ok) return read;
  const { desired, problems: warnings, secrets } = read.value.files;
  const { base, warnings: unread } = read.value.before;
  client.addSecrets(secrets);
  if (input.base !== undefined && base === null) return failed(...unread.map(asError));
  const { files, problems } = await readFilesToEdit(input);
  if (problems.length > 0) return failed(...problems);
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  return ok({ desired, base, texts, warnings: [...unread, ...warnings], secrets });
}

function comparing(desired: Desired, base: Base | null, input: AdoptInput): Compared {
  const { withUndeclared = false } = input;
  return { desired, base: runBase({ ...input, about: "drift" }, desired, base), withUndeclared };
}

/** The drift that was found, and the sections that could not be read. */
interface Looked {
  readonly units: readonly Unit[];
  readonly problems: readonly Problem[];
}

/** The drift of all zones. A section that cannot be read does not stop the other sections. */
async function lookAll(
  looks: readonly ZoneLook[],
  files: Compared,
  concurrency: number,
  progress: Progress,
): Promise<Looked> {
  const looking = someAtATime(looks, 2 * concurrency, async (look) => {
    const { units, problems } = await look.at(files);
    return { units, problems: placed(problems, look.zone.declared).problems };
  });
  const found = await collected(looking, looks.length, progress, "comparing");
  return {
    units: found.flatMap(({ units }) => units),
    problems: found.flatMap(({ problems }) => problems),
  };
}

/**
 * Tries edited files as a run would read them, and compares their zones again. Sections that could not be read before do
 * not count against the edit.
 */
function tryingOut(
  looks: readonly ZoneLook[],
  { units, problems: known }: Looked,
  base: Base | null,
  input: AdoptInput,
  isMeant: (unit: Unit) => boolean,
): TryOut {
  const knownTexts = new Set(known.map(({ detail }) => detail));
  const names = new Set(units.map(({ zone }) => zone.name));
  const touched = looks.filter(({ zone }) => names.has(zone.declared.name));
  return async (texts, secrets) => {
    const files = [...texts].map(([file, text]) => ({ file, text }));
    const { desired, problems } = desiredFrom(files, {
      ...input.environment,
      ...Object.fromEntries(secrets),
    });
    const wrong = problems.find(({ severity }) => severity === "error");
    if (desired === null) return { ok: false, why: wrong?.detail ?? "It is not valid." };
    const edited = comparing(desired, base, input);
    const again = await Promise.all(touched.map((look) => look.at(edited)));
    const [fresh] = again.flatMap((each) => each.problems.filter(({ detail }) => !knownTexts.has(detail)));
    if (fresh !== undefined) return { ok: false, why: fresh.detail };
    return { ok: true, drifted: again.flatMap((each) => each.units.filter(isMeant)) };
  };
}

/** Whether a file has a secret that it did not have before. */
function isExposed({ texts }: WrittenBack, before: Texts, secrets: readonly Json[], client: Client): boolean {
  return [...texts].some(([file, text]) => {
    const known = new Set(secretsIn(withValues(before.get(file) ?? ""), secrets));
    const edited = withValues(text);
    return client.isCredentialIn(edited) || secretsIn(edited, secrets).some((each) => !known.has(each));
  });
}

function withValues(text: string): string {
  return [text, ...valuesIn(text)].join("\n");
}

function exposed(): Problem {
  const detail =
    "A live object has a secret in a field that is not secret, and the file would show it. Remove it there, and replace the secret. Nothing is written.";
  return problem("secret_exposed", "Secret would be exposed", detail);
}

function adoptionOf(
  { texts, outcomes, secrets }: WrittenBack,
  { effectOf, refusalsOf }: Judged,
  problems: readonly Problem[],
  isDry: boolean,
): Adoption {
  const adopted = outcomes.filter(({ why }) => why === null);
  const refused = refusalsOf(adopted.map(({ unit }) => unit));
  return {
    adopted: adopted.map((each) => ({ ...changeOf(each), effect: effectOf(each.unit) })),
    left: outcomes.flatMap((each) => (each.why === null ? [] : [{ ...changeOf(each), why: each.why }])),
    files: [...texts.keys()],
    secrets: [...secrets.keys()],
    refused: refused.map(({ name, message }) =>
      isDry
        ? warning(name, `Adopt would be refused by guardrail ${name}`, message)
        : problem(name, refusedBy(name), `${message} The files are unchanged.`),
    ),
    problems,
  };
}

function changeOf({ unit, field }: UnitOutcome): AdoptedChange {
  const removed = unit.drifted.as === "gone" ? ({ removed: true } as const) : {};
  return { zone: unit.zone.name, section: sectionOf(unit), key: keyOf(unit), field, ...removed };
}

/** A zone that is read once: only the files change between two comparisons. */
interface ZoneLook {
  readonly zone: LocatedZone;
  readonly reads: ZoneReads;
  /** Compares the zone with these files: the changes made outside them. */
  at(files: Compared): Promise<Looked>;
  /** Live values that may be secret, as far as the zone has been read. */
  readonly secrets: ReadonlySet<Json>;
}

/** Files, and the base that they are compared with. */
interface Compared {
  readonly desired: Desired;
  readonly base: RunBase;
  /** Whether undeclared objects that are not acknowledged count as drift too. */
  readonly withUndeclared: boolean;
}

function lookingAt(zone: LocatedZone, client: Client, shared: ZoneReads): ZoneLook {
  const reads = new ZoneReads(client, shared);
  const secrets = new Set<Json>();
  return {
    zone,
    reads,
    secrets,
    at: async (files) => {
      const { place, declared } = zone;
      const open = files.desired.zones.find(({ name }) => name === declared.name)?.open();
      if (!place.ok) return { units: [], problems: place.problems };
      if (open === undefined) return { units: [], problems: [] };
      const toRead = { name: open.name, place: place.value, locate: open.locate };
      return unitsOf(open, files, liveReader(toRead, client, reads, secrets), client);
    },
  };
}

/** The drift of all managed kinds. A kind that cannot be read does not stop the others. */
async function unitsOf(
  zone: OpenZone,
  files: Compared,
  reader: LiveReader,
  client: Pick<Client, "redact">,
): Promise<Looked> {
  const views: KindReport<Unit>[] = [];
  const problems: Problem[] = [];
  for (const kind of managedKinds(zone.sections)) {
    const unitsFound = await unitsOfKind(kind, zone, files, reader);
    if (unitsFound.ok) views.push(unitsFound.value);
    else problems.push(...unreadSection(kind, client.redact(unitsFound.problems), zone).problems);
  }
  const units = reportOnce(views, ({ drifted }) => (drifted.as === "beside" ? drifted : null));
  return { units: units.flat(), problems };
}

async function unitsOfKind(
  kind: Kind,
  zone: OpenZone,
  { base, withUndeclared }: Compared,
  reader: LiveReader,
): Promise<Result<KindReport<Unit>>> {
  const declared = declaredIn(kind, zone.sections);
  const live = await reader.read(kind, declared);
  if (!live.ok) return live;
  const before = base.of(kind, base.zone(zone), live.value);
  const drifted = driftedOf({ kind, base: before, declared, live: live.value }, zone, withUndeclared);
  if (!drifted.ok) return drifted;
  const { items, context } = live.value;
  const secretFields = new Set([
    ...fieldsWithSecrets(kind, before.declared, before.zone),
    ...fieldsWithSecrets(kind, declared, zone),
  ]);
  const reported = drifted.value.map((each): Unit => ({ zone, kind, context, secretFields, drifted: each }));
  return ok({ items, reported });
}
