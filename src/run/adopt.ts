import { adopted, type TryOut } from "../adopt/adopt.js";
import { keyOf, sectionOf, type Told, type Unit } from "../adopt/unit.js";
import type { Texts, WrittenBack } from "../adopt/write-back.js";
import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { type Desired, desiredFrom, readConfigFiles } from "../config/index.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/progress.js";
import { secretsIn } from "../model/secrets-in.js";
import { type Base, readBase, zoneFinder } from "./base.js";
import { type PlanInput, readDesired } from "./files.js";
import { selectZones } from "./select-zones.js";
import { writeFiles } from "./write-files.js";
import { type Compared, type Look, lookingAt } from "./zone-drift.js";
import { locateZones, placed, someAtATime } from "./zones.js";

/** What became of what was changed outside the files. */
export interface Adoption {
  readonly adopted: readonly AdoptedChange[];
  readonly left: readonly LeftChange[];
  /** The files that were written. */
  readonly files: readonly string[];
  /** The names of secrets that the files take since then. */
  readonly secrets: readonly string[];
  /** Zones that could not be read, files that could not be written, and warnings. */
  readonly problems: readonly Problem[];
}

export interface AdoptInput extends PlanInput {
  /** Whether what nobody declares or lists is taken into the files too. */
  readonly withUndeclared?: boolean;
}

/** What was written back into the files. */
export interface AdoptedChange {
  readonly zone: string;
  readonly section: string;
  readonly key: string;
  /** Null: the object as a whole. */
  readonly field: string | null;
}

/** What was changed outside and stays as it is in the files. */
export interface LeftChange extends AdoptedChange {
  readonly why: string;
}

/** Files → live state → what was changed outside → the files with it. Nothing is sent but reads. */
export async function runAdopt(
  input: AdoptInput,
  client: Client,
  progress: Progress,
): Promise<Result<Adoption>> {
  const read = await readFiles(input, client);
  if (!read.ok) return read;
  const { desired, base, texts, warnings } = read.value;
  const selected = selectZones(desired, input.zones);
  if (!selected.ok) return selected;
  const zones = await locateZones(selected.value, client);
  const shared = new ZoneReads(client);
  const looks = zones.map((zone) => lookingAt(zone, client, shared));
  const compared = comparing(desired, base, input);
  const { units, problems } = await lookAll(looks, compared, client.concurrency, progress);
  const result = await adopted(units, texts, tryingOut(looks, units, base, input));
  if (isExposed(result, texts, looks, client)) return failed(exposed());
  const written = await writeFiles(result.texts, texts, input.cwd);
  const all = [...warnings, ...problems];
  return written.ok ? ok(adoptionOf(result, all)) : failed(...all, ...written.problems);
}

interface FilesRead {
  readonly desired: Desired;
  readonly base: Base | null;
  /** As they stand on the disk. */
  readonly texts: Texts;
  readonly warnings: readonly Problem[];
}

async function readFiles(input: PlanInput, client: Client): Promise<Result<FilesRead>> {
  const { base, warnings: unread, secrets: former } = await readBase(input.base, input);
  const { desired, problems: warnings, secrets } = await readDesired(input, "plan", former);
  client.protect(secrets);
  if (desired === null || hasErrors(warnings)) return failed(...warnings);
  if (input.base !== undefined && base === null) return failed(...unread.map(asError));
  const { files, problems } = await readConfigFiles(input.config, input.cwd);
  if (problems.length > 0) return failed(...problems);
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  return ok({ desired, base, texts, warnings: [...unread, ...warnings] });
}

function asError(warning: Problem): Problem {
  return { ...warning, severity: "error" };
}

/** Without a base, what is not as the files say has drifted from them. */
function comparing(
  desired: Desired,
  base: Base | null,
  { withUndeclared = false }: Pick<AdoptInput, "withUndeclared">,
): Compared {
  const former = zoneFinder(desired, base?.desired ?? desired);
  return { desired, former, lacks: base?.lacks === true, withUndeclared };
}

/** What was changed outside in all zones; a zone that cannot be read leaves the others. */
async function lookAll(
  looks: readonly Look[],
  files: Compared,
  concurrency: number,
  progress: Progress,
): Promise<{ readonly units: readonly Unit[]; readonly problems: readonly Problem[] }> {
  const units: Unit[] = [];
  const problems: Problem[] = [];
  let done = 0;
  progress(0, looks.length, "comparing");
  for await (const { look, found } of someAtATime(looks, 2 * concurrency, async (each) => ({
    look: each,
    found: await each.at(files),
  }))) {
    if (found.ok) units.push(...found.value);
    else problems.push(...placed(found.problems, look.zone.declared).problems);
    progress(++done, looks.length, "comparing");
  }
  return { units, problems };
}

/** Reads edited files as a run would, and looks again at the zones that they are edited for. */
function tryingOut(
  looks: readonly Look[],
  units: readonly Unit[],
  base: Base | null,
  input: AdoptInput,
): TryOut {
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
    const [odd] = again.flatMap((each) => (each.ok ? [] : each.problems));
    if (odd !== undefined) return { ok: false, why: odd.detail };
    return { ok: true, drifted: again.flatMap((each) => (each.ok ? each.value : [])) };
  };
}

/** Whether a file has a secret that it did not have before. */
function isExposed({ texts }: WrittenBack, before: Texts, looks: readonly Look[], client: Client): boolean {
  const secrets = looks.flatMap((look) => [...look.secrets]);
  return [...texts].some(([file, text]) => {
    const known = new Set(secretsIn(before.get(file) ?? "", secrets));
    return client.isCredentialIn(text) || secretsIn(text, secrets).some((each) => !known.has(each));
  });
}

function exposed(): Problem {
  const detail =
    "The credential of this run, or the secret of a log destination, stands in a live object where it is no secret, and the file would show it. Nothing is written. Take it out there, and make a new one in its place.";
  return problem("secret_exposed", "A secret stands where all can see it", detail);
}

function adoptionOf({ texts, told, secrets }: WrittenBack, problems: readonly Problem[]): Adoption {
  return {
    adopted: told.filter(({ why }) => why === null).map(changeOf),
    left: told.flatMap((each) => (each.why === null ? [] : [{ ...changeOf(each), why: each.why }])),
    files: [...texts.keys()],
    secrets: [...secrets.keys()],
    problems,
  };
}

function changeOf({ unit, field }: Told): AdoptedChange {
  return { zone: unit.zone.name, section: sectionOf(unit), key: keyOf(unit), field };
}
