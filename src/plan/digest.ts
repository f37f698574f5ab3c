import { createHash, scryptSync } from "node:crypto";
import { rememberedText } from "../model/remembered.js";

/** `sha256:…` of a value as JSON with sorted keys, so that the order in which keys were added does not count. */
export function digestOf(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonicalJson(value)).digest("hex")}`;
}

/** The same of what nobody may find out by trying: each try costs as much as this one, some milliseconds. */
export function slowDigestOf(value: unknown): string {
  return slowly(canonicalJson(value));
}

/** A fleet has the same destination in many zones. */
const slowly = rememberedText((text) => scryptSync(text, "zoneward", 32, { N: 4096 }).toString("hex"));

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`);
  return `{${entries.join(",")}}`;
}
