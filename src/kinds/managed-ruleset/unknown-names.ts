import type { Path } from "../../model/item.js";
import { isObject, type Json, textsIn } from "../../model/json.js";
import type { Problem } from "../../model/problem.js";
import { suggest } from "../../model/suggest.js";
import type { Declared } from "../../model/wanted.js";
import type { ZoneReader } from "../kind.js";
import type { Managed } from "./managed.js";
import { isLevelTag } from "./paranoia.js";

/**
 * Tags and rules that the file names and the ruleset does not have, where its rules were read. They are no errors:
 * overrides hold for the rules of later versions too, says the documentation.
 */
export function unknownNames(
  zone: ZoneReader,
  { path, body }: Declared,
  { content }: Managed,
): readonly Problem[] {
  if (content === null) return [];
  const ids = new Set(content.rules.keys());
  const tags = new Set(content.tags.keys());
  return [
    ...namedIn(body.disabled_tags, "disabled_tags")
      .filter(({ name }) => isUnknown(name, tags))
      .map(({ name, inside }) => unknownTag(name, tags, zone.locate([...path, ...inside]))),
    ...namedIn(body.disabled_rules, "disabled_rules")
      .filter(({ name }) => isUnknown(name.toLowerCase(), ids))
      .map(({ name, inside }) => unknownRule(name, zone.locate([...path, ...inside]))),
    ...Object.keys(isObject(body.rules) ? body.rules : {})
      .filter((id) => isUnknown(id.toLowerCase(), ids))
      .map((id) => unknownRule(id, zone.locate([...path, "rules", id], "key"))),
  ];
}

function namedIn(
  list: Json | undefined,
  field: string,
): readonly { readonly name: string; readonly inside: Path }[] {
  return textsIn(list).map((name, index) => ({ name, inside: [field, index] }));
}

/** A ruleset that was given without any says nothing of what it has. */
function isUnknown(name: string, known: ReadonlySet<string>): boolean {
  return known.size > 0 && !known.has(name);
}

function unknownTag(tag: string, known: ReadonlySet<string>, at: Problem["at"]): Problem {
  const close = suggest(
    tag,
    [...known].filter((each) => !isLevelTag(each)),
  );
  const way = close === null ? "Correct or remove it." : `Did you mean ${JSON.stringify(close)}?`;
  const detail = `No rule of the managed ruleset has the tag ${JSON.stringify(tag)}, so it switches nothing off. ${way}`;
  const summary = "A tag that the ruleset does not have";
  return { code: "unknown_tag", severity: "warning", summary, detail, at };
}

function unknownRule(id: string, at: Problem["at"]): Problem {
  const detail = `The managed ruleset has no rule with the id ${id}, so what is said of it has no effect. Correct or remove it.`;
  const summary = "A rule that the ruleset does not have";
  return { code: "unknown_rule", severity: "warning", summary, detail, at };
}
