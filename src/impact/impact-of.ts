import type { LoadKind } from "../csp/directives.js";
import { compile } from "../csp/match/allows.js";
import type { Truth } from "../expression/value.js";
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
import { groupBy } from "../model/group-by.js";
import type { Layer } from "../model/strength.js";
import { charged } from "../model/work-budget.js";
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
} from "./csp-layers.js";
import { keyOf, type Page, pagesOf } from "./page.js";
import { refuses, sourcesFor, type Trial, trial } from "./refusals.js";

type MovedLoads = Pick<ZoneImpact, "total" | "byChange">;

/**
 * The impact of moving layers on detected scripts and connections: in the whole zone, and by change. A load is blocked
 * where a blocking layer applies to the page and its CSP refuses the load.
 */
export function impactOf(moves: readonly LayerMove[], detections: Detections): MovedLoads {
  const impact = impactBetween(moves, detections);
  if (!moves.some(({ inBase }) => inBase !== undefined)) return impact;
  return withAllowed(impact, impactBetween(moves.map(sinceBase), detections));
}

/** The same move, starting from the layers in the base. */
function sinceBase({ inBase, ...move }: LayerMove): LayerMove {
  return inBase === undefined ? move : { ...move, before: inBase };
}

function impactBetween(moves: readonly LayerMove[], detections: Detections): MovedLoads {
  const questions = questionsOnce(moves);
  const scripts = findingsFor(detections.scripts, "script", questions);
  const connections = findingsFor(detections.connections, "connection", questions);
  const changes = moves.flatMap(({ change }) => change ?? []);
  return {
    total: { scripts: movedOf(scripts), connections: movedOf(connections) },
    byChange: byChange(changes, scripts, connections),
  };
}

/** The impact, plus the loads that another impact newly allows or may newly allow. */
function withAllowed(impact: MovedLoads, other: MovedLoads): MovedLoads {
  const byChange = [...impact.byChange].map(([change, first]) => {
    const second = other.byChange.get(change);
    return [change, second === undefined ? first : withAllowedOf(first, second)] as const;
  });
  return { total: withAllowedOf(impact.total, other.total), byChange: new Map(byChange) };
}

function withAllowedOf(impact: Impact, other: Impact): Impact {
  const moved = (first: Moved, second: Moved): Moved => {
    const isNew = (entry: ImpactEntry) =>
      ![...first.newly_allowed, ...first.undecided].some(
        ({ url, page }) => url === entry.url && page === entry.page,
      );
    const undecided = second.undecided.filter(({ may_be }) => may_be.includes("newly_allowed"));
    return {
      ...first,
      newly_allowed: [...first.newly_allowed, ...second.newly_allowed.filter(isNew)],
      undecided: [...first.undecided, ...undecided.filter(isNew)],
    };
  };
  return {
    scripts: moved(impact.scripts, other.scripts),
    connections: moved(impact.connections, other.connections),
  };
}

/** Many detections share pages. Without detections, no layer is read. */
function questionsOnce(moves: readonly LayerMove[]): (page: Page) => readonly Question[] {
  const layers = zoneLayers(moves);
  const byPage = new Map<string, readonly Question[]>();
  return (page) => {
    const key = keyOf(page);
    const questions = byPage.get(key) ?? questionsOn(page, layers);
    byPage.set(key, questions);
    return questions;
  };
}

interface ChangeFinding extends Finding {
  readonly changes: readonly number[];
  readonly maybe: readonly number[];
}

function findingsFor(
  detections: readonly Detected[],
  kind: LoadKind,
  questionsOf: (page: Page) => readonly Question[],
): readonly ChangeFinding[] {
  const refusalsOf = refusalsOnce(kind);
  return detections.toSorted(inOrder).flatMap((detected) =>
    pagesOf(detected).flatMap((page) => {
      const questions = questionsOf(page);
      // Most loads are on pages where nothing changes.
      if (questions.length === 0) return [];
      const refuses = refusalsOf(
        detected,
        page.urls.map(({ origin }) => origin),
      );
      const entry = entryOf(detected, page);
      return questions.flatMap((question): readonly ChangeFinding[] => {
        const answer = answerTo(question, refuses);
        return answer === null ? [] : [{ detected, entry, happening: question.happening, ...answer }];
      });
    }),
  );
}

type Target = Pick<Detected, "url" | "reports">;

/** Asks each CSP once about a URL on pages of the same origins. */
function refusalsOnce(kind: LoadKind): (load: Target, origins: readonly string[]) => (csp: Csp) => Truth {
  const known = new Map<string, (csp: Csp) => Truth>();
  return (load, origins) => {
    const key = JSON.stringify([origins, load.reports?.path_prefix === true, load.url]);
    const refusals = known.get(key) ?? refusalsOf(trial(kind, load, origins));
    known.set(key, refusals);
    return refusals;
  };
}

function refusalsOf(load: Trial): (csp: Csp) => Truth {
  const answers: Truth[] = [];
  return (csp) => {
    const refusal = answers[csp.at] ?? refusalBy(csp, load);
    const answer = refusal === false && csp.mayRefuseMore ? "unknown" : refusal;
    answers[csp.at] = answer;
    return answer;
  };
}

/** A budget applies: thousands of loads may each meet hundreds of sources in every CSP. */
function refusalBy({ text, compiled, upgrades }: Csp, load: Trial): Truth {
  const answer = () => ({
    value: refuses(compiled, load, upgrades[load.kind]),
    work: sourcesFor(compiled, load) * SOURCE_WORK,
  });
  return charged(() => ["load", text, load.url], answer, "unknown");
}

/** Matching a load against a source takes several looks. */
const SOURCE_WORK = 5;

function byChange(
  changes: readonly number[],
  scripts: readonly ChangeFinding[],
  connections: readonly ChangeFinding[],
): ReadonlyMap<number, Impact> {
  const [ofScripts, ofConnections] = [findingsByChange(scripts), findingsByChange(connections)];
  const moved = (findings: ReturnType<typeof findingsByChange>, change: number) =>
    movedOf(findings.get(change)?.map(([, finding]) => finding) ?? []);
  return new Map(
    changes.map((change) => [
      change,
      { scripts: moved(ofScripts, change), connections: moved(ofConnections, change) },
    ]),
  );
}

function findingsByChange(findings: readonly ChangeFinding[]) {
  const pairs = findings.flatMap((each): readonly (readonly [change: number, Finding])[] => [
    ...each.changes.map((change) => [change, each] as const),
    ...each.maybe.map((change) => [change, { ...each, happens: "unknown" as const }] as const),
  ]);
  return groupBy(pairs, ([change]) => change);
}

/** Malicious loads first: readers see only the start of a long list. The service's order may differ between reads. */
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
  /** Changes that may have a part in a certain answer. */
  readonly maybe: readonly number[];
}

/**
 * Null: it does not happen. A layer surely stops a load only if its expression and its CSP both say so. One unknown
 * answer is shared by all layers that ask it: a CSP that moves to the same unknown pages changes nothing there.
 */
export function answerTo({ by, against }: Question, refuses: (csp: Csp) => Truth): Answer | null {
  const refusing = by.filter(({ csp }) => refuses(csp) !== false);
  if (refusing.length === 0) return null;
  const opposing = against.filter(({ csp }) => refuses(csp) !== false);
  const isSure = ({ applies, csp }: PageLayer) => applies === true && refuses(csp) === true;
  if (opposing.some(isSure)) return null;
  const dependent = [...refusing, ...against].filter(dependsOnUpgrade(refuses));
  const upgradeChanges = dependent.flatMap(({ otherwise }) => otherwise?.changes ?? []);
  const certain = refusing.filter(isSure);
  if (certain.length > 0 && opposing.length === 0) {
    const isKnown = !dependent.some(({ otherwise }) => otherwise && refuses(otherwise.csp) === "unknown");
    const changes = union(changesOf(certain), isKnown ? upgradeChanges : []);
    const maybe = union(changesOf(refusing), upgradeChanges).filter((each) => !changes.includes(each));
    return { happens: true, changes, maybe };
  }
  const isForced = forcedBy(opposing, refuses);
  const free = refusing.filter((layer) => !isForced(layer));
  return free.length === 0
    ? null
    : { happens: "unknown", changes: union(changesOf(free), upgradeChanges), maybe: [] };
}

/** Whether the layer's answer differs between a page that upgrades insecure requests and one that does not. */
function dependsOnUpgrade(refuses: (csp: Csp) => Truth): (layer: PageLayer) => boolean {
  return ({ csp, otherwise }) => otherwise !== undefined && refuses(otherwise.csp) !== refuses(csp);
}

function union(first: readonly number[], second: readonly number[]): readonly number[] {
  return second.length === 0 ? first : [...new Set([...first, ...second])];
}

/**
 * Whether an opposing layer stops the load whenever this layer does, given one shared unknown answer. Then this layer
 * never makes a difference.
 */
function forcedBy(
  opposing: readonly PageLayer[],
  refuses: (csp: Csp) => Truth,
): (layer: PageLayer) => boolean {
  const wheres = new Set<Where>();
  const csps = new Set<Csp>();
  const pairs = new Map<Where, Set<Csp>>();
  for (const { applies, where, csp } of opposing) {
    if (refuses(csp) === true) wheres.add(where);
    else if (applies === true) csps.add(csp);
    else pairs.set(where, (pairs.get(where) ?? new Set()).add(csp));
  }
  return ({ where, csp }) => wheres.has(where) || csps.has(csp) || pairs.get(where)?.has(csp) === true;
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

function entryOf({ id, url, malicious, own, reports }: Detected, { name: named }: Page): ImpactEntry {
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

/** The service's texts can be of any length. A plan has to stay readable. */
const MOST_CHARS = 2000;

/** One entry for each detection, with its first page. Findings of one detection are adjacent. */
function movedOf(findings: readonly Finding[]): Moved {
  const certain = findings.filter(({ happens }) => happens === true);
  const entriesOf = (kind: Happening) =>
    firstOfEach(certain.filter(({ happening }) => happening === kind)).map(({ entry }) => entry);
  return {
    newly_blocked: entriesOf("newly_blocked"),
    newly_reported: entriesOf("newly_reported"),
    newly_allowed: entriesOf("newly_allowed"),
    undecided: undecidedEntries(findings.filter(({ happens }) => happens === "unknown")),
  };
}

function firstOfEach(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ detected }, index) => detected !== findings[index - 1]?.detected);
}

function undecidedEntries(findings: readonly Finding[]): Moved["undecided"] {
  const entries: (ImpactEntry & { readonly may_be: Happening[] })[] = [];
  for (const [index, { detected, entry, happening }] of findings.entries()) {
    const last = detected === findings[index - 1]?.detected ? entries.at(-1) : undefined;
    if (last === undefined) entries.push({ ...entry, may_be: [happening] });
    else if (!last.may_be.includes(happening)) last.may_be.push(happening);
  }
  return entries;
}

/** The changes that can affect loads, each with the affected kinds of load. */
export function affectedKinds(moves: readonly LayerMove[]): ReadonlyMap<number, readonly DetectedKind[]> {
  return new Map(
    moves.flatMap((move): (readonly [number, readonly DetectedKind[]])[] => {
      const kinds = [...(movedKinds([move]) ?? [])].map((kind) => `${kind}s` as const);
      return move.change === null || kinds.length === 0 ? [] : [[move.change, kinds]];
    }),
  );
}

/**
 * The changes on whose pages no detection was ever seen, so that an empty impact proves nothing. A page with an unknown
 * answer is no evidence.
 */
export function changesWithoutDetections(
  moves: readonly LayerMove[],
  detections: Detections,
): ReadonlySet<number> {
  const byKey = new Map<string, Page>();
  for (const detected of [...detections.scripts, ...detections.connections])
    for (const page of pagesOf(detected)) byKey.set(keyOf(page), page);
  const pages = [...byKey.values()];
  const isUnseen = (move: LayerMove) => !pages.some((page) => changesOn(page, move));
  return new Set(moves.flatMap((move) => (move.change !== null && isUnseen(move) ? [move.change] : [])));
}

/** Whether the page surely has different layers of the object after the change. */
function changesOn(page: Page, { before, after }: LayerMove): boolean {
  const [layersBefore, layersAfter] = [before, after].map((layers) => layersOn(page, layers));
  return layersBefore !== null && layersAfter !== null && layersBefore !== layersAfter;
}

/** The layers that apply to a page, as a text to compare. Null: unknown. */
function layersOn(page: Page, layers: readonly Layer[]): string | null {
  const answers = layers.map(({ where }) => appliesTo(page, readWhere(where)));
  if (answers.includes("unknown")) return null;
  const applying = layers.filter((_, index) => answers[index] === true);
  return JSON.stringify(applying.map(({ mode, csp }) => [mode, csp]));
}

/** The kinds of load that the moves can affect. Null: no layer moves. */
export function movedKinds(moves: readonly LayerMove[]): ReadonlySet<LoadKind> | null {
  const moving = moves.filter(isMoving);
  if (moving.length === 0) return null;
  return new Set(KINDS.filter((kind) => moving.some((move) => isMoving(limiting(kind, move)))));
}

const KINDS = ["script", "connection"] as const satisfies readonly LoadKind[];

function isMoving({ before, inBase = before, after }: LayerMove): boolean {
  return differ(before, after) || differ(inBase, after);
}

function differ(some: readonly Layer[], others: readonly Layer[]): boolean {
  const isIn = (layers: readonly Layer[]) => (layer: Layer) =>
    layers.some(({ mode, where, csp }) => layer.mode === mode && layer.where === where && layer.csp === csp);
  return !some.every(isIn(others)) || !others.every(isIn(some));
}

/** The move as one kind of load sees it: the layers that limit the kind, with what does so in their CSP. */
function limiting(kind: LoadKind, { change, before, inBase, after }: LayerMove): LayerMove {
  const of = (layers: readonly Layer[]) =>
    layers.map((layer) => ({ ...layer, csp: limitsIn(layer.csp, kind) })).filter(({ csp }) => csp !== "");
  return {
    change,
    before: of(before),
    after: of(after),
    ...(inBase === undefined ? {} : { inBase: of(inBase) }),
  };
}

/** What a CSP says of a kind of load. Empty: nothing. */
function limitsIn(csp: string, kind: LoadKind): string {
  if (mayRefuseMore(csp)) return csp;
  const { policies, upgradesInsecure } = compile(csp);
  const lists = policies.flatMap(({ deciding }) => deciding[kind] ?? []);
  return [
    ...lists.map(({ directive }) => ["only", ...directive.sources.map(({ text }) => text)].join(" ")),
    // An upgrade of insecure requests changes the question for every other CSP.
    ...(upgradesInsecure ? ["upgraded"] : []),
  ].join(", ");
}
