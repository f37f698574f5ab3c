import type { LoadKind } from "../csp/directives.js";
import type { CompiledCsp } from "../csp/match/compile.js";
import type { Truth } from "../expression/evaluate/truth.js";
import type { Detected, Detections, Impact, LayerMove, ZoneImpact } from "../model/detection.js";
import { answerTo } from "./answer.js";
import { entryOf, type Finding, movedOf } from "./moved.js";
import { keyOf, type Page, pagesOf } from "./page.js";
import { narrowed, refuses, type Trial, trial } from "./refusals.js";
import { type Csp, type Question, questionsOn, type ZoneLayers, zoneLayers } from "./zone-layers.js";

/**
 * What becomes of detected scripts and connections when layers change: in the zone as a whole, and what of that each
 * change brings about. A load is blocked where a layer that blocks applies to the page and its value refuses the load.
 */
export function impactOf(
  moves: readonly LayerMove[],
  detections: Detections,
): Pick<ZoneImpact, "total" | "byChange"> {
  const layers = zoneLayers(moves);
  const questions = questionsOnce(layers);
  const scripts = findAll(detections.scripts, "script", questions);
  const connections = findAll(detections.connections, "connection", questions);
  const changes = moves.flatMap(({ change }) => change ?? []);
  return {
    total: { scripts: movedOf(scripts), connections: movedOf(connections) },
    byChange: impactByChange(changes, byChange(scripts), byChange(connections)),
  };
}

/** Many detections are on the same pages. */
function questionsOnce({ layers }: ZoneLayers): (page: Page) => readonly Question[] {
  const known = new Map<string, readonly Question[]>();
  return (page) => {
    const key = keyOf(page);
    const found = known.get(key) ?? questionsOn(page, layers);
    known.set(key, found);
    return found;
  };
}

interface Found extends Finding {
  readonly changes: readonly number[];
  readonly maybe: readonly number[];
}

function findAll(
  all: readonly Detected[],
  kind: LoadKind,
  questionsOf: (page: Page) => readonly Question[],
): readonly Found[] {
  const refusalsOf = refusalsOnce(kind);
  return all.toSorted(inOrder).flatMap((detected) =>
    pagesOf(detected).flatMap((page) => {
      const questions = questionsOf(page);
      // Most loads are on pages where nothing changes.
      if (questions.length === 0) return [];
      const refuses = refusalsOf(
        detected.url,
        page.urls.map(({ origin }) => origin),
      );
      const entry = entryOf(detected, page);
      return questions.flatMap((question): readonly Found[] => {
        const answer = answerTo(question, refuses);
        return answer === null ? [] : [{ detected, entry, happening: question.happening, ...answer }];
      });
    }),
  );
}

/** Each value is asked once about a URL on pages of one origin, or of the same ones. */
function refusalsOnce(kind: LoadKind): (url: string, origins: readonly string[]) => (csp: Csp) => Truth {
  const known = new Map<string, Map<string, (csp: Csp) => Truth>>();
  const narrow = narrowedOnce();
  return (url, origins) => {
    const origin = origins.join(" ");
    const ofOrigin = known.get(origin) ?? new Map<string, (csp: Csp) => Truth>();
    known.set(origin, ofOrigin);
    const found = ofOrigin.get(url) ?? refusalsOf(trial(kind, url, origins), narrow);
    ofOrigin.set(url, found);
    return found;
  };
}

function refusalsOf(load: Trial, narrow: ReturnType<typeof narrowedOnce>): (csp: Csp) => Truth {
  const known: Truth[] = [];
  const values = narrow(load.host);
  return (csp) => {
    const answer = known[csp.at] ?? refuses(values(csp), load, csp.upgrades[load.kind]);
    known[csp.at] = answer;
    return answer;
  };
}

/** Most loads are from few hosts. */
function narrowedOnce(): (host: string) => (csp: Csp) => CompiledCsp {
  const known = new Map<string, CompiledCsp[]>();
  return (host) => {
    const ofHost = known.get(host) ?? [];
    known.set(host, ofHost);
    return ({ at, compiled }) => {
      const value = ofHost[at] ?? narrowed(compiled, host);
      ofHost[at] = value;
      return value;
    };
  };
}

function byChange(found: readonly Found[]): ReadonlyMap<number, readonly Finding[]> {
  const groups = new Map<number, Finding[]>();
  const add = (change: number, each: Finding) => {
    const group = groups.get(change);
    if (group === undefined) groups.set(change, [each]);
    else group.push(each);
  };
  for (const each of found) {
    for (const change of each.changes) add(change, each);
    for (const change of each.maybe) add(change, { ...each, happens: "unknown" });
  }
  return groups;
}

function impactByChange(
  changes: readonly number[],
  scripts: ReadonlyMap<number, readonly Finding[]>,
  connections: ReadonlyMap<number, readonly Finding[]>,
): ReadonlyMap<number, Impact> {
  const of = (found: ReadonlyMap<number, readonly Finding[]>, change: number) =>
    movedOf(found.get(change) ?? []);
  return new Map(
    changes.map((change) => [change, { scripts: of(scripts, change), connections: of(connections, change) }]),
  );
}

/** Malicious ones first: of long lists, people see the beginning. The service's order may differ from read to read. */
function inOrder(a: Detected, b: Detected): number {
  const first = Number(b.malicious === true) - Number(a.malicious === true);
  return first || compare(a.url, b.url) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
