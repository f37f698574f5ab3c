import type { Finding } from "../kind.js";
import { type KindPart, type KnownObject, objectsOf } from "./part.js";
import { isBlocking, nameOf, POLICIES } from "./policies.js";

const SETTINGS = { kind: "settings", section: "settings" } as const;

/**
 * Policies that are switched on while the service is not. The service's documentation has it that they stay in force,
 * which the setting does not make one think.
 */
export function policiesWhileOff(parts: readonly KindPart[]): readonly Finding[] {
  const settings = objectsOf(parts, SETTINGS.kind)?.find(({ normal }) => normal.enabled === false);
  const policies = (objectsOf(parts, POLICIES.kind) ?? []).filter(({ normal }) => normal.enabled === true);
  return settings === undefined || policies.length === 0 ? [] : [warning(settings, policies)];
}

function warning({ at }: KnownObject, policies: readonly KnownObject[]): Finding {
  const blocking = policies.filter(({ normal }) => isBlocking(normal));
  const what =
    blocking.length > 0
      ? `${listed(blocking)} still ${blocking.length === 1 ? "blocks" : "block"} what ${blocking.length === 1 ? "it does" : "they do"} not allow`
      : `${listed(policies)} ${policies.length === 1 ? "stays" : "stay"} in force`;
  const detail = `The service is switched off, and that does not switch its policies off: ${what}. Nothing is detected or reported meanwhile, so nobody sees what they meet. Switch the policies off too (enabled: false), or leave the service on.`;
  return {
    path: [...(at ?? [SETTINGS.section]), "enabled"],
    severity: "warning",
    code: "policies_while_off",
    summary: "Policies stay in force while the service is off",
    detail,
  };
}

const MAX_NAMED = 3;

function listed(policies: readonly KnownObject[]): string {
  const names = policies.slice(0, MAX_NAMED).map(nameOf);
  const rest = policies.length - names.length;
  const all = rest > 0 ? [...names, `${rest} more`] : names;
  return all.length === 1 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}
