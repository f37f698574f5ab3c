import type { Client } from "../api/client.js";
import { type DetectionFilter, listDetections, readDetection } from "../api/detections.js";
import {
  type DetectedKind,
  type Detection,
  type JudgedDetection,
  judge,
  type ZoneDetections,
} from "../model/detection.js";
import { failed, ok, type Result } from "../model/problem.js";
import type { Progress } from "../model/progress.js";
import type { ZoneToRead } from "./zones-to-read.js";

/** What somebody wants to know of detections. */
export type Question =
  | { readonly as: "list"; readonly filter: DetectionFilter; readonly which: "all" | "malicious" }
  | { readonly as: "show"; readonly id: string };

/** What is asked of every zone, and what makes a script malicious. */
export interface Asked {
  readonly kind: DetectedKind;
  readonly question: Question;
  readonly scoreBelow: number;
}

/** All zones at once: the client holds back what is too many. */
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
  if (!id.ok) return { zone: name, zoneId: null, found: id };
  const read = await answerTo(question, kind, id.value, client);
  if (!read.ok)
    return { zone: name, zoneId: id.value, found: failed(...client.conceal(read.problems).map(naming)) };
  const judged = read.value.map((each) => ({ ...each, verdict: judge(kind, each, scoreBelow) }));
  return { zone: name, zoneId: id.value, found: ok(chosenOf(judged, question).toSorted(inOrder)) };
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

/** Of several zones that are asked for one detection, those that do not have it have answered, and not failed. */
function answered(zones: readonly ZoneDetections[], question: Question): readonly ZoneDetections[] {
  if (question.as === "list" || zones.length === 1) return zones;
  return zones.map((zone) => (hasNot(zone) ? { ...zone, found: ok([]) } : zone));
}

/** The service may not tell an id that it does not have from a path that it does not know. */
function hasNot({ found }: ZoneDetections): boolean {
  return !found.ok && found.problems.every(({ code }) => code === "not_found" || code === "no_route");
}
