import type { Item } from "../model/item.js";
import { equal, pick, without } from "../model/json.js";
import type { SealedObject } from "../model/sealed.js";
import type { Dimensions } from "../model/strength.js";
import { type LiveUnmanaged, RULES } from "../model/unmanaged.js";
import { effectOf, shifts } from "../strength/index.js";
import { undeclaredBypasses } from "./bypasses.js";
import { defaultsOf, valuesOf } from "./fields.js";
import { type Kind, rulesAt } from "./kind.js";

/** The fields that can limit the objects of a kind. */
interface Limits extends Pick<LiveUnmanaged, "list"> {
  /** Field → what a value other than the usual one does: `is switched off`. */
  readonly words: { readonly [field: string]: string };
  /** The values that limit nothing. Fields without one are usually absent. */
  readonly usual: SealedObject;
  strengthOf(item: Item): Dimensions;
}

/**
 * Everything undeclared among live objects of a kind that stay as they are, and rules by which requests skip them.
 *
 * @param undeclared the objects that no file declares
 * @param declared the other objects, with the fields that the files own
 */
export function undeclaredAmong<Context>(
  kind: Kind<Context>,
  undeclared: readonly Item[],
  declared: readonly Item[],
  context: Context,
): readonly LiveUnmanaged[] {
  return [
    ...(kind.kept?.undeclared?.(undeclared, context, declared) ?? []),
    ...declared.flatMap((item) => undeclaredLimits(kind, item, context)),
    ...undeclaredBypasses(kind, context),
  ];
}

/** The undeclared fields of a declared object that keep it from acting, at all or on some requests. */
function undeclaredLimits<Context>(
  kind: Kind<Context>,
  item: Item,
  context: Context,
): readonly LiveUnmanaged[] {
  return reportLimits(item, {
    list: rulesAt(kind) === null ? kind.section : RULES,
    words: valuesOf(kind.fields, "limits"),
    usual: { ...defaultsOf(kind.fields, {}, context), ...valuesOf(kind.fields, "unset") },
    strengthOf: (each) => kind.dimensions(each, context),
  });
}

/** A report of the undeclared limits of a declared object, if it protects less with them. The values are not shown. */
export function reportLimits(
  item: Item,
  { list, words, usual, strengthOf }: Limits,
): readonly LiveUnmanaged[] {
  const { ref, normal, owns, raw } = item;
  const usualIn = (field: string) => usual[field] ?? null;
  const fields = Object.keys(words).filter(
    (field) => !owns.includes(field) && !equal(normal[field] ?? usualIn(field), usualIn(field)),
  );
  if (fields.length === 0) return [];
  const unlimited = { ...item, normal: { ...without(normal, fields), ...pick(usual, fields) } };
  const effect = effectOf(shifts(strengthOf(unlimited), strengthOf(item)));
  if (effect === "neutral" || effect === "strengthens") return [];
  const ways = new Set(Object.values(pick(words, fields)));
  const does = `${[...ways].join(" and ")} (undeclared: ${fields.join(", ")})`;
  return [{ ref, list, does, effect, fields, raw: raw ?? {} }];
}
