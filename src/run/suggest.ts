import type { Client } from "../api/client.js";
import { declaredIn } from "../config/zone.js";
import { type Granularity, type SeenLoad, suggestSources } from "../csp/suggest.js";
import { coveredPages } from "../impact/csp-layers.js";
import type { Kind, Live } from "../kinds/kind.js";
import { layersOf } from "../kinds/zone-state.js";
import { withoutBase } from "../match/base.js";
import { match } from "../match/match.js";
import type { Detected, Detections, ImpactEntry } from "../model/detection.js";
import type { Item } from "../model/item.js";
import { failed, ok, type Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { AskingLoad, RefusedLoad, SuggestedValue, SuggestReport } from "../model/suggestion.js";
import { type Suggested, type Written, writeSuggested } from "./write-suggested.js";
import { inZones, type SeenInput, type SeenZone } from "./zone-loads.js";

export interface SuggestInput extends SeenInput {
  readonly by: Granularity;
  /** Schemes that may stand alone as a source, such as `data:`. */
  readonly schemes: readonly string[];
  /** Which sources are written into the files: none, those of detected loads, or also those of reported loads. */
  readonly write: "nothing" | "detected" | "reported";
}

/** For each policy of the zones, the sources that it must allow for the loads seen on its pages. */
export async function suggestions(
  input: SuggestInput,
  client: Client,
  progress: Progress,
): Promise<Result<SuggestReport>> {
  const read = await inZones(input, client, progress, (seen) => suggestedIn(seen, input));
  if (!read.ok) return read;
  const { warnings } = read.value;
  const found = read.value.zones.map((each) => ({
    ...each,
    found: each.found.ok ? each.found.value : each.found,
  }));
  const all = found.flatMap((each) => (each.found.ok ? each.found.value : []));
  const written =
    input.write === "nothing" ? ok(new Map<Suggested, Written>()) : await writeSuggested(all, input, client);
  if (!written.ok) return written;
  const shown = (each: Suggested): SuggestedValue => {
    const where = written.value.get(each);
    return where === undefined ? each.value : { ...each.value, written: where };
  };
  const zones = found.map(({ zone, found: objects }) => ({
    zone,
    found: objects.ok ? ok(objects.value.map(shown)) : objects,
  }));
  return ok({ zones, told: warnings });
}

/** Uses the declared values of declared objects, and the live values of all others. */
function suggestedIn(seen: SeenZone, input: SuggestInput): Result<readonly Suggested[]> {
  const { zone, open, read } = seen;
  const standing: (readonly Limiting[])[] = [];
  for (const { kind, live } of read) {
    const as = (stands: Limiting["stands"]) => (item: Item) => ({ kind, live, item, stands });
    if (open === null) standing.push(live.items.map(as("live")));
    else {
      const state = { kind, base: withoutBase(kind), declared: declaredIn(kind, open.sections), live };
      const matched = match(state, open, { only: "all" });
      const errors = matched.problems.filter(({ severity }) => severity === "error");
      if (errors.length > 0) return failed(...errors);
      const wanted = matched.triples.flatMap(({ want }) => want ?? []);
      standing.push(wanted.map(as("declared")), matched.kept.map(as("live")));
    }
  }
  const all = standing.flat();
  const meant = all.filter(seen.isMeant);
  if (all.length === 0 && input.named.length === 0)
    return ok(read.flatMap(({ kind }) => newIn(kind, seen, input)));
  return ok(
    meant.flatMap(({ kind, live, item, stands }) =>
      layersOf(kind, item, live.context).map((layer): Suggested => {
        const { key, id } = item.ref;
        const value = { name: key, id, stands, ...suggestedFor(layer, seen, seen.loads, input) };
        const declared = stands === "declared" && open !== null ? { kind, live, item, open } : null;
        const toWrite = input.write === "detected" ? suggestedFor(layer, seen, seen.detected, input) : value;
        return { zone, value, toWrite, declared };
      }),
    ),
  );
}

interface Limiting {
  readonly kind: Kind;
  readonly live: Live;
  readonly item: Item;
  readonly stands: "declared" | "live";
}

/** A policy for all pages that allows only the loads seen. */
function newIn({ section, touches }: Kind, seen: SeenZone, input: SuggestInput): readonly Suggested[] {
  const loads = touches?.loads;
  if (loads === undefined) return [];
  const csp = "script-src 'none'; connect-src 'none'";
  const found = suggestedFor({ where: "true", csp }, seen, seen.loads, input);
  const declare = { [section]: [loads.reporting(found.proposed)] };
  const value = { name: null, id: null, stands: "new" as const, declare, ...found };
  return [{ zone: seen.zone, value, toWrite: value, declared: null }];
}

interface Seen {
  readonly detected: Detected;
  /** The pages of the load that the policy covers, as far as they are named. */
  readonly named: readonly string[];
}

function suggestedFor(
  { where, csp }: { readonly where: string; readonly csp: string },
  { zone }: SeenZone,
  loads: Detections,
  { by, schemes }: SuggestInput,
): Omit<SuggestedValue, "name" | "id" | "stands"> {
  const seenOf = (all: readonly Detected[], kind: "script" | "connection") =>
    all.flatMap((detected): readonly SeenLoad<Seen>[] => {
      const { named, urls: pages } = coveredPages(detected, { where }, zone);
      return pages.length === 0 ? [] : [{ kind, url: detected.url, pages, of: { detected, named } }];
    });
  const all = [...seenOf(loads.scripts, "script"), ...seenOf(loads.connections, "connection")];
  const isBad = ({ of: { detected } }: SeenLoad<Seen>) => detected.malicious === true;
  const bad = all.filter(isBad);
  // A load that is malicious on other pages of the zone is malicious here too.
  const never = [
    ...neverOf(loads.scripts, "script", zone),
    ...neverOf(loads.connections, "connection", zone),
  ];
  // A value has a limited length, so the most important loads come first.
  const good = all.filter((each) => !isBad(each)).toSorted(byWeight);
  const found = suggestSources(csp, good, { by, schemes, never });
  const still = suggestSources(found.value, bad);
  const stopped = [...still.added.flatMap((each) => each.loads), ...still.refused.map(({ of }) => of)];
  return {
    value: csp,
    proposed: found.value,
    added: found.added.map((each) => ({ ...each, loads: each.loads.map(askingLoad) })),
    refused: [
      ...found.refused.map(({ of, why }): RefusedLoad => {
        return { ...entryOf(of), why: why === "beside_never" ? "beside_malicious" : why };
      }),
      ...[...new Set(stopped)].map((of): RefusedLoad => ({ ...entryOf(of), why: "malicious" })),
    ],
  };
}

function neverOf(all: readonly Detected[], kind: "script" | "connection", zone: string) {
  return all
    .filter(({ malicious }) => malicious === true)
    .map((detected) => ({
      kind,
      url: detected.url,
      pages: coveredPages(detected, { where: "true" }, zone).urls,
    }));
}

function askingLoad(seen: Seen): AskingLoad {
  const { detected, named } = seen;
  const { first = null, last = null } = detected.seen ?? {};
  return { ...entryOf(seen), pages: named.length, first_seen: first, last_seen: last };
}

function entryOf({ detected: { id, url, malicious, own, reports }, named }: Seen): ImpactEntry {
  return { id, url, malicious, page: named[0] ?? null, own, ...(reports === undefined ? {} : { reports }) };
}

/** Detected loads first, then those with the most reports. */
function byWeight({ of: { detected: a } }: SeenLoad<Seen>, { of: { detected: b } }: SeenLoad<Seen>): number {
  const seen = Number(b.id !== null) - Number(a.id !== null);
  return seen || (b.reports?.count ?? 0) - (a.reports?.count ?? 0);
}
