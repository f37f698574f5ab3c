import { domainToASCII } from "node:url";

/** A zone's name as it is compared: lower case, punycode, no trailing dot. Null: not a name. */
export function zoneName(written: string): string | null {
  if (NOT_OF_NAMES.test(written)) return null;
  const ascii = domainToASCII(written.replace(/\.$/, ""));
  const labels = ascii.split(".");
  const valid =
    labels.length >= 2 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  const isAddress = /^\d+$/.test(labels.at(-1) ?? "");
  return valid && !isAddress && ascii.length <= 253 ? ascii : null;
}

/** domainToASCII() reads its text as the host of a URL: it drops tabs and whatever follows the host, and decodes %. */
const NOT_OF_NAMES = /[\s/\\?#%:@]/;
