import type { Client } from "../api/client.js";
import { type Granularity, type SeenLoad, suggested } from "../csp/suggest.js";
import { coveredPages } from "../impact/covered.js";
import type { Detected, ImpactEntry } from "../model/detection.js";
import type { Result } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import type { AskingLoad, RefusedLoad, SuggestedValue, SuggestReport } from "../model/suggestion.js";
import { inZones, type SeenInput, type SeenZone } from "./layered.js";

interface SuggestInput extends SeenInput {
  readonly by: Granularity;
  /** Schemes that may stand alone as a source, such as `data:`. */
  readonly schemes: readonly string[];
}

/** For every policy in the zones, what it would have to allow so that what was seen on its pages passes. */
export function suggestions(
  input: SuggestInput,
  client: Client,
  progress: Progress,
): Promise<Result<SuggestReport>> {
  return inZones(input, client, progress, (seen) => suggestedIn(seen, input));
}

function suggestedIn(seen: SeenZone, input: SuggestInput): readonly SuggestedValue[] {
  const meant = seen.objects.filter((each) => each.layers.length > 0 && seen.isMeant(each));
  if (meant.length === 0 && input.named.length === 0)
    return [{ name: null, id: null, ...suggestedFor(NEW, seen, input) }];
  return meant.flatMap(({ item, layers }) =>
    layers.map((layer) => ({ name: item.ref.key, id: item.ref.id, ...suggestedFor(layer, seen, input) })),
  );
}

/** A policy for all pages that allows nothing yet. */
const NEW = { where: "true", csp: "script-src 'none'; connect-src 'none'" };

interface Seen {
  readonly detected: Detected;
  readonly page: string | null;
}

function suggestedFor(
  { where, csp }: { readonly where: string; readonly csp: string },
  { zone, loads }: SeenZone,
  { by, schemes }: SuggestInput,
): Omit<SuggestedValue, "name" | "id"> {
  const seenOf = (all: readonly Detected[], kind: "script" | "connection") =>
    all.flatMap((detected): readonly SeenLoad<Seen>[] => {
      const pages = coveredPages(detected, { where }, zone);
      const of = { detected, page: detected.pages.find((page) => page !== "") ?? null };
      return pages.length === 0 ? [] : [{ kind, url: detected.url, pages, of }];
    });
  const all = [...seenOf(loads.scripts, "script"), ...seenOf(loads.connections, "connection")];
  const isBad = ({ of: { detected } }: SeenLoad<Seen>) => detected.malicious === true;
  const bad = all.filter(isBad);
  // What is malicious on other pages of the zone is no better on these.
  const never = [
    ...neverOf(loads.scripts, "script", zone),
    ...neverOf(loads.connections, "connection", zone),
  ];
  const good = all.filter((each) => !isBad(each));
  const found = suggested(csp, good, { by, schemes, never });
  const still = suggested(found.value, bad);
  const stopped = [...still.added.flatMap(({ loads: those }) => those), ...still.refused.map(({ of }) => of)];
  return {
    value: csp,
    proposed: found.value,
    added: found.added.map(({ kind, source, loads: those }) => ({
      kind,
      source,
      loads: those.map(askingLoad),
    })),
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
    .map((detected) => ({ kind, url: detected.url, pages: coveredPages(detected, { where: "true" }, zone) }));
}

function askingLoad(seen: Seen): AskingLoad {
  const { detected } = seen;
  const pages = detected.pages.filter((page) => page !== "").length;
  const { first = null, last = null } = detected.seen ?? {};
  return { ...entryOf(seen), pages, first_seen: first, last_seen: last };
}

function entryOf({ detected: { id, url, malicious, own, reports }, page }: Seen): ImpactEntry {
  return { id, url, malicious, page, own, ...(reports === undefined ? {} : { reports }) };
}
