import type { Client } from "../api/client.js";
import { type DetectionFilter, listDetections, readDetection } from "../api/detections.js";
import { defaultService } from "../config/schema.js";
import type { Service } from "../model/declared-zone.js";
import {
  type DetectedKind,
  type Detection,
  type JudgedDetection,
  judge,
  type ZoneDetections,
} from "../model/detection.js";
import { type Guardrails, NO_GUARDRAILS } from "../model/guardrails.js";
import { areAll, failed, ok, type Problem, problem, type Result, remarked } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { isWithoutFiles, type PlanInput, readDesired } from "./files.js";
import { type FoundZone, findNamed, locateZones, placed } from "./locate.js";
import { selectZones } from "./select-zones.js";
import { collected, someAtATime } from "./zones.js";

export type Question =
  | {
      readonly as: "list";
      readonly filter: DetectionFilter;
      readonly which: "all" | "malicious";
    }
  | { readonly as: "show"; readonly id: string };

/** The question for every zone, and the score below which a script is malicious. */
interface Asked {
  readonly kind: DetectedKind;
  readonly question: Question;
  readonly scoreBelow: number;
}

/** Reads all zones at once: the client limits the number of requests. */
export async function readDetections(
  zones: readonly FoundZone[],
  asked: Asked,
  client: Client,
  progress: Progress,
): Promise<readonly ZoneDetections[]> {
  const reads = someAtATime(zones, zones.length, (zone) => readZone(zone, asked, client));
  return answered(await collected(reads, zones.length, progress, "reading"), asked.question);
}

async function readZone(
  zone: FoundZone,
  { kind, question, scoreBelow }: Asked,
  client: Client,
): Promise<ZoneDetections> {
  const { name, place } = zone;
  if (!place.ok) return { zone: name, zoneId: null, detections: place };
  const zoneId = place.value.id;
  const read = await answerTo(question, kind, zoneId, client);
  if (!read.ok) return { zone: name, zoneId, detections: refusedIn(zone, read.problems, client) };
  const judged = read.value.map((each) => ({ ...each, verdict: judge(kind, each, scoreBelow) }));
  const found = chosenOf(judged, question).toSorted(inOrder);
  return { zone: name, zoneId, detections: ok(found) };
}

async function answerTo(
  question: Question,
  kind: DetectedKind,
  zoneId: string,
  client: Client,
): Promise<Result<readonly Detection[]>> {
  switch (question.as) {
    case "list":
      return listDetections(client, zoneId, kind, question.filter);
    case "show": {
      const read = await readDetection(client, zoneId, kind, question.id);
      return read.ok ? ok([read.value]) : read;
    }
  }
}

function chosenOf(judged: readonly JudgedDetection[], question: Question): readonly JudgedDetection[] {
  if (question.as === "show" || question.which === "all") return judged;
  return judged.filter(({ verdict }) => verdict.malicious === true);
}

/** Malicious ones first, then by URL: the service's order may differ from read to read. */
function inOrder(a: JudgedDetection, b: JudgedDetection): number {
  const first = Number(b.verdict.malicious === true) - Number(a.verdict.malicious === true);
  return first || compare(a.url, b.url) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** If several zones are asked for one detection, a zone without it has an empty answer, and has not failed. */
function answered(zones: readonly ZoneDetections[], question: Question): readonly ZoneDetections[] {
  if (question.as === "list" || zones.length === 1) return zones;
  return zones.map((zone) => (hasNot(zone) ? { ...zone, detections: ok([]) } : zone));
}

/** The service may answer in the same way for an unknown id and for an unknown path. */
function hasNot({ detections }: ZoneDetections): boolean {
  return !detections.ok && areAll(detections.problems, "not_found", "no_route");
}

/** Adds the zone's name or place to problems of the service. */
export function refusedIn(
  { name, declared }: FoundZone,
  problems: readonly Problem[],
  client: Pick<Client, "redact">,
): ReturnType<typeof failed> {
  const redacted = client.redact(problems);
  if (declared !== null) return placed(redacted, declared);
  return failed(...redacted.map((each) => remarked(each, { before: `${name}: ` })));
}

interface ZonesToRead {
  readonly zones: readonly FoundZone[];
  /** The names of all zones, picked or not. */
  readonly names: readonly string[];
  readonly service: Service;
  readonly guardrails: Guardrails;
}

/**
 * The declared zones that `--zone` picks. Without files, `--zone` names the zones themselves, so that reading needs no file.
 */
export async function zonesToRead(
  input: Omit<PlanInput, "allow">,
  client: Client,
): Promise<Result<ZonesToRead>> {
  const { desired, guardrails, problems } = await readDesired(input, "check"); // secrets are for what is declared
  if (desired === null && isWithoutFiles(input, problems)) return zonesByName(input.zones, client);
  if (desired === null) return failed(...problems);
  const selected = selectZones(desired, input.zones);
  if (!selected.ok) return selected;
  const zones = await locateZones(selected.value, client);
  const names = desired.zones.map(({ name }) => name);
  return ok({ zones, names, service: desired.service, guardrails });
}

async function zonesByName(written: readonly string[], client: Client): Promise<Result<ZonesToRead>> {
  if (written.length === 0) return failed(noZone());
  const found = await findNamed(written, client, notAName);
  if (!found.ok) return found;
  const names = found.value.map(({ name }) => name);
  return ok({ zones: found.value, names, service: defaultService, guardrails: NO_GUARDRAILS });
}

function noZone(): Problem {
  const detail = "No zoneward.yaml found. Name a zone with --zone, or the files that declare zones with -c.";
  return problem("no_zone_named", "No zone named", detail);
}

function notAName(written: string): Problem {
  const detail = `--zone ${written} is not a zone name. Name zones in full: patterns need a file that declares the zones.`;
  return problem("bad_zone_name", "Not a zone name", detail);
}
