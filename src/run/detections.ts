import type { Client } from "../api/client.js";
import { type DetectionFilter, listDetections, readDetection } from "../api/detections.js";
import type { DeclaredZone } from "../config/index.js";
import { defaultService } from "../config/schema.js";
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
import type { Service } from "../model/wanted.js";
import { isWithoutFiles, type PlanInput, readDesired } from "./files.js";
import { findNamed, locateZones, placed } from "./locate.js";
import { selectZones } from "./select-zones.js";

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
  zones: readonly ZoneToRead[],
  asked: Asked,
  client: Client,
  progress: Progress,
): Promise<readonly ZoneDetections[]> {
  let done = 0;
  progress(0, zones.length, "reading");
  const read = await Promise.all(
    zones.map(async (zone) => {
      const detections = await readZone(zone, asked, client);
      done += 1;
      progress(done, zones.length, "reading");
      return detections;
    }),
  );
  return answered(read, asked.question);
}

async function readZone(
  { name, id, naming }: ZoneToRead,
  { kind, question, scoreBelow }: Asked,
  client: Client,
): Promise<ZoneDetections> {
  if (!id.ok) return { zone: name, zoneId: null, detections: id };
  const read = await answerTo(question, kind, id.value, client);
  if (!read.ok)
    return { zone: name, zoneId: id.value, detections: failed(...client.redact(read.problems).map(naming)) };
  const judged = read.value.map((each) => ({ ...each, verdict: judge(kind, each, scoreBelow) }));
  const found = chosenOf(judged, question).toSorted(inOrder);
  return { zone: name, zoneId: id.value, detections: ok(found) };
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

export interface ZoneToRead {
  readonly name: string;
  /** Null: there are no files. */
  readonly declared: DeclaredZone | null;
  /** The zone's id at the service, or the reason why it is unknown. */
  readonly id: Result<string>;
  /** Adds the zone's name or place to a problem. */
  readonly naming: (reason: Problem) => Problem;
}

interface ZonesToRead {
  readonly zones: readonly ZoneToRead[];
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
  const located = await locateZones(selected.value, client);
  const zones = located.map(({ declared, place }): ZoneToRead => {
    const id = place.ok ? ok(place.value.id) : place;
    const naming = (reason: Problem) => placed([reason], declared).problems[0] ?? reason;
    return { name: declared.name, declared, id, naming };
  });
  const names = desired.zones.map(({ name }) => name);
  return ok({ zones, names, service: desired.service, guardrails });
}

async function zonesByName(written: readonly string[], client: Client): Promise<Result<ZonesToRead>> {
  if (written.length === 0) return failed(noZone());
  const found = await findNamed(written, client, notAName);
  if (!found.ok) return found;
  const zones = found.value.map(({ name, record }): ZoneToRead => {
    const naming = (reason: Problem) => remarked(reason, { before: `${name}: ` });
    return { name, declared: null, id: record.ok ? ok(record.value.id) : record, naming };
  });
  const names = zones.map(({ name }) => name);
  return ok({ zones, names, service: defaultService, guardrails: NO_GUARDRAILS });
}

function noZone(): Problem {
  const detail = "No zoneward.yaml found. Name a zone with --zone, or the files that declare zones with -c.";
  return problem("no_zone_named", "No zone named", detail);
}

function notAName(written: string): Problem {
  const detail = `--zone ${written} is not a zone name. Name zones in full: patterns need a file that declares the zones.`;
  return problem("bad_zone_name", "Not a zone name", detail);
}
