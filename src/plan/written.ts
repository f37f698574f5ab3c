import type { Kind } from "../kinds/kind.js";
import { sensitiveFields } from "../kinds/sensitive.js";
import type { Path } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import type { Written } from "../model/plan.js";
import { referencesIn, SENSITIVE, withoutLiterals } from "../model/reference.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { digestOf, slowDigestOf } from "./digest.js";

/** What a zone declares of one kind. */
interface DeclaredKind {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
}

/**
 * What of a zone's files its calls do not have as it is written: values that take something from outside, and sensitive
 * ones. Who approves a plan approves these too, so the digest covers them. Null: there are none.
 */
export function writtenIn(
  zone: Pick<WantedZone, "name" | "outside">,
  kinds: readonly DeclaredKind[],
): Written | null {
  const all = kinds.flatMap(({ kind, declared }) => declared.flatMap((each) => valuesOf(kind, each, zone)));
  if (all.length === 0) return null;
  return {
    texts: all.map(({ shown }) => shown),
    digest: digestOf({ zone: zone.name, values: all.map(({ shown, value }) => [shown, value]) }),
  };
}

interface WrittenValue {
  readonly shown: Written["texts"][number];
  /** What enters the digest. */
  readonly value: Json;
}

function valuesOf(
  kind: Kind,
  { path, body }: Declared,
  zone: Pick<WantedZone, "outside">,
): readonly WrittenValue[] {
  const named = kind.shape.as === "list" ? body[kind.shape.named] : undefined;
  const place = { kind: kind.name, key: typeof named === "string" ? named : kind.name };
  const sensitive = sensitiveFields(kind, { path, body }, zone).filter(({ isSecret }) => isSecret);
  const hidden = new Set(sensitive.map(({ field }) => field));
  const open = textsIn(body, []).flatMap(({ at }) => {
    const written = zone.outside([...path, ...at])?.written;
    // Names may have dots in them: a field is a key, or one in it.
    const isHidden = [at.slice(0, 1), at.slice(0, 2)].some((field) => hidden.has(field.join(".")));
    if (written === undefined || isHidden) return [];
    return [{ shown: { ...place, path: at.join("."), text: written }, value: written }];
  });
  return [
    ...open,
    ...sensitive.map(({ field, written }) => {
      const text = shownAsWritten(written);
      // Nobody is to find out by trying what is written out.
      const value = text.includes(SENSITIVE) ? slowDigestOf(written) : written;
      return { shown: { ...place, path: field, text }, value };
    }),
  ];
}

/** What may be shown of a sensitive value: of one that is no text, the references in it. */
export function shownAsWritten(written: Json): string {
  if (typeof written === "string") return withoutLiterals(written);
  const references = textsIn(written, []).flatMap(({ text }) => referencesIn(text));
  return [SENSITIVE, ...new Set(references)].join(" ");
}

function textsIn(value: Json, at: Path): readonly { readonly at: Path; readonly text: string }[] {
  if (typeof value === "string") return [{ at, text: value }];
  if (isList(value)) return value.flatMap((each, index) => textsIn(each, [...at, index]));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => textsIn(each, [...at, key])) : [];
}
