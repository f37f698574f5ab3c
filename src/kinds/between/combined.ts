import { type CompiledCsp, compile } from "../../csp/match/compile.js";
import { coverage } from "../../expression/coverage/coverage.js";
import { cut } from "../../model/cut.js";
import { asText } from "../../model/json.js";
import { remembered, rememberedText } from "../../model/remembered.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Finding } from "../kind.js";
import { type Lost, lostSource } from "./lost-source.js";
import { type KindPart, type KnownObject, objectsOf } from "./part.js";
import { isBlocking, nameOf, POLICIES } from "./policies.js";

/**
 * Two policies on the same pages of which one blocks what the other names as allowed: browsers load only what all of
 * them allow, and people write them as if one were enough.
 */
export function combinedBlocks(parts: readonly KindPart[]): readonly Finding[] {
  const blocking = (objectsOf(parts, POLICIES.kind) ?? []).filter(({ normal }) => isBlocking(normal));
  return pairsOf(blocking).flatMap((pair) => {
    const found = contradiction(pair);
    return found === null ? [] : [warning(found)];
  });
}

type Pair = readonly [KnownObject, KnownObject];

/** More policies than a service has; of what nobody declares, nobody has to know. */
const MOST_PAIRS = 100;

function pairsOf(policies: readonly KnownObject[]): readonly Pair[] {
  const pairs = policies
    .slice(0, MOST_PAIRS)
    .flatMap((one, index) => policies.slice(index + 1, MOST_PAIRS).map((other): Pair => [one, other]));
  return pairs.filter(([one, other]) => one.at !== null || other.at !== null).slice(0, MOST_PAIRS);
}

interface Contradiction {
  readonly allowing: KnownObject;
  readonly blocking: KnownObject;
  readonly lost: Lost;
}

/**
 * One for some of the pages of the other may well be stricter; that it names what the other blocks cannot be meant.
 * Where each has pages of its own, either may be the stricter one: only where both lose something, neither is.
 */
function contradiction([one, other]: Pair): Contradiction | null {
  const ofOne = lostBetween(one, other);
  const ofOther = lostBetween(other, one);
  if (ofOne === null && ofOther === null) return null;
  switch (coverage(pagesOf(one.normal), pagesOf(other.normal))) {
    case "equal":
      return ofOne ?? ofOther;
    case "subset":
      return ofOne;
    case "superset":
      return ofOther;
    case "overlaps":
      return ofOne !== null && ofOther !== null ? ofOne : null;
    case "disjoint":
    case "unknown":
      return null;
  }
}

function pagesOf({ expression }: SealedObject): string {
  return asText(expression ?? "");
}

function lostBetween(allowing: KnownObject, blocking: KnownObject): Contradiction | null {
  const [wide, narrow] = [compiledOf(allowing.normal), compiledOf(blocking.normal)];
  const lost = wide === null || narrow === null ? null : lostOf(wide)(narrow);
  return lost === null ? null : { allowing, blocking, lost };
}

/** One compiled value is one object, whichever zones have it. */
const lostOf = remembered((wide: CompiledCsp) =>
  remembered((narrow: CompiledCsp) => lostSource(wide, narrow)),
);

function compiledOf({ value }: SealedObject): CompiledCsp | null {
  const text = asText(value ?? "");
  return text.length > MOST_CHARS ? null : compiled(text);
}

const compiled = rememberedText(compile);

/** Some times what a service takes: longer values are not looked at. */
const MOST_CHARS = 20_000;

function warning({ allowing, blocking, lost }: Contradiction): Finding {
  const [one, other] = [nameOf(allowing), nameOf(blocking)];
  const source = cut(lost.source, MAX_SOURCE_CHARS);
  const by = lost.blockedBy === lost.directive ? "" : ` by its ${lost.blockedBy}`;
  const detail = `On the pages that both apply to, ${other} blocks${by} ${source}, which ${one} allows in ${lost.directive}: a browser loads only what every policy of a page allows. Allow it in ${other} too, leave these pages out of the expression of ${other}, or remove it from ${one}.`;
  const { at } = allowing.at === null ? blocking : allowing;
  return {
    path: [...(at ?? [POLICIES.section]), "value"],
    severity: "warning",
    code: "policies_combined",
    summary: "Two policies together block what one of them allows",
    detail,
  };
}

const MAX_SOURCE_CHARS = 100;
