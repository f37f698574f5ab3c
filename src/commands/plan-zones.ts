import type { Client } from "../api/client.js";
import { isDenied } from "../api/problems.js";
import { ZoneReads } from "../api/reads.js";
import { findZones } from "../api/zones.js";
import { declaredIn } from "../config/declared.js";
import type { DeclaredZone } from "../config/index.js";
import { kinds } from "../kinds/index.js";
import type { ZonePlan } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Service } from "../model/wanted.js";
import { buildZonePlan, type KindState } from "../plan/build.js";
import type { ZoneOutcome } from "../plan/codec.js";

/** A declared zone, and its id at the service or why it has none. */
export interface LocatedZone {
  readonly declared: DeclaredZone;
  readonly id: Result<string>;
}

/** Zones with their ids: as the files say, else by name through the zone list. */
export async function locateZones(
  zones: readonly DeclaredZone[],
  client: Client,
): Promise<readonly LocatedZone[]> {
  const wanted = zones.map((declared) => {
    const { id, name, accountId } = declared.open();
    return { declared, id, name, accountId };
  });
  const sought = wanted.filter((zone) => zone.id === null);
  const pinned = wanted.flatMap(({ id, name, accountId }) => (id === null ? [] : [{ id, name, accountId }]));
  const found = await findZones(client, sought, pinned);
  const located = wanted.map(({ declared, id, name }) => {
    const record = found.get(name);
    if (record !== undefined) {
      return { declared, id: record.ok ? ok(record.value.id) : placed(record.problems, declared) };
    }
    if (id === null) throw new Error("findZones answers for every zone that it looks for");
    return { declared, id: ok(id) };
  });
  return refuseTwins(located);
}

/** Two declared zones that are one live zone would each undo what the other says. */
function refuseTwins(zones: readonly LocatedZone[]): readonly LocatedZone[] {
  const names = new Map<string, string[]>();
  for (const { declared, id } of zones)
    if (id.ok) names.set(id.value, [...(names.get(id.value) ?? []), declared.name]);
  return zones.map((zone) => {
    const { declared, id } = zone;
    const twins = id.ok ? (names.get(id.value) ?? []) : [];
    if (!id.ok || twins.length <= 1) return zone;
    const detail = `${twins.join(" and ")} all lead to the zone with the id ${id.value}. Correct the id that is wrong, or keep one of them.`;
    const twin = problem("duplicate_id", "Several declared zones are one live zone", detail);
    return { declared, id: placed([twin], declared) };
  });
}

/** Problems of a zone that name no place stand at its name in the files. */
export function placed(problems: readonly Problem[], declared: DeclaredZone): ReturnType<typeof failed> {
  return failed(...problems.map((each) => ({ ...each, at: each.at ?? declared.at() })));
}

/** Plans the zones, some at a time, in the order of the files. */
export async function* planZones(
  zones: readonly LocatedZone[],
  client: Client,
  service: Service,
): AsyncGenerator<ZoneOutcome> {
  const width = 2 * client.concurrency;
  const running: Promise<ZoneOutcome>[] = [];
  for (const zone of zones) {
    running.push(outcomeOf(zone, client, service));
    if (running.length < width) continue;
    const first = running.shift();
    if (first !== undefined) yield await first;
  }
  for (const each of running) yield await each;
}

async function outcomeOf(
  { declared, id }: LocatedZone,
  client: Client,
  service: Service,
): Promise<ZoneOutcome> {
  const zone = declared.name;
  if (!id.ok) return { ok: false, failure: { zone, zoneId: null, requests: 0, problems: id.problems } };
  const reads = new ZoneReads(client);
  const plan = await planZone(declared, id.value, reads, service);
  if (plan.ok) return { ok: true, plan: plan.value };
  const { problems } = placed(plan.problems, declared);
  return { ok: false, failure: { zone, zoneId: id.value, requests: reads.requests, problems } };
}

/**
 * Reads what a zone's files manage, all of it, and plans the zone. Sections that the files do not have are not
 * read. A read that fails fails the zone.
 */
export async function planZone(
  declared: DeclaredZone,
  id: string,
  reads: ZoneReads,
  service: Service,
): Promise<Result<ZonePlan>> {
  const wanted = declared.open();
  const managed = kinds.filter((kind) => kind.section in wanted.sections);
  const answers = await Promise.all(managed.map((kind) => kind.read(reads, id)));
  const states: KindState[] = [];
  const problems: Problem[] = [];
  for (const [index, kind] of managed.entries()) {
    const answer = answers[index];
    if (answer?.ok === true) {
      states.push({ kind, declared: declaredIn(kind, wanted.sections), live: answer.value.map(kind.live) });
    } else {
      problems.push(...(answer?.problems ?? []).map((each) => naming(each, kind.permissions.read)));
    }
  }
  if (problems.length > 0) return failed(...problems);
  return buildZonePlan(wanted, id, states, service, reads.requests);
}

/** A refusal with the permission group that the call needs. */
export function naming(reason: Problem, permission: string): Problem {
  if (!isDenied(reason)) return reason;
  return { ...reason, detail: `${reason.detail} The token needs the permission group ${permission}.` };
}
