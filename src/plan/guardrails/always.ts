import type { KindChanges } from "../../calls/index.js";
import { listOf, objectLimit } from "../../kinds/kind.js";
import type { Service, WantedZone } from "../../model/declared-zone.js";
import type { Picking } from "../../model/item.js";
import { isList, isObject, type Json } from "../../model/json.js";
import type { Breach, Change } from "../../model/plan.js";
import { lifting, says } from "../../model/sentence.js";
import type { Section } from "../section.js";
import { isEmptied } from "../section-problems.js";
import { counted } from "./finding.js";
import { howToAllow } from "./forbid.js";

/** A section, and the changes that it sends. */
interface SentSection extends Pick<Section, "matched"> {
  readonly sent: KindChanges;
}

/** The guardrails that a zone's plan breaks, besides those of `forbid:`. They can refuse an apply, never a plan. */
export function alwaysGuarded(
  { wanted, service }: { readonly wanted: WantedZone; readonly service: Service },
  changes: readonly Change[],
  sections: readonly SentSection[],
  picking: Picking,
): readonly Breach[] {
  const sent = sections.map((each) => each.sent);
  return [
    ...prunedAll(wanted, changes, sections, picking),
    ...createdUnseen(wanted, changes, sent),
    ...sent.flatMap((each) => (each.isFull ? [replacedWithGap(wanted, changes, each, service)] : [])),
  ];
}

/** Without room for both objects, the old one is deleted first, and the service may still refuse the new one. */
function replacedWithGap(
  zone: WantedZone,
  changes: readonly Change[],
  { kind }: KindChanges,
  service: Service,
): Breach {
  const { name, section } = kind;
  const limit = objectLimit(kind, service);
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
  sent: readonly KindChanges[],
): readonly Breach[] {
  const unlisted = sent.flatMap(({ kind, live }) => (live.unlisted === true ? [kind.name] : []));
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
  sections: readonly SentSection[],
  picking: Picking,
): readonly Breach[] {
  return sections.flatMap(({ sent: { kind }, matched }) => {
    const section = listOf(kind)?.section ?? kind.section;
    const deletes = changes.filter((change) => change.ref.kind === kind.name && change.action === "delete");
    const declared = zone.sections[section];
    const isEmpty = isList(declared) && !declared.some(isToExist);
    if (deletes.length === 0 || !zone.prune.includes(section)) return [];
    if (!isEmpty && !isEmptied(matched, picking)) return [];
    const gone = `${counted(deletes.length, "live object")} would be deleted`;
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
