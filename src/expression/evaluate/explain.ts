import { cutEnd } from "../../model/cut.js";
import { formatIp } from "../ip.js";
import type { Comparison, Expression, Field, Place, Quantifier } from "../tree.js";
import { fromBytes, isIp, isItems, isMap, type Seen, type Truth } from "../value.js";
import { comparisonsOf, fieldsOf, unknownNamesOf } from "../visit.js";
import { newEffort } from "./compare.js";
import { type Evaluation, type Request, read, startOn, truthOf } from "./evaluate.js";

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

/** A field that a condition looked at, and what was there. */
export interface Look {
  /** The field with its indexes, as it is written. */
  readonly at: string;
  readonly found: "value" | "missing" | "unknown";
  /** What it is, or the beginning of that if it is long; empty where there is none. */
  readonly value: string;
  /**
   * "list": no field, but a list of the account, and what is in it is never known here. "new": a field or a function that
   * this version does not know.
   */
  readonly is: "text" | "other" | "list" | "new";
}

/** Why an expression matches a request, or does not: its conditions, those that decide first. */
export function explain(tree: Expression, text: string, request: Request): readonly Reason[] {
  const reasons = reasonsOf(tree, true, {
    text,
    evaluation: startOn(request, newEffort()),
    looks: new Map(),
  });
  return [...reasons.filter(({ decides }) => decides), ...reasons.filter(({ decides }) => !decides)];
}

interface Case {
  readonly text: string;
  readonly evaluation: Evaluation;
  /** By the field as it is written. */
  readonly looks: Map<string, Look>;
}

function reasonsOf(tree: Expression, decides: boolean, about: Case): readonly Reason[] {
  switch (tree.as) {
    case "not":
      return reasonsOf(tree.item, decides, about);
    case "and":
    case "or":
    case "xor": {
      const whole = truthOf(tree, about.evaluation);
      return tree.items.flatMap((item) => {
        const bears = tree.as === "xor" || truthOf(item, about.evaluation) === whole;
        return reasonsOf(item, decides && bears, about);
      });
    }
    default:
      return [reasonOf(tree, decides, about)];
  }
}

function reasonOf(leaf: Comparison | Quantifier, decides: boolean, about: Case): Reason {
  const written = ({ start, end }: Place) => about.text.slice(start, end);
  const unknown = unknownNamesOf(leaf);
  const known = fieldsOf(leaf).filter(({ name }) => !unknown.includes(name));
  const fields = new Map(known.map((each) => [written(each), each]));
  return {
    text: cutEnd(written(leaf), MOST_SHOWN),
    truth: truthOf(leaf, about.evaluation),
    decides,
    looked: [
      ...[...fields].map(([at, field]) => lookOnce(at, field, about)),
      ...listsOf(leaf).map((name): Look => ({ at: `$${name}`, found: "unknown", value: "", is: "list" })),
      ...unknown.map((name): Look => ({ at: name, found: "unknown", value: "", is: "new" })),
    ],
  };
}

function lookOnce(at: string, field: Field, { evaluation, looks }: Case): Look {
  const look = looks.get(at) ?? lookAt(at, read(field, evaluation).seen);
  looks.set(at, look);
  return look;
}

function lookAt(at: string, seen: Seen): Look {
  if (seen === null) return { at, found: "missing", value: "", is: "other" };
  if (seen === undefined) return { at, found: "unknown", value: "", is: "other" };
  return {
    at,
    found: "value",
    value: cutEnd(show(seen), MOST_SHOWN),
    is: typeof seen === "string" ? "text" : "other",
  };
}

/** The lists that it asks. */
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
