import { cut } from "../../model/cut.js";
import { asText } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { KnownObject } from "./part.js";

export const POLICIES = { kind: "policy", section: "policies" } as const;

/** Whether a policy is in force and blocks what it does not allow. */
export function isBlocking({ enabled, action }: SealedObject): boolean {
  return enabled === true && action === "allow";
}

/** Whether a policy is in force and says what it would block. */
export function isReporting({ enabled, action }: SealedObject): boolean {
  return enabled === true && action === "log";
}

/** A policy's name as it stands in a sentence. */
export function nameOf({ normal }: Pick<KnownObject, "normal">): string {
  return JSON.stringify(cut(asText(normal.description ?? ""), MAX_CHARS));
}

const MAX_CHARS = 80;
