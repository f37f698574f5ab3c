import { coverage } from "../expression/coverage/coverage.js";
import { type Kind, listOf } from "../kinds/kind.js";
import type { Service } from "../model/declared-zone.js";
import type { Item, Triple } from "../model/item.js";

/**
 * The states between an object's old and new expression: it matches either expression, with its other old or new fields.
 * It keeps its old name, by which the files find it until its own call is sent. None if the object has no expression, is
 * off before or after, or the combined expression would be too long.
 */
export function intermediateItems(
  kind: Kind,
  { want, live, replaces }: Pick<Triple, "want" | "live" | "replaces">,
  { limits }: Service,
): readonly Item[] {
  if (kind.at.as !== "collection" || want === null || live === null || replaces !== undefined) return [];
  const [before, after] = [expressionOf(live), expressionOf(want)];
  if (before === null || after === null) return [];
  const expression = eitherOf(before, after);
  if (expression.length > limits.expression_chars) return [];
  const { [listOf(kind)?.named ?? ""]: _, ...rest } = want.normal;
  return [
    { ...live, normal: { ...live.normal, expression } },
    { ...live, normal: { ...live.normal, ...rest, expression } },
  ];
}

function expressionOf({ normal: { enabled, expression } }: Item): string | null {
  return enabled === true && typeof expression === "string" ? expression : null;
}

function eitherOf(a: string, b: string): string {
  switch (coverage(a, b)) {
    case "equal":
    case "superset":
      return a;
    case "subset":
      return b;
    default:
      return `(${a}) or (${b})`;
  }
}
