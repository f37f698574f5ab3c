import { spend } from "../budget.js";
import { evaluateTree } from "../evaluate/evaluate.js";
import { formatIp } from "../ip.js";
import type { Expression, Index, Value } from "../tree.js";
import { fromBytes, isIp, isItems, type Seen, type Truth } from "../value.js";
import { fieldsOf } from "../visit.js";
import { partsOf } from "./address.js";
import { consistentValues, type Values } from "./consistent-values.js";
import type { Formulas } from "./formula.js";

/**
 * A path through the diagram does not prove that a request exists: cells may have no example, and dependent fields may
 * not fit together. So a witness needs consistent values and is evaluated.
 *
 * @param region a node of the diagram
 * @param isShown whether a request belongs to the region, by which of the expressions match it
 */
export function exampleIn(
  { variables, effort, diagram }: Formulas,
  trees: readonly Expression[],
  region: number,
  isShown: (matches: readonly Truth[]) => boolean,
): Values | null {
  const fieldNames = fieldNamesIn(trees);
  let tries = 0;
  for (const way of diagram.ways(region)) {
    tries += 1;
    if (tries > MAX_TRIES || !spend(effort.budget, variables.length * VALUE_WORK)) return null;
    const values = requestWith(
      variables.flatMap(({ of, cells }, index): readonly (readonly [Value | null, Seen])[] => {
        const example = cells.cells[way.get(index) ?? 0]?.example;
        if (of === null || "as" in of) return [[of, example]];
        return typeof example === "string" ? partsOf(example, of) : [];
      }),
    );
    const request = values === null ? null : consistentValues(values, fieldNames);
    if (request === null) continue;
    if (isShown(trees.map((tree) => evaluateTree(tree, request, effort)))) return request;
  }
  return null;
}

function fieldNamesIn(trees: readonly Expression[]): ReadonlySet<string> {
  return new Set(trees.flatMap(fieldsOf).map(({ name }) => name));
}

const MAX_TRIES = 64;
const VALUE_WORK = 100;

type Filled = Record<string, unknown>;

/** The values as a request. Null: they do not fit into one. */
function requestWith(values: readonly (readonly [of: Value | null, seen: Seen])[]): Filled | null {
  const request: Filled = {};
  const listsLast = [...values].sort(([, a], [, b]) => Number(isItems(a)) - Number(isItems(b)));
  for (const [of, value] of listsLast) {
    const text = textOf(value);
    if (of?.as !== "field" || text === undefined) continue;
    const filled = fill(request[of.name], of.indexes, text);
    if (filled === undefined) return null;
    request[of.name] = filled;
  }
  return request;
}

/** In the form that callers use. Null is a missing value. */
function textOf(value: Seen): unknown {
  if (isItems(value)) return value.map(textOf);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return fromBytes(value) ?? undefined;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return isIp(value) ? formatIp(value) : undefined;
}

/** Undefined: another value is in the way. A missing key needs its map, but not itself. */
function fill(before: unknown, indexes: readonly Index[], value: unknown): unknown {
  const [index, ...innerIndexes] = indexes;
  if (index === undefined)
    return value === null ? undefined : before === undefined ? value : longer(before, value);
  if (index.as === "each") return undefined;
  if (index.as === "key") {
    const map = before === undefined ? {} : asMap(before);
    if (map === null) return undefined;
    if (value === null && !Object.hasOwn(map, index.key)) return map;
    return define(map, index.key, fill(ownValue(map, index.key), innerIndexes, value));
  }
  const list = before === undefined ? [] : asList(before);
  if (list === null || index.at > MAX_INDEX) return undefined;
  if (value === null) return list.length > index.at ? undefined : list;
  const padded = [...list, ...Array<string>(Math.max(0, index.at - list.length)).fill("")];
  const inner = fill(list.length > index.at ? list[index.at] : undefined, innerIndexes, value);
  return inner === undefined ? undefined : padded.toSpliced(index.at, 1, inner);
}

const MAX_INDEX = 64;

/** More elements of a list may follow the elements with an index. */
function longer(before: unknown, value: unknown): unknown {
  return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : undefined;
}

function asMap(value: unknown): object | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

function asList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function ownValue(map: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(map, key)?.value;
}

/** In place, because a map may have thousands of keys. A plain assignment to `__proto__` would not work. */
function define(map: object, key: string, value: unknown): object | undefined {
  if (value === undefined) return undefined;
  return Object.defineProperty(map, key, { value, configurable: true, enumerable: true, writable: true });
}
