import { kinds } from "../../kinds/index.js";
import { type Kind, listOf } from "../../kinds/kind.js";
import { isList, isObject, type Json } from "../../model/json.js";
import type { Breach, Change } from "../../model/plan.js";
import { lifting, says } from "../../model/sentence.js";
import type { WantedZone } from "../../model/wanted.js";
import { howToAllow } from "./forbid.js";

/** The guardrails that a zone's plan breaks, besides those of `forbid:`. They can refuse an apply, never a plan. */
export function alwaysGuarded(
  zone: WantedZone,
  changes: readonly Change[],
  { unlisted, emptied, full }: OfKinds,
): readonly Breach[] {
  return [
    ...prunedAll(zone, changes, emptied),
    ...createdUnseen(zone, changes, unlisted),
    ...full.map((each) => replacedWithGap(zone, changes, each)),
  ];
}

interface OfKinds {
  /** Kinds whose live objects the service does not list. */
  readonly unlisted: readonly string[];
  /** Kinds of which no live object would stay. */
  readonly emptied: readonly string[];
  readonly full: readonly Full[];
}

/** A kind whose limit of objects is reached. */
interface Full {
  readonly kind: Kind;
  readonly limit: number;
}

/** Without room for both objects, the old one is deleted first, and the service may still refuse the new one. */
function replacedWithGap(zone: WantedZone, changes: readonly Change[], { kind, limit }: Full): Breach {
  const { name, section } = kind;
  const replaced = changes.filter(({ ref, replaces }) => replaces && ref.kind === name);
  const names = replaced.map(({ ref }) => JSON.stringify(ref.key)).join(", ");
  const message = `${zone.name} has no room for another object of ${section} (service.limits.${section} is ${limit}). So the live ${names} must be deleted before the replacement is created. If the service then refuses the replacement, nothing is left.`;
  const advice = says`Delete another one in the same change, or raise the limit if your account allows more. If the gap is intended, ${lifting("replace_with_gap")}.`;
  return { guardrail: "replace_with_gap", message, advice, changes: replaced.map(indexOf) };
}

/** If the service does not list objects, a create may make a duplicate. */
function createdUnseen(
  zone: WantedZone,
  changes: readonly Change[],
  unlisted: readonly string[],
): readonly Breach[] {
  const creates = changes.filter(({ action, ref }) => action === "create" && unlisted.includes(ref.kind));
  if (creates.length === 0) return [];
  const names = creates.map(({ ref }) => JSON.stringify(ref.key)).join(", ");
  const message = `The service does not list such objects of ${zone.name}, so creating ${names} may create duplicates.`;
  const advice = says`If they do not exist yet, ${lifting("create_unlisted")}.`;
  return [{ guardrail: "create_unlisted", message, advice, changes: creates.map(indexOf) }];
}

function prunedAll(
  zone: WantedZone,
  changes: readonly Change[],
  emptied: readonly string[],
): readonly Breach[] {
  return kinds.flatMap((kind) => {
    const { name } = kind;
    const section = listOf(kind)?.section ?? kind.section;
    const deletes = changes.filter((change) => change.ref.kind === name && change.action === "delete");
    const declared = zone.sections[section];
    const isEmpty = isList(declared) && !declared.some(isToExist);
    if (deletes.length === 0 || !zone.prune.includes(section) || !(isEmpty || emptied.includes(name)))
      return [];
    const gone = `${deletes.length} live ${deletes.length === 1 ? "object" : "objects"} would be deleted`;
    const message = isEmpty
      ? `${zone.name} prunes ${section} and declares all of them absent: ${gone}.`
      : `${zone.name} prunes ${section} and declares no live object: ${gone}.`;
    const advice = howToAllow("prune_all");
    return [{ guardrail: "prune_all", message, advice, changes: deletes.map(indexOf) }];
  });
}

function indexOf({ index }: Change): number {
  return index;
}

function isToExist(declared: Json): boolean {
  return !isObject(declared) || declared.ensure !== "absent";
}
