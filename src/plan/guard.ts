import { kinds } from "../kinds/index.js";
import type { Kind } from "../kinds/kind.js";
import type { Guardrail } from "../model/guardrails.js";
import { isList, isObject, type Json } from "../model/json.js";
import type { Breach, Change } from "../model/plan.js";
import type { WantedZone } from "../model/wanted.js";

/** What stands against applying a zone's plan. A breach never stands against planning it. */
export function guard(
  zone: WantedZone,
  changes: readonly Change[],
  { unlisted, full }: { readonly unlisted: readonly string[]; readonly full: readonly Full[] },
): readonly Breach[] {
  return [
    ...prunedAll(zone, changes),
    ...createdUnseen(zone, changes, unlisted),
    ...full.map((each) => replacedWithGap(zone, changes, each)),
  ];
}

/** A kind of which there can be no more, and how many there can be. */
interface Full {
  readonly kind: Kind;
  readonly limit: number;
}

/** Where there is no room for both, the old one goes first, and the new one may still be refused. */
function replacedWithGap(zone: WantedZone, changes: readonly Change[], { kind, limit }: Full): Breach {
  const { name, section } = kind;
  const replaced = changes.filter(({ ref, replaces }) => replaces && ref.kind === name);
  const names = replaced.map(({ ref }) => JSON.stringify(ref.key)).join(", ");
  const message = `${zone.name} has no room for one more of its ${section} (service.limits.${section} is ${limit}), so what takes the place of ${names} cannot be created before the live one is deleted. In between there is none, and if the service refuses the new one, it stays so.`;
  const advice =
    "Delete another one in the same change, raise the limit if your account allows more, or, if the gap is meant, say --allow replace_with_gap.";
  return { guardrail: "replace_with_gap", message, advice };
}

/** How to get past a guardrail that is right to ask. */
export function meant(guardrail: Guardrail): string {
  return `If that is meant, say --allow ${guardrail}.`;
}

/** Where the service does not show what is there, a create may make a second one. */
function createdUnseen(
  zone: WantedZone,
  changes: readonly Change[],
  unlisted: readonly string[],
): readonly Breach[] {
  const creates = changes.filter(({ action, ref }) => action === "create" && unlisted.includes(ref.kind));
  if (creates.length === 0) return [];
  const names = creates.map(({ ref }) => JSON.stringify(ref.key)).join(", ");
  const message = `The service does not list what ${zone.name} has, so creating ${names} may make a second one of each.`;
  const advice = "If they are certainly not there, say --allow create_unlisted.";
  return [{ guardrail: "create_unlisted", message, advice }];
}

function prunedAll(zone: WantedZone, changes: readonly Change[]): readonly Breach[] {
  return kinds.flatMap(({ name, section }) => {
    const deletes = changes.filter((change) => change.ref.kind === name && change.action === "delete").length;
    const declared = zone.sections[section];
    if (deletes === 0 || !zone.prune.includes(section) || !isList(declared) || declared.some(isToExist))
      return [];
    const message = `${zone.name} declares none of its ${section} as existing and prunes the rest: all ${deletes} that are live would be deleted.`;
    return [{ guardrail: "prune_all", message, advice: meant("prune_all") }];
  });
}

function isToExist(declared: Json): boolean {
  return !isObject(declared) || declared.ensure !== "absent";
}
