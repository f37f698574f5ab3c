import { domainToASCII } from "node:url";

/** A zone's name as it is compared: lower case, punycode, no trailing dot. Null: not a name. */
export function zoneName(written: string): string | null {
  const ascii = domainToASCII(written.trim().replace(/\.$/, ""));
  const labels = ascii.split(".");
  const valid = labels.length >= 2 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  return valid && ascii.length <= 253 ? ascii : null;
}
