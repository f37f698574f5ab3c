import { cutEnd } from "../../model/cut.js";
import { formatIp } from "../ip.js";
import type { Comparison, Expression, Field, Quantifier, TextRange } from "../tree.js";
import { fromBytes, isIp, isItems, isMap, type Seen, type Truth } from "../value.js";
import { comparisonsOf, fieldsOf, unknownNamesOf } from "../visit.js";
import { newEffort } from "./compare.js";
import { type Evaluation, type Request, readingOf, startOn, truthOf } from "./evaluate.js";

/** A condition of an expression, and its result. */
export interface Reason {
  /** The source text of the condition, cut if it is long. */
  readonly text: string;
  readonly truth: Truth;
  /** Whether this condition causes the overall result. */
  readonly decides: boolean;
  /** The fields that the condition looked at. */
  readonly looked: readonly Look[];
}

/** A field that a condition looked at, and its value. */
export interface Look {
  /** The source text of the field, with its indexes. */
  readonly at: string;
  readonly found: "value" | "missing" | "unknown";
  /** The value, cut if it is long. Empty: no value. */
  readonly value: string;
  /**
   * "list": a list of the account, whose content is always unknown here. "new": a field or function unknown to this
   * version.
   */
  readonly is: "text" | "other" | "list" | "new";
}

/** The conditions of an expression with their results for a request. The deciding ones come first. */
export function explain(tree: Expression, text: string, request: Request): readonly Reason[] {
  const reasons = reasonsOf(tree, true, {
    text,
    evaluation: startOn(request, newEffort()),
    looks: new Map(),
  });
  return [...reasons.filter(({ decides }) => decides), ...reasons.filter(({ decides }) => !decides)];
}

interface Context {
  readonly text: string;
  readonly evaluation: Evaluation;
  /** By the source text of the field. */
  readonly looks: Map<string, Look>;
}

function reasonsOf(tree: Expression, decides: boolean, context: Context): readonly Reason[] {
  switch (tree.as) {
    case "not":
      return reasonsOf(tree.item, decides, context);
    case "and":
    case "or":
    case "xor": {
      const whole = truthOf(tree, context.evaluation);
      return tree.items.flatMap((item) => {
        const bears = tree.as === "xor" || truthOf(item, context.evaluation) === whole;
        return reasonsOf(item, decides && bears, context);
      });
    }
    default:
      return [reasonOf(tree, decides, context)];
  }
}

function reasonOf(leaf: Comparison | Quantifier, decides: boolean, context: Context): Reason {
  const sourceOf = ({ start, end }: TextRange) => context.text.slice(start, end);
  const unknown = unknownNamesOf(leaf);
  const knownFields = fieldsOf(leaf).filter(({ name }) => !unknown.includes(name));
  const fields = new Map(knownFields.map((each) => [sourceOf(each), each]));
  return {
    text: cutEnd(sourceOf(leaf), MOST_SHOWN),
    truth: truthOf(leaf, context.evaluation),
    decides,
    looked: [
      ...[...fields].map(([at, field]) => lookOnce(at, field, context)),
      ...listsOf(leaf).map((name): Look => ({ at: `$${name}`, found: "unknown", value: "", is: "list" })),
      ...unknown.map((name): Look => ({ at: name, found: "unknown", value: "", is: "new" })),
    ],
  };
}

function lookOnce(at: string, field: Field, { evaluation, looks }: Context): Look {
  const look = looks.get(at) ?? lookAt(at, readingOf(field, evaluation).value);
  looks.set(at, look);
  return look;
}

function lookAt(at: string, value: Seen): Look {
  if (value === null) return { at, found: "missing", value: "", is: "other" };
  if (value === undefined) return { at, found: "unknown", value: "", is: "other" };
  return {
    at,
    found: "value",
    value: cutEnd(show(value), MOST_SHOWN),
    is: typeof value === "string" ? "text" : "other",
  };
}

/** The lists in a condition. */
export function listsOf(leaf: Comparison | Quantifier): readonly string[] {
  const names = comparisonsOf(leaf).flatMap(({ test }) => (test.as === "in_list" ? [test.name] : []));
  return [...new Set(names)];
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
