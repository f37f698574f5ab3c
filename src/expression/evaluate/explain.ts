import { fromBytes } from "../bytes.js";
import { formatIp } from "../ip.js";
import type { Comparison, Expression, Place, Quantifier } from "../tree.js";
import { fieldsOf } from "../visit.js";
import { evaluateTree, type Request, read } from "./evaluate.js";
import type { Truth } from "./truth.js";
import { isIp, isItems, isMap, type Seen } from "./value.js";

/** A condition of an expression, and how it came out. */
export interface Reason {
  /** The condition as it is written, or its beginning if it is long. */
  readonly text: string;
  readonly truth: Truth;
  /** Whether the whole came out as it did because of this. */
  readonly decides: boolean;
  /** Each field that it looked at. */
  readonly looked: readonly Look[];
}

export interface Look {
  /** The field with its indexes, as it is written. */
  readonly at: string;
  readonly found: "value" | "missing" | "unknown";
  /** What it is, or the beginning of that if it is long; empty where there is none. */
  readonly value: string;
}

/** Why an expression matches a request, or does not: its conditions, those that decide first. */
export function explain(tree: Expression, text: string, request: Request): readonly Reason[] {
  const reasons = reasonsOf(tree, true, { text, request });
  return [...reasons.filter(({ decides }) => decides), ...reasons.filter(({ decides }) => !decides)];
}

interface Case {
  readonly text: string;
  readonly request: Request;
}

function reasonsOf(tree: Expression, decides: boolean, about: Case): readonly Reason[] {
  switch (tree.as) {
    case "not":
      return reasonsOf(tree.item, decides, about);
    case "and":
    case "or":
    case "xor": {
      const whole = evaluateTree(tree, about.request);
      return tree.items.flatMap((item) => {
        const bears = tree.as === "xor" || evaluateTree(item, about.request) === whole;
        return reasonsOf(item, decides && bears, about);
      });
    }
    default:
      return [reasonOf(tree, decides, about)];
  }
}

function reasonOf(leaf: Comparison | Quantifier, decides: boolean, { text, request }: Case): Reason {
  const written = ({ start, end }: Place) => text.slice(start, end);
  const fields = new Map(fieldsOf(leaf).map((each) => [written(each), each]));
  return {
    text: cut(written(leaf)),
    truth: evaluateTree(leaf, request),
    decides,
    looked: [...fields].map(([at, field]) => lookAt(at, read(field, request).seen)),
  };
}

function lookAt(at: string, seen: Seen): Look {
  if (seen === null) return { at, found: "missing", value: "" };
  if (seen === undefined) return { at, found: "unknown", value: "" };
  return { at, found: "value", value: cut(show(seen)) };
}

/** Never between the two halves of a character. */
function cut(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN).replace(/[\ud800-\udbff]$/, "")}…`;
}

const MOST_SHOWN = 200;

function show(seen: Seen): string {
  if (seen === null) return "missing";
  if (seen === undefined) return "unknown";
  if (typeof seen === "string") return fromBytes(seen) ?? seen;
  if (isIp(seen)) return formatIp(seen);
  if (isMap(seen))
    return `{${[...seen].map(([key, value]) => `${fromBytes(key) ?? key}: ${show(value)}`).join(", ")}}`;
  return isItems(seen) ? `[${seen.map(show).join(", ")}]` : String(seen);
}
