import { directivesBeside } from "../csp/canonical.js";
import { KNOWN_FOR_LOADS, type LoadKind } from "../csp/directives.js";
import { type CompiledCsp, compile } from "../csp/match/allows.js";
import { workOf } from "../expression/budget.js";
import { newEffort } from "../expression/evaluate/compare.js";
import { evaluateTree } from "../expression/evaluate/evaluate.js";
import { readExpression } from "../expression/parse/parse.js";
import type { Expression } from "../expression/tree.js";
import type { Truth } from "../expression/value.js";
import type { Detected, Happening, LayerMove } from "../model/detection.js";
import { groupBy } from "../model/group-by.js";
import type { Layer } from "../model/strength.js";
import { charged } from "../model/work-budget.js";
import { type Page, pagesOf } from "./page.js";

/** A layer of the zone before, after or on both sides, however many objects have it. */
export interface ZoneLayer {
  readonly mode: Layer["mode"];
  readonly where: Where;
  readonly csp: Csp;
  /** The changes that add or remove the layer. */
  readonly changes: readonly number[];
  readonly isBefore: boolean;
  readonly isAfter: boolean;
}

/** A distinct expression. Null: invalid, so its matches are unknown. */
export interface Where {
  readonly text: string;
  readonly tree: Expression | null;
}

/** A distinct CSP, and its number among the zone's CSPs. */
export interface Csp {
  readonly at: number;
  readonly text: string;
  readonly compiled: CompiledCsp;
  /** Whether directives unknown to this version may refuse more than `compiled` does. */
  readonly mayRefuseMore: boolean;
  /** Whether the browser upgrades insecure requests before it asks this CSP. */
  readonly upgrades: Readonly<Record<LoadKind, Truth>>;
}

/** Each distinct layer, expression and CSP once. */
export function zoneLayers(moves: readonly LayerMove[]): readonly ZoneLayer[] {
  const wheres = new Map<string, Where>();
  const csps = new Map<string, Csp>();
  const sides = moves.flatMap(({ change, before, after }) => [
    ...sidesOf(before, after, change, "before"),
    ...sidesOf(after, before, change, "after"),
  ]);
  return [...groupBy(sides, ({ layer }) => identityOf(layer)).values()].map((group) => {
    const { mode, where, csp } = group[0].layer;
    return {
      mode,
      where: once(wheres, where, readWhere),
      csp: once(csps, csp, (text) => ({
        at: csps.size,
        text,
        compiled: compile(text),
        mayRefuseMore: mayRefuseMore(text),
        upgrades: NONE,
      })),
      changes: [...new Set(group.flatMap(({ change }) => change ?? []))],
      isBefore: group.some(({ side }) => side === "before"),
      isAfter: group.some(({ side }) => side === "after"),
    };
  });
}

/** @param otherSide with a layer in it too, the change does not move the layer */
function sidesOf(
  layers: readonly Layer[],
  otherSide: readonly Layer[],
  change: number | null,
  side: "before" | "after",
) {
  const staying = new Set(otherSide.map(identityOf));
  return layers.map((layer) => ({ layer, side, change: staying.has(identityOf(layer)) ? null : change }));
}

/** For example, `sandbox` without `allow-scripts` stops all scripts. */
export function mayRefuseMore(csp: string): boolean {
  return directivesBeside(csp, KNOWN_FOR_LOADS) !== "";
}

const NONE = { script: false, connection: false } as const;

function identityOf({ mode, where, csp }: Layer): string {
  return JSON.stringify([mode, where, csp]);
}

function once<T>(values: Map<string, T>, key: string, make: (key: string) => T): T {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = make(key);
  values.set(key, value);
  return value;
}

export function readWhere(text: string): Where {
  const parsed = readExpression(text);
  return { text, tree: parsed.ok ? parsed.tree : null };
}

/** A layer that may apply to a page. */
export interface PageLayer extends ZoneLayer {
  readonly applies: true | "unknown";
  /** If only one side upgrades insecure requests: the CSP as asked on the other side, and the changes that cause this. */
  readonly otherwise?: { readonly csp: Csp; readonly changes: readonly number[] };
}

/** Something that can happen on a page: caused by some layers, unless an opposing layer does the same. */
export interface Question {
  readonly happening: Happening;
  /** The layers that cause it. */
  readonly by: readonly PageLayer[];
  /** The layers that did the same before, or still do. */
  readonly against: readonly PageLayer[];
}

/** The questions for a page. Empty if no layer moves there. */
export function questionsOn(page: Page, layers: readonly ZoneLayer[]): readonly Question[] {
  const truths = new Map<Where, Truth>();
  const applying = layers.flatMap((layer): readonly PageLayer[] => {
    const truth = truths.get(layer.where);
    const applies = truth ?? appliesTo(page, layer.where);
    if (truth === undefined) truths.set(layer.where, applies);
    return applies === false ? [] : [{ ...layer, applies }];
  });
  const before = upgradesOf(applying.filter(({ isBefore }) => isBefore));
  const after = upgradesOf(applying.filter(({ isAfter }) => isAfter));
  const upgrading = applying.filter((layer) => layer.isBefore !== layer.isAfter && isUpgrading(layer));
  const changes = [...new Set(upgrading.flatMap((layer) => layer.changes))];
  const pageLayers = applying.flatMap((layer): readonly PageLayer[] => {
    const [cspBefore, cspAfter] = [withUpgrades(layer, before), withUpgrades(layer, after)];
    if (cspBefore.at === cspAfter.at) return [{ ...layer, csp: cspAfter }];
    const leaving = { ...layer, csp: cspBefore, isAfter: false, otherwise: { csp: cspAfter, changes } };
    const arriving = { ...layer, csp: cspAfter, isBefore: false, otherwise: { csp: cspBefore, changes } };
    return [...(layer.isBefore ? [leaving] : []), ...(layer.isAfter ? [arriving] : [])];
  });
  const blocking = pageLayers.filter(({ mode }) => mode === "enforce");
  const reporting = pageLayers.filter(({ mode }) => mode === "report");
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

/** Whether an expression matches the request for a page. If a page has several requests, they must agree. */
export function appliesTo(page: Page, { text, tree }: Where): Truth {
  if (tree === null) return "unknown";
  const evaluated = () => {
    const [first = {}, ...otherRequests] = page.requests();
    const effort = newEffort();
    const answer = evaluateTree(tree, first, effort);
    const isSame = otherRequests.every((request) => evaluateTree(tree, request, effort) === answer);
    const value: Truth = isSame ? answer : "unknown";
    return { value, work: PAGE_WORK + workOf(effort.budget) };
  };
  return charged(() => ["page", text, page.urls.join(" ")], evaluated, "unknown");
}

/** The cost of a page besides the work of its expression. */
const PAGE_WORK = 1_000;

/**
 * The pages of a load that a layer covers or may cover: their names, and one URL for each origin, which is all that a
 * CSP needs. An unknown page is taken to be on the zone's own host.
 */
export function coveredPages(
  detected: Detected,
  { where }: Pick<Layer, "where">,
  zone: string,
): { readonly named: readonly string[]; readonly urls: readonly string[] } {
  const layerWhere = readWhere(where);
  const pages = pagesOf(detected).filter((page) => appliesTo(page, layerWhere) !== false);
  const origins = pages.flatMap((page) =>
    page.urls.length === 0 ? [`https://${zone}`] : page.urls.map(({ origin }) => origin),
  );
  return {
    named: pages.flatMap(({ name: named }) => named ?? []),
    urls: [...new Set(origins)].map((origin) => `${origin}/`),
  };
}

function isNew({ isBefore }: ZoneLayer): boolean {
  return !isBefore;
}

/** One enforced layer with the directive upgrades the whole page. */
function upgradesOf(layers: readonly PageLayer[]): Truth {
  const upgrading = layers.filter(isUpgrading);
  if (upgrading.some(({ applies }) => applies === true)) return true;
  return upgrading.length > 0 ? "unknown" : false;
}

function isUpgrading({ mode, csp }: PageLayer): boolean {
  return mode === "enforce" && csp.compiled.upgradesInsecure;
}

/** A reporting policy is asked about a script before the upgrade, and upgrades nothing itself. */
function withUpgrades({ mode, csp }: PageLayer, upgrades: Truth): Csp {
  const script = mode === "enforce" ? upgrades : false;
  const number = (truth: Truth) => [false, true, "unknown"].indexOf(truth);
  const at = csp.at * 9 + number(script) * 3 + number(upgrades);
  return { ...csp, at, upgrades: { script, connection: upgrades } };
}
