import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { entryName, type Kind, type Live } from "../kinds/kind.js";
import { layersOf } from "../kinds/zone-state.js";
import { quoted } from "../model/cut.js";
import type { OtherReports } from "../model/detection.js";
import { didYouMean } from "../model/did-you-mean.js";
import type { Guardrails } from "../model/guardrails.js";
import type { Item } from "../model/item.js";
import { ok, type Problem, type Result, warning } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { Layer } from "../model/strength.js";
import { fits } from "../model/unmanaged.js";
import { type Running, readRunning } from "./detected-loads.js";
import { refusedIn, zonesToRead } from "./detections.js";
import type { PlanInput } from "./files.js";
import { type Reported, reportsFor } from "./given-logs.js";
import { liveReader } from "./live.js";
import type { FoundZone } from "./locate.js";
import { collected, someAtATime } from "./zones.js";

/** A live object with its CSPs on pages. `instead`: the same object if it blocked. Null: it reports nothing. */
export interface Layered {
  readonly item: Item;
  readonly layers: readonly Layer[];
  readonly instead: Pick<Layered, "item" | "layers"> | null;
}

/** The live objects of a zone that affect loads of pages, and the loads seen there. */
export interface SeenZone extends Pick<Running, "detected" | "loads"> {
  readonly zone: string;
  /** Null: there are no files. */
  readonly open: OpenZone | null;
  readonly read: readonly { readonly kind: Kind; readonly live: Live }[];
  readonly objects: readonly Layered[];
  /** Whether the object is among the named ones. */
  readonly isMeant: (object: Pick<Layered, "item">) => boolean;
  readonly guardrails: Guardrails;
  readonly detecting: boolean;
  /** Reports of an object that name no load, by its id. */
  readonly besides: (id: string | null) => readonly OtherReports[];
}

export interface SeenInput extends Omit<PlanInput, "allow"> {
  /** Names of objects. `*` matches any part. Empty: all. */
  readonly named: readonly string[];
}

/** Reads the zones, and maps each one with `of`. */
export async function inZones<T>(
  input: SeenInput,
  client: Client,
  progress: Progress,
  of: (zone: SeenZone) => T,
): Promise<
  Result<{
    readonly zones: readonly { readonly zone: string; readonly found: Result<T> }[];
    /** Notes and warnings on the logs. */
    readonly warnings: readonly Problem[];
    readonly guardrails: Guardrails;
  }>
> {
  const chosen = await zonesToRead(input, client);
  if (!chosen.ok) return chosen;
  const { zones, names, service, guardrails } = chosen.value;
  const reports = await reportsFor(input, names);
  if (!reports.ok) return reports;
  const { warnings } = reports.value;
  const scoreBelow = service.limits.malicious_score_below;
  const known = new Set<string>();
  const look = async (zone: FoundZone) => {
    const seen = await seenIn(zone, client, scoreBelow, reports.value);
    if (!seen.ok) return { zone: zone.name, found: seen };
    for (const name of namesIn(seen.value)) known.add(name);
    const isMeant = ({ item }: Pick<Layered, "item">) =>
      input.named.length === 0 || input.named.some((each) => fits(each, item.ref.key));
    return { zone: zone.name, found: ok(of({ ...seen.value, isMeant, guardrails })) };
  };
  const looks = someAtATime(zones, client.concurrency, look);
  const zoneResults = await collected(looks, zones.length, progress, "reading");
  const isAllRead = zoneResults.every(({ found }) => found.ok);
  const unknown = input.named.filter((each) => ![...known].some((name) => fits(each, name)));
  const strays = isAllRead ? unknown.map((each) => notThere(each, known, zoneResults.length)) : [];
  return ok({ zones: zoneResults, warnings: [...warnings, ...strays], guardrails });
}

/** The names of live and of declared objects. */
function namesIn({ read, objects, open }: Omit<SeenZone, "isMeant" | "guardrails">): readonly string[] {
  const declared = read.flatMap(({ kind }) =>
    open === null ? [] : declaredIn(kind, open.sections).map((each) => entryName(kind, each)),
  );
  return [...objects.map(({ item }) => item.ref.key), ...declared];
}

function notThere(named: string, known: ReadonlySet<string>, zones: number): Problem {
  const otherwise = "Find its name with zoneward plan, or leave --policy out.";
  const advice = didYouMean(named, known, otherwise, quoted);
  const detail = `${quoted(named)} is not a policy of ${zones === 1 ? "the zone" : `these ${zones} zones`}, live or declared. ${advice}`;
  return warning("no_such_policy", "Unknown policy", detail);
}

async function seenIn(
  found: FoundZone,
  client: Client,
  scoreBelow: number,
  { withReports, othersOf }: Reported,
): Promise<Result<Omit<SeenZone, "isMeant" | "guardrails">>> {
  const { name: zone, declared, place } = found;
  if (!place.ok) return place;
  const { id } = place.value;
  const refused = (problems: readonly Problem[]) => refusedIn(found, problems, client);
  const api = new ZoneReads(client);
  const reader = liveReader({ name: zone, place: { id, accountId: null } }, client, api);
  const read: { readonly kind: Kind; readonly live: Live }[] = [];
  for (const kind of kinds.filter(({ touches }) => touches?.loads !== undefined)) {
    const live = await reader.read(kind, []);
    if (!live.ok) return refused(live.problems);
    read.push({ kind, live: live.value });
  }
  const objects = read.flatMap(({ kind, live }) => live.items.map((item) => layered(kind, item, live)));
  const asked = {
    zone,
    zoneId: id,
    kinds: ["scripts", "connections"],
    detecting: true,
    scoreBelow,
  } as const;
  const running = await readRunning(api, asked, { withReports });
  const { detecting, detected, loads, unread } = running;
  const why = unread.scripts ?? unread.connections ?? unread.detecting ?? [];
  if (detecting === null || why.length > 0) return refused(why);
  return ok({
    zone,
    open: declared?.open() ?? null,
    read,
    objects,
    detecting,
    detected,
    loads,
    besides: (id) => (id === null ? [] : (othersOf?.(zone, id) ?? [])),
  });
}

function layered(kind: Kind, item: Item, { context }: Live): Layered {
  const layers = layersOf(kind, item, context);
  const normal = layers.length === 0 ? null : (kind.touches?.loads?.blocking(item.normal) ?? null);
  const blocking = normal === null ? null : { ...item, normal };
  const instead = blocking === null ? null : { item: blocking, layers: layersOf(kind, blocking, context) };
  return { item, layers, instead };
}
