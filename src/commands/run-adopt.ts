import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { adopted, type TryOut } from "../adopt/adopt.js";
import { driftedOf } from "../adopt/drifted.js";
import { keyOf, type Told, type Unit } from "../adopt/unit.js";
import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { declaredIn } from "../config/declared.js";
import type { OpenZone } from "../config/desired.js";
import { type Desired, desiredFrom, readConfigFiles } from "../config/index.js";
import { kinds } from "../kinds/index.js";
import { liveSecrets } from "../kinds/sensitive.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Progress } from "../model/progress.js";
import { remembered } from "../model/remembered.js";
import { readBase } from "./base.js";
import { readDesired } from "./desired.js";
import {
  accountFinder,
  type LocatedZone,
  locateZones,
  namingPermissions,
  placed,
  someAtATime,
} from "./plan-zones.js";
import type { PlanInput } from "./run-plan.js";
import { selectZones } from "./select-zones.js";
import { replaceFile } from "./write-out.js";

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
  input: PlanInput,
  client: Client,
  progress: Progress,
): Promise<Result<Adoption>> {
  const { desired, problems: warnings } = await readDesired(input);
  if (desired === null || hasErrors(warnings)) return failed(...warnings);
  const { base, warnings: unread } = await readBase(input.base, input);
  if (input.base !== undefined && base === null) return failed(...unread.map(asError));
  const selected = selectZones(desired, input.zones);
  if (!selected.ok) return selected;
  const { files, problems: unreadable } = await readConfigFiles(input.config, input.cwd);
  if (unreadable.length > 0) return failed(...unreadable);
  const zones = await locateZones(selected.value, client);
  const shared = new ZoneReads(client);
  const secrets = new Set<string>();
  const looks = zones.map((zone) => lookingAt(zone, client, shared, secrets));
  const units: Unit[] = [];
  const problems: Problem[] = [...warnings];
  let done = 0;
  progress(0, zones.length, "comparing");
  for await (const { zone, found } of someAtATime(looks, 2 * client.concurrency, async (look) => ({
    zone: look.zone,
    found: await look.at(desired, base?.desired ?? desired),
  }))) {
    if (found.ok) units.push(...found.value);
    else problems.push(...placed(found.problems, zone.declared).problems);
    progress(++done, zones.length, "comparing");
  }
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  const tryOut: TryOut = async (next, secrets) => {
    const environment = { ...input.environment, ...Object.fromEntries(secrets) };
    const read = desiredFrom(
      [...next].map(([file, text]) => ({ file, text })),
      environment,
    );
    const [wrong] = read.problems.filter(({ severity }) => severity === "error");
    const now = read.desired;
    if (now === null) return { ok: false, why: wrong?.detail ?? "It is not valid." };
    const touched = new Set(units.map(({ zone }) => zone.name));
    const again = await Promise.all(
      looks
        .filter(({ zone }) => touched.has(zone.declared.name))
        .map((look) => look.at(now, base?.desired ?? now)),
    );
    const odd = again.flatMap((each) => (each.ok ? [] : each.problems));
    if (odd[0] !== undefined) return { ok: false, why: odd[0].detail };
    return { ok: true, drifted: again.flatMap((each) => (each.ok ? each.value : [])) };
  };
  const result = await adopted(units, texts, tryOut);
  const shown = [...result.texts].filter(([file, text]) =>
    isExposed(text, texts.get(file) ?? "", secrets, client),
  );
  if (shown.length > 0) return failed(exposed());
  const written = await writeAll(result.texts, texts, input.cwd);
  if (!written.ok) return failed(...problems, ...written.problems);
  return ok({
    adopted: result.told.filter(({ why }) => why === null).map(changeOf),
    left: result.told.flatMap((told) => (told.why === null ? [] : [{ ...changeOf(told), why: told.why }])),
    files: [...result.texts.keys()],
    secrets: [...result.secrets.keys()],
    problems,
  });
}

function asError(warning: Problem): Problem {
  return { ...warning, severity: "error" };
}

function changeOf({ unit, field }: Told): AdoptedChange {
  return { zone: unit.zone.name, section: unit.kind.section, key: keyOf(unit), field };
}

const zonesOf = remembered(({ zones }: Desired) => new Map(zones.map((zone) => [zone.name, zone])));

interface Look {
  readonly zone: LocatedZone;
  /** What was changed outside the files, read once: at a second look only what the files say is another. */
  at(desired: Desired, former: Desired): Promise<Result<readonly Unit[]>>;
}

/** @param secrets gets what is live and may be secret */
function lookingAt(located: LocatedZone, client: Client, shared: ZoneReads, secrets: Set<string>): Look {
  const reads = new ZoneReads(client, shared);
  const opened = (desired: Desired): OpenZone | null =>
    zonesOf(desired).get(located.declared.name)?.open() ?? null;
  return {
    zone: located,
    at: async (desired, former) => {
      const { place } = located;
      const zone = opened(desired);
      if (!place.ok) return place;
      if (zone === null) return ok([]);
      const then = opened(former);
      const units: Unit[] = [];
      const problems: Problem[] = [];
      for (const kind of kinds.filter(({ section }) => section in zone.sections)) {
        const declared = declaredIn(kind, zone.sections);
        const reader = {
          api: namingPermissions(reads, kind.permissions),
          zoneId: place.value.id,
          accountId: accountFinder(shared, zone.name, place.value),
          locate: zone.locate,
        };
        const live = await kind.read(reader, declared);
        if (!live.ok) {
          problems.push(...client.conceal(live.problems));
          continue;
        }
        const hidden = liveSecrets(kind, live.value.items);
        client.protect(hidden);
        for (const each of hidden) if (typeof each === "string") secrets.add(each);
        const before = { zone: then, declared: declaredIn(kind, then?.sections ?? {}) };
        const drifted = driftedOf(kind, declared, live.value, zone, before);
        if (!drifted.ok) problems.push(...drifted.problems);
        else
          for (const each of drifted.value)
            units.push({ zone, kind, around: live.value.around, drifted: each });
      }
      return problems.length > 0 ? failed(...problems) : ok(units);
    },
  };
}

async function writeAll(
  next: ReadonlyMap<string, string>,
  read: ReadonlyMap<string, string>,
  cwd: string,
): Promise<Result<null>> {
  for (const [file, text] of next) {
    const written = await writeOne(file, text, read.get(file) ?? "", cwd);
    if (!written.ok) return written;
  }
  return ok(null);
}

/** What somebody has written in the meantime is not written over. */
async function writeOne(file: string, text: string, before: string, cwd: string): Promise<Result<null>> {
  try {
    const target = await realpath(path.resolve(cwd, file));
    const bytes = await readFile(target);
    const mark = bytes.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK)) ? BYTE_ORDER_MARK : "";
    if (bytes.toString("utf8") !== mark + before)
      return failed(cannotWrite(`${file} has been changed meanwhile.`));
    await replaceFile(target, mark + text);
    return ok(null);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // what node:fs rejects with
    return failed(cannotWrite(`Writing ${file} failed with ${code ?? message}.`));
  }
}

const BYTE_ORDER_MARK = "\ufeff";

function cannotWrite(detail: string): Problem {
  return problem("cannot_write", "A file cannot be written", `${detail} Run adopt again.`);
}

/** Whether a text has a secret that it did not have before. Shorter ones are words that any object may have. */
function isExposed(text: string, before: string, secrets: ReadonlySet<string>, client: Client): boolean {
  if (client.isCredentialIn(text)) return true;
  const long = [...secrets].filter((each) => each.length >= MIN_SECRET_CHARS);
  return long.some((each) => {
    const said = JSON.stringify(each).slice(1, -1);
    return (text.includes(each) && !before.includes(each)) || (text.includes(said) && !before.includes(said));
  });
}

const MIN_SECRET_CHARS = 16;

function exposed(): Problem {
  const detail =
    "The credential of this run, or the secret of a log destination, stands in a live object where it is no secret, and the file would show it. Nothing is written. Take it out there, and make a new one in its place.";
  return problem("secret_exposed", "A secret stands where all can see it", detail);
}
