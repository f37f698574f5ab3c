import type { LoadKind } from "../csp/directives.js";
import { type CompiledCsp, compile } from "../csp/match/allows.js";
import type { Truth } from "../expression/value.js";
import { charged } from "../model/comparing.js";
import { cut } from "../model/cut.js";
import type {
  Detected,
  DetectedKind,
  Detections,
  Happening,
  Impact,
  ImpactEntry,
  LayerMove,
  Moved,
  ZoneImpact,
} from "../model/detection.js";
import type { Layer } from "../model/strength.js";
import { keyOf, type Page, pagesOf } from "./page.js";
import { narrowed, refuses, sourcesFor, type Trial, trial } from "./refusals.js";
import {
  appliesTo,
  type Csp,
  mayRefuseMore,
  type PageLayer,
  type Question,
  questionsOn,
  readWhere,
  type Where,
  zoneLayers,
} from "./zone-layers.js";

/**
 * What becomes of detected scripts and connections when layers change: in the zone as a whole, and what of that each
 * change brings about. A load is blocked where a layer that blocks applies to the page and its value refuses the load.
 */
export function impactOf(
  moves: readonly LayerMove[],
  detections: Detections,
): Pick<ZoneImpact, "total" | "byChange"> {
  const impact = impactBetween(moves, detections);
  if (!moves.some(({ past }) => past !== undefined)) return impact;
  return withAllowed(impact, impactBetween(moves.map(sinceBase), detections));
}

/** A move from what the base has. */
function sinceBase({ past, ...move }: LayerMove): LayerMove {
  return past === undefined ? move : { ...move, before: past };
}

function impactBetween(
  moves: readonly LayerMove[],
  detections: Detections,
): Pick<ZoneImpact, "total" | "byChange"> {
  const questions = questionsOnce(moves);
  const scripts = findAll(detections.scripts, "script", questions);
  const connections = findAll(detections.connections, "connection", questions);
  const changes = moves.flatMap(({ change }) => change ?? []);
  return {
    total: { scripts: movedOf(scripts), connections: movedOf(connections) },
    byChange: impactByChange(changes, byChange(scripts), byChange(connections)),
  };
}

/** An impact with what another one newly allows, or may. */
function withAllowed(
  impact: Pick<ZoneImpact, "total" | "byChange">,
  other: Pick<ZoneImpact, "total" | "byChange">,
): Pick<ZoneImpact, "total" | "byChange"> {
  const byChange = [...impact.byChange].map(([change, own]) => {
    const more = other.byChange.get(change);
    return [change, more === undefined ? own : allowedToo(own, more)] as const;
  });
  return { total: allowedToo(impact.total, other.total), byChange: new Map(byChange) };
}

function allowedToo(impact: Impact, other: Impact): Impact {
  const moved = (own: Moved, more: Moved): Moved => {
    const isNew = (entry: ImpactEntry) =>
      ![...own.newly_allowed, ...own.undecided].some(
        ({ url, page }) => url === entry.url && page === entry.page,
      );
    const undecided = more.undecided.filter(({ may_be }) => may_be.includes("newly_allowed"));
    return {
      ...own,
      newly_allowed: [...own.newly_allowed, ...more.newly_allowed.filter(isNew)],
      undecided: [...own.undecided, ...undecided.filter(isNew)],
    };
  };
  return {
    scripts: moved(impact.scripts, other.scripts),
    connections: moved(impact.connections, other.connections),
  };
}

/** Many detections are on the same pages. Where there are none, no layer is read. */
function questionsOnce(moves: readonly LayerMove[]): (page: Page) => readonly Question[] {
  const { layers } = zoneLayers(moves);
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
        detected,
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

type Tried = Pick<Detected, "url" | "reports">;

/** Each value is asked once about a URL on pages of one origin, or of the same ones. */
function refusalsOnce(kind: LoadKind): (load: Tried, origins: readonly string[]) => (csp: Csp) => Truth {
  const known = new Map<string, Map<string, (csp: Csp) => Truth>>();
  const narrow = narrowedOnce();
  return (load, origins) => {
    const origin = origins.join(" ");
    const ofOrigin = known.get(origin) ?? new Map<string, (csp: Csp) => Truth>();
    known.set(origin, ofOrigin);
    const key = `${load.reports?.path_prefix === true ? "all below " : ""}${load.url}`;
    const found = ofOrigin.get(key) ?? refusalsOf(trial(kind, load, origins), narrow);
    ofOrigin.set(key, found);
    return found;
  };
}

function refusalsOf(load: Trial, narrow: ReturnType<typeof narrowedOnce>): (csp: Csp) => Truth {
  const known: Truth[] = [];
  const values = narrow(load.host);
  return (csp) => {
    const found = known[csp.at] ?? refusalBy(csp, () => values(csp), load);
    const answer = found === false && csp.mayRefuseMore ? "unknown" : found;
    known[csp.at] = answer;
    return answer;
  };
}

/** Thousands of loads from one host may meet hundreds of its paths in each value. */
function refusalBy(csp: Csp, narrow: () => CompiledCsp, load: Trial): Truth {
  const answer = () => {
    const value = narrow();
    const looks = sourcesFor(csp.compiled, load) + sourcesFor(value, load) * TRIAL_WORK;
    return { value: refuses(value, load, csp.upgrades[load.kind]), work: looks };
  };
  return charged(() => ["load", csp.text, load.url], answer, "unknown");
}

/** To try a load on a source takes some looks, and to leave out a source of another host takes one. */
const TRIAL_WORK = 10;

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
  return first || compare(a.url, b.url) || compare(a.id ?? "", b.id ?? "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether something happens to a load, and by which changes. */
interface Answer {
  readonly happens: true | "unknown";
  readonly changes: readonly number[];
  /** Changes of which it cannot be told whether they have a part in what is certain. */
  readonly maybe: readonly number[];
}

/**
 * Null: it does not happen. Whether a layer stops a load is known where its expression and its value say so. What is
 * not known is one fact for all layers that ask it: a value that moves to the same unknown pages changes nothing there.
 */
export function answerTo({ by, against }: Question, refuses: (csp: Csp) => Truth): Answer | null {
  const able = by.filter(({ csp }) => refuses(csp) !== false);
  if (able.length === 0) return null;
  const standing = against.filter(({ csp }) => refuses(csp) !== false);
  const isSure = ({ applies, csp }: PageLayer) => applies === true && refuses(csp) === true;
  if (standing.some(isSure)) return null;
  const turning = [...able, ...against].filter(isTurnedBy(refuses));
  const turned = turning.flatMap(({ otherwise }) => otherwise?.changes ?? []);
  const sure = able.filter(isSure);
  if (sure.length > 0 && standing.length === 0) {
    const isKnown = !turning.some(({ otherwise }) => otherwise && refuses(otherwise.csp) === "unknown");
    const changes = merged(changesOf(sure), isKnown ? turned : []);
    const maybe = merged(changesOf(able), turned).filter((each) => !changes.includes(each));
    return { happens: true, changes, maybe };
  }
  const isForced = forcedBy(standing, refuses);
  const free = able.filter((layer) => !isForced(layer));
  return free.length === 0
    ? null
    : { happens: "unknown", changes: merged(changesOf(free), turned), maybe: [] };
}

/** Whether a layer refuses the load, or lets it pass, because insecure requests are upgraded on one side only. */
function isTurnedBy(refuses: (csp: Csp) => Truth): (layer: PageLayer) => boolean {
  return ({ csp, otherwise }) => otherwise !== undefined && refuses(otherwise.csp) !== refuses(csp);
}

function merged(some: readonly number[], more: readonly number[]): readonly number[] {
  return more.length === 0 ? some : [...new Set([...some, ...more])];
}

/**
 * Whether one of those that stand against it stops the load if this layer does, and nothing else that is unknown
 * turns out true. Then this layer never makes a difference.
 */
function forcedBy(
  standing: readonly PageLayer[],
  refuses: (csp: Csp) => Truth,
): (layer: PageLayer) => boolean {
  const wheres = new Set<Where>();
  const csps = new Set<Csp>();
  const both = new Map<Where, Set<Csp>>();
  for (const { applies, where, csp } of standing) {
    if (refuses(csp) === true) wheres.add(where);
    else if (applies === true) csps.add(csp);
    else both.set(where, (both.get(where) ?? new Set()).add(csp));
  }
  return ({ where, csp }) => wheres.has(where) || csps.has(csp) || both.get(where)?.has(csp) === true;
}

function changesOf(layers: readonly PageLayer[]): readonly number[] {
  const [only] = layers;
  if (only !== undefined && layers.length === 1) return only.changes;
  return [...new Set(layers.flatMap(({ changes }) => changes))];
}

/** Something that happens, or may happen, to a detection on a page. */
interface Finding {
  readonly detected: Detected;
  readonly entry: ImpactEntry;
  readonly happening: Happening;
  readonly happens: true | "unknown";
}

function entryOf({ id, url, malicious, own, reports }: Detected, { named }: Page): ImpactEntry {
  const page = named === null ? null : cut(named, MOST_CHARS);
  return {
    id,
    url: cut(url, MOST_CHARS),
    malicious,
    page,
    own,
    ...(reports === undefined ? {} : { reports }),
  };
}

/** The service's texts can be of any length, and a plan has to stay readable. */
const MOST_CHARS = 2000;

/** Findings, those of one detection next to each other → each detection with the first of its pages. */
function movedOf(findings: readonly Finding[]): Moved {
  const sure = findings.filter(({ happens }) => happens === true);
  const entriesOf = (what: Happening) =>
    firstOfEach(sure.filter(({ happening }) => happening === what)).map(({ entry }) => entry);
  return {
    newly_blocked: entriesOf("newly_blocked"),
    newly_reported: entriesOf("newly_reported"),
    newly_allowed: entriesOf("newly_allowed"),
    undecided: undecided(findings.filter(({ happens }) => happens === "unknown")),
  };
}

function firstOfEach(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ detected }, index) => detected !== findings[index - 1]?.detected);
}

function undecided(findings: readonly Finding[]): Moved["undecided"] {
  const all: (ImpactEntry & { readonly may_be: Happening[] })[] = [];
  for (const [index, { detected, entry, happening }] of findings.entries()) {
    const last = detected === findings[index - 1]?.detected ? all.at(-1) : undefined;
    if (last === undefined) all.push({ ...entry, may_be: [happening] });
    else if (!last.may_be.includes(happening)) last.may_be.push(happening);
  }
  return all;
}

/** The changes that can do something to loads, each with the kinds of these. */
export function affectedKinds(moves: readonly LayerMove[]): ReadonlyMap<number, readonly DetectedKind[]> {
  return new Map(
    moves.flatMap((move): (readonly [number, readonly DetectedKind[]])[] => {
      const kinds = [...(movedKinds([move]) ?? [])].map((kind) => `${kind}s` as const);
      return move.change === null || kinds.length === 0 ? [] : [[move.change, kinds]];
    }),
  );
}

/**
 * The changes on whose pages nothing was ever seen, so that to find nothing there means nothing. Pages of which it cannot
 * be told whether something changes there tell nothing.
 */
export function changesWithoutDetections(
  moves: readonly LayerMove[],
  detections: Detections,
): ReadonlySet<number> {
  const seen = new Map<string, Page>();
  for (const detected of [...detections.scripts, ...detections.connections])
    for (const page of pagesOf(detected)) seen.set(keyOf(page), page);
  const pages = [...seen.values()];
  const isUnseen = (move: LayerMove) => !pages.some((page) => changesOn(page, move));
  return new Set(moves.flatMap((move) => (move.change !== null && isUnseen(move) ? [move.change] : [])));
}

/** Whether a page surely has other layers of the object after the change than before. */
function changesOn(page: Page, { before, after }: LayerMove): boolean {
  const [old, now] = [before, after].map((layers) => layersOn(page, layers));
  return old !== null && now !== null && old !== now;
}

/** What of the layers applies to a page, as a text to compare; null: that is not known. */
function layersOn(page: Page, layers: readonly Layer[]): string | null {
  const answers = layers.map(({ where }) => appliesTo(page, readWhere(where)));
  if (answers.includes("unknown")) return null;
  const applying = layers.filter((_, index) => answers[index] === true);
  return JSON.stringify(applying.map(({ mode, csp }) => [mode, csp]));
}

/** The kinds of load that moves can do something to. Null: no layer moves. */
export function movedKinds(moves: readonly LayerMove[]): ReadonlySet<LoadKind> | null {
  const moving = moves.flatMap(({ before, past = before, after }) => [
    ...without([...before, ...past], after),
    ...without(after, before),
    ...without(after, past),
  ]);
  if (moving.length === 0) return null;
  const texts = [...new Set(moving.map(({ csp }) => csp))];
  if (texts.some(mayRefuseMore)) return new Set(KINDS);
  const values = texts.map(compile);
  return new Set(
    KINDS.filter((kind) =>
      values.some(
        // One that upgrades what pages ask for changes what all other values are asked.
        ({ policies, upgradesInsecure }) =>
          upgradesInsecure || policies.some(({ deciding }) => deciding[kind] !== null),
      ),
    ),
  );
}

const KINDS = ["script", "connection"] as const satisfies readonly LoadKind[];

function without(some: readonly Layer[], others: readonly Layer[]): readonly Layer[] {
  return some.filter(
    ({ mode, where, csp }) =>
      !others.some((each) => each.mode === mode && each.where === where && each.csp === csp),
  );
}
