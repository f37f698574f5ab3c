import type { Picking } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import { customLogFields } from "./custom-log-fields/index.js";
import { customRule } from "./custom-rules/index.js";
import { isManagedIn, type Kind } from "./kind.js";
import { logpushJob } from "./logpush-job/index.js";
import { managedException } from "./managed-exceptions/index.js";
import { managedRuleset } from "./managed-ruleset/index.js";
import { policy } from "./policy/index.js";
import { rateLimit } from "./rate-limits/index.js";
import { settings } from "./settings/index.js";
import { zoneSettings } from "./zone-settings/index.js";

/** Every kind, in the order in which plans show them. */
export const kinds: readonly Kind[] = [
  settings,
  policy,
  managedRuleset,
  managedException,
  customRule,
  rateLimit,
  customLogFields,
  logpushJob,
  zoneSettings,
];

export function kindNamed(name: string | undefined): Kind | undefined {
  return kinds.find((each) => each.name === name);
}

export function managedKinds(sections: JsonObject): readonly Kind[] {
  return kinds.filter((kind) => isManagedIn(kind, sections));
}

/** Whether a plan reads a kind: the picked objects include one of the kind's area. */
export function isReadFor(picking: Picking, { depends }: Kind): boolean {
  return kinds.some((kind) => kind.depends.area === depends.area && picking.hasKind(kind.name));
}
