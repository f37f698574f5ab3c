import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { readinessOf } from "../impact/readiness.js";
import { kinds } from "../kinds/index.js";
import type { Kind, Live } from "../kinds/kind.js";
import type { WithReports } from "../model/evidence.js";
import type { Item } from "../model/item.js";
import { failed, ok, type Result } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";
import type { ReadyObject, ReadyReport, ReadyZone } from "../model/readiness.js";
import type { Progress } from "../model/report.js";
import type { Layer } from "../model/strength.js";
import { fits } from "../model/unmanaged.js";
import { type ZoneToRead, zonesToRead } from "./detections.js";
import type { PlanInput } from "./files.js";
import { isDetecting, readDetected, reportsFor } from "./impact.js";
import { someAtATime } from "./zones.js";

interface ReadyInput extends Omit<PlanInput, "allow"> {
  /** Names of the objects that are meant; * stands for any part. All when empty. */
  readonly named: readonly string[];
  readonly leastDays: number;
}

/** Of everything in the zones that reports what it would block: what would come of it if it blocked. Nothing is written. */
export async function readiness(
  input: ReadyInput,
  client: Client,
  progress: Progress,
): Promise<Result<ReadyReport>> {
  const chosen = await zonesToRead(input, client);
  if (!chosen.ok) return chosen;
  const { zones, service } = chosen.value;
  const reports = await reportsFor(
    input,
    zones.map(({ name }) => name),
  );
  if (!reports.ok) return reports;
  const { withReports, told } = reports.value;
  const asked = { input, client, scoreBelow: service.limits.malicious_score_below, withReports };
  const done: ReadyZone[] = [];
  progress(0, zones.length, "reading");
  for await (const each of someAtATime(zones, client.concurrency, (zone) => readyZone(zone, asked))) {
    done.push(each);
    progress(done.length, zones.length, "reading");
  }
  return ok({ leastDays: input.leastDays, zones: done, told });
}

interface Asked {
  readonly input: ReadyInput;
  readonly client: Client;
  readonly scoreBelow: number;
  readonly withReports: WithReports | undefined;
}

async function readyZone(zone: ZoneToRead, { client, ...asked }: Asked): Promise<ReadyZone> {
  const { name, id, naming } = zone;
  if (!id.ok) return { zone: name, found: id };
  const found = await objectsIn(name, id.value, new ZoneReads(client), asked);
  return { zone: name, found: found.ok ? found : failed(...client.redact(found.problems).map(naming)) };
}

async function objectsIn(
  zone: string,
  zoneId: string,
  api: ReadApi,
  { input: { named, leastDays }, scoreBelow, withReports }: Omit<Asked, "client">,
): Promise<Result<readonly ReadyObject[]>> {
  const accountId = async () => failed();
  const objects: Layered[] = [];
  for (const kind of kinds.filter(({ blockingInstead }) => blockingInstead !== undefined)) {
    const live = await kind.read({ api, zoneId, accountId, locate: () => null }, []);
    if (!live.ok) return live;
    objects.push(...live.value.items.map((item) => layered(kind, item, live.value)));
  }
  const isMeant = (item: Item) => named.length === 0 || named.some((each) => fits(each, item.ref.key));
  const asked = objects.filter(({ item, instead }) => instead !== null && isMeant(item));
  if (asked.length === 0) return ok([]);
  const [read, detecting] = await Promise.all([
    readDetected(api, zoneId, scoreBelow),
    isDetecting(api, zoneId),
  ]);
  if (!read.ok) return read;
  if (!detecting.ok) return detecting;
  const loads = withReports?.(zone, read.value) ?? read.value;
  return ok(
    asked.map(({ item, layers, instead }) => {
      const others = objects.flatMap((each) => (each.item === item ? [] : [each.layers]));
      const proposal = { reporting: layers, blocking: instead ?? [], others };
      const { key, id } = item.ref;
      const how = { detecting: detecting.value, leastDays };
      return { name: key, id, ...readinessOf(proposal, { detected: read.value, loads }, how) };
    }),
  );
}

/** A live object with what it does to pages, and would do if it blocked; null: it does not report. */
interface Layered {
  readonly item: Item;
  readonly layers: readonly Layer[];
  readonly instead: readonly Layer[] | null;
}

function layered(kind: Kind, item: Item, { context }: Live): Layered {
  const layersOf = (normal: Item["normal"]) =>
    Object.values(kind.dimensions(normal, context, item)).flatMap((each) =>
      each.as === "layers" ? each.layers : [],
    );
  const layers = layersOf(item.normal);
  const instead = layers.length === 0 ? null : (kind.blockingInstead?.(item.normal) ?? null);
  return { item, layers, instead: instead === null ? null : layersOf(instead) };
}
