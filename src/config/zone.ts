import { domainToASCII } from "node:url";
import type { Kind } from "../kinds/kind.js";
import { isList, isObject, type JsonObject } from "../model/json.js";
import type { Declared } from "../model/wanted.js";

/** The objects of a kind that a zone's merged sections declare. */
export function declaredIn(kind: Kind, sections: JsonObject): readonly Declared[] {
  const section = sections[kind.section];
  if (kind.shape.as === "one") return isObject(section) ? [{ path: [kind.section], body: section }] : [];
  if (!isList(section)) return [];
  return section.flatMap((body, index) => (isObject(body) ? [{ path: [kind.section, index], body }] : []));
}

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
