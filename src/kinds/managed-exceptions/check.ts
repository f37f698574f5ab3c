import { asText, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import type { Service } from "../../model/wanted.js";
import { expressionCheck } from "../expression.js";
import { error, type Finding } from "../kind.js";
import { MANAGED_PHASE } from "../managed-rules.js";
import { canonicalRuleset } from "./skip.js";

const checkExpression = expressionCheck(MANAGED_PHASE.name);

/** What can be said offline about a declared exception, beyond its shape. */
export function checkException(declared: JsonObject, service: Service): readonly Finding[] {
  if (declared.ensure === "absent") return [];
  return [...checkExpression(declared, service), ...checkSkip(declared.skip)];
}

/** Each ruleset, and each rule of one, once. */
function checkSkip(skip: Json | undefined): readonly Finding[] {
  if (isList(skip))
    return repeated(skip.map(asText), canonicalRuleset).map((index) => twice([index], skip[index]));
  if (!isObject(skip)) return [];
  const names = Object.keys(skip);
  return [
    ...repeated(names, canonicalRuleset).map((index) => twice([names[index] ?? ""], names[index])),
    ...names.flatMap((name) => {
      const ids = isList(skip[name]) ? skip[name] : [];
      return repeated(ids.map(asText), (id) => id.toLowerCase()).map((index) =>
        twice([name, index], ids[index]),
      );
    }),
  ];
}

/** The indices of what was there before. */
function repeated(texts: readonly string[], canonical: (text: string) => string): readonly number[] {
  const all = texts.map(canonical);
  return [...all.keys()].filter((index) => all.indexOf(all[index] ?? "") < index);
}

function twice(path: Finding["path"], what: Json | undefined): Finding {
  const detail = `${JSON.stringify(what)} already stands in skip, by its name or its id. Keep one of them.`;
  return error(["skip", ...path], "duplicate_skip", "Skipped twice", detail);
}
