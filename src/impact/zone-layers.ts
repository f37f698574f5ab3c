import { directivesBeside } from "../csp/diff.js";
import { KNOWN_FOR_LOADS, type LoadKind } from "../csp/directives.js";
import { type CompiledCsp, compile } from "../csp/match/allows.js";
import { workOf } from "../expression/budget.js";
import { newEffort } from "../expression/evaluate/compare.js";
import { evaluateTree } from "../expression/evaluate/evaluate.js";
import { readExpression } from "../expression/parse/parse.js";
import type { Expression } from "../expression/tree.js";
import type { Truth } from "../expression/value.js";
import { charged } from "../model/comparing.js";
import type { Detected, Happening, LayerMove } from "../model/detection.js";
import type { Layer } from "../model/strength.js";
import { type Page, pagesOf } from "./page.js";

/** A layer of the zone, before or after or both, however many objects have it. */
export interface ZoneLayer {
  readonly mode: Layer["mode"];
  readonly where: Where;
  readonly csp: Csp;
  /** Changes by which it comes, or by which it goes. */
  readonly changes: readonly number[];
  readonly isBefore: boolean;
  readonly isAfter: boolean;
}

/** A distinct expression. Null: it is none, so what it matches is not known. */
export interface Where {
  readonly text: string;
  readonly tree: Expression | null;
}

/** A distinct value, and its number among the zone's. */
export interface Csp {
  readonly at: number;
  readonly text: string;
  readonly compiled: CompiledCsp;
  /** It may refuse more than `compiled` says, by directives that this version does not know. */
  readonly mayRefuseMore: boolean;
  /** Whether the browser upgrades what is asked for before this value is asked. */
  readonly upgrades: Readonly<Record<LoadKind, Truth>>;
}

export interface ZoneLayers {
  readonly layers: readonly ZoneLayer[];
}

/** Each layer, expression and value once. */
export function zoneLayers(moves: readonly LayerMove[]): ZoneLayers {
  const wheres = new Map<string, Where>();
  const csps = new Map<string, Csp>();
  const found = new Map<string, Found>();
  for (const { change, before, after } of moves) {
    for (const layer of before) note(found, layer, "isBefore", change, after);
    for (const layer of after) note(found, layer, "isAfter", change, before);
  }
  const layers = [...found.values()].map(({ layer: { mode, where, csp }, changes, ...rest }) => ({
    ...rest,
    changes: [...changes],
    mode,
    where: once(wheres, where, readWhere),
    csp: once(csps, csp, (text) => ({
      at: csps.size,
      text,
      compiled: compile(text),
      mayRefuseMore: mayRefuseMore(text),
      upgrades: NONE,
    })),
  }));
  return { layers };
}

/** `sandbox` without `allow-scripts` stops all scripts, for example. */
export function mayRefuseMore(csp: string): boolean {
  return directivesBeside(csp, KNOWN_FOR_LOADS) !== "";
}

const NONE = { script: false, connection: false } as const;

interface Found {
  readonly layer: Layer;
  isBefore: boolean;
  isAfter: boolean;
  readonly changes: Set<number>;
}

function note(
  all: Map<string, Found>,
  layer: Layer,
  side: "isBefore" | "isAfter",
  change: number | null,
  others: readonly Layer[],
): void {
  const identity = identityOf(layer);
  const found = once(all, identity, () => ({
    layer,
    isBefore: false,
    isAfter: false,
    changes: new Set<number>(),
  }));
  found[side] = true;
  const stays = others.some((each) => identityOf(each) === identity);
  if (change !== null && !stays) found.changes.add(change);
}

function identityOf({ mode, where, csp }: Layer): string {
  return JSON.stringify([mode, where, csp]);
}

function once<T>(known: Map<string, T>, key: string, make: (key: string) => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make(key);
  known.set(key, made);
  return made;
}

export function readWhere(text: string): Where {
  const parsed = readExpression(text);
  return { text, tree: parsed.ok ? parsed.tree : null };
}

/** A layer that may apply to a page. */
export interface PageLayer extends ZoneLayer {
  readonly applies: true | "unknown";
  /** Where the page upgrades insecure requests on one side only: how it is asked on the other, and what changes that. */
  readonly otherwise?: { readonly csp: Csp; readonly changes: readonly number[] };
}

/** What can happen on a page: by these layers, where none of those stands against it. */
export interface Question {
  readonly happening: Happening;
  /** What brings it about. */
  readonly by: readonly PageLayer[];
  /** What was so before, or still is. */
  readonly against: readonly PageLayer[];
}

/** What can happen on a page. Nothing, where no layer moves. */
export function questionsOn(page: Page, layers: readonly ZoneLayer[]): readonly Question[] {
  const truths = new Map<Where, Truth>();
  const applying = layers.flatMap((layer): readonly PageLayer[] => {
    const known = truths.get(layer.where);
    const applies = known ?? appliesTo(page, layer.where);
    if (known === undefined) truths.set(layer.where, applies);
    return applies === false ? [] : [{ ...layer, applies }];
  });
  const before = upgradesOf(applying.filter(({ isBefore }) => isBefore));
  const after = upgradesOf(applying.filter(({ isAfter }) => isAfter));
  const moved = applying.filter((layer) => layer.isBefore !== layer.isAfter && isUpgrading(layer));
  const changes = [...new Set(moved.flatMap((layer) => layer.changes))];
  const shown = applying.flatMap((layer): readonly PageLayer[] => {
    const [was, is] = [asked(layer, before), asked(layer, after)];
    if (was.at === is.at) return [{ ...layer, csp: is }];
    const gone = { ...layer, csp: was, isAfter: false, otherwise: { csp: is, changes } };
    const come = { ...layer, csp: is, isBefore: false, otherwise: { csp: was, changes } };
    return [...(layer.isBefore ? [gone] : []), ...(layer.isAfter ? [come] : [])];
  });
  const blocking = shown.filter(({ mode }) => mode === "enforce");
  const reporting = shown.filter(({ mode }) => mode === "report");
  const blockingBefore = blocking.filter(({ isBefore }) => isBefore);
  const questions: readonly Question[] = [
    { happening: "newly_blocked", by: blocking.filter(isNew), against: blockingBefore },
    {
      happening: "newly_reported",
      by: reporting.filter(isNew),
      against: [...blocking, ...reporting.filter(({ isBefore }) => isBefore)],
    },
    {
      happening: "newly_allowed",
      by: blockingBefore.filter(({ isAfter }) => !isAfter),
      against: blocking.filter(({ isAfter }) => isAfter),
    },
  ];
  return questions.filter(({ by }) => by.length > 0);
}

/** Whether an expression matches the request for a page. A page with several requests has an answer where all have the same. */
export function appliesTo(page: Page, { text, tree }: Where): Truth {
  if (tree === null) return "unknown";
  const evaluated = () => {
    const [first = {}, ...others] = page.requests();
    const effort = newEffort();
    const answer = evaluateTree(tree, first, effort);
    const isSame = others.every((request) => evaluateTree(tree, request, effort) === answer);
    const value: Truth = isSame ? answer : "unknown";
    return { value, work: PAGE_WORK + workOf(effort.budget) };
  };
  return charged(() => ["page", text, page.urls.join(" ")], evaluated, "unknown");
}

/** What a page costs beside the work of its expression. */
const PAGE_WORK = 1_000;

/**
 * The pages of a load that a layer covers, or may cover: as they are named, and a URL of each origin, which is all that a
 * CSP asks of a page. Of a page of which not even the host is known it is one of the zone.
 */
export function coveredPages(
  detected: Detected,
  { where }: Pick<Layer, "where">,
  zone: string,
): { readonly named: readonly string[]; readonly urls: readonly string[] } {
  const read = readWhere(where);
  const pages = pagesOf(detected).filter((page) => appliesTo(page, read) !== false);
  const origins = pages.flatMap((page) =>
    page.urls.length === 0 ? [`https://${zone}`] : page.urls.map(({ origin }) => origin),
  );
  return {
    named: pages.flatMap(({ named }) => named ?? []),
    urls: [...new Set(origins)].map((origin) => `${origin}/`),
  };
}

function isNew({ isBefore }: ZoneLayer): boolean {
  return !isBefore;
}

/** One layer that blocks and says so is enough: the whole page upgrades insecure requests. */
function upgradesOf(layers: readonly PageLayer[]): Truth {
  const those = layers.filter(isUpgrading);
  if (those.some(({ applies }) => applies === true)) return true;
  return those.length > 0 ? "unknown" : false;
}

function isUpgrading({ mode, csp }: PageLayer): boolean {
  return mode === "enforce" && csp.compiled.upgradesInsecure;
}

/** What only reports is asked about a script before it is upgraded, and does not upgrade by itself. */
function asked({ mode, csp }: PageLayer, upgrades: Truth): Csp {
  const script = mode === "enforce" ? upgrades : false;
  const number = (truth: Truth) => [false, true, "unknown"].indexOf(truth);
  const at = csp.at * 9 + number(script) * 3 + number(upgrades);
  return { ...csp, at, upgrades: { script, connection: upgrades } };
}
