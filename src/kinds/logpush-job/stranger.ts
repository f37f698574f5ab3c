import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import { asText } from "../../model/json.js";
import type { Sealed } from "../../model/sealed.js";
import type { Stranger } from "../kind.js";
import { ENTRY_FIELDS } from "../logged-fields.js";

/** A job that no file declares. Nobody here can say whose the place is that it sends to. */
export function strangerOf({ ref, normal, raw }: Item): Stranger {
  const isOff = normal.enabled === false;
  const does = `${isOff ? "is switched off; otherwise " : ""}sends ${cutEnd(asText(normal.dataset), MAX_CHARS)}${withText(normal.fields)} to ${placeOf(normal.destination_conf)}`;
  return { ref, list: "logpush_jobs", does, effect: isOff ? "neutral" : "unknown", raw: raw ?? {} };
}

const MAX_CHARS = 80;

/** Of the fields those that have what visitors send and get. */
function withText(fields: Sealed | undefined): string {
  const told = ENTRY_FIELDS.filter((field) => Array.isArray(fields) && fields.includes(field));
  const words = told.map((field) => WORDS[field]);
  return words.length === 0 ? "" : ` with ${words.join(" and ")}`;
}

const WORDS = { RequestHeaders: "request headers", ResponseHeaders: "response headers", Cookies: "cookies" };

/**
 * Of a destination no more than whose it is: path, query and user may hold the password, and of other URLs than those of
 * the web the host is somebody's bucket.
 */
function placeOf(destination: Sealed | undefined): string {
  const [, scheme = "", host = ""] =
    /^([a-z][a-z0-9+.-]{0,20}):\/\/(?:[^@/?#]*@)?([^@/?#]*)/i.exec(asText(destination ?? "")) ?? [];
  const name = host.replace(/:\d*$/, "");
  const isWeb = /^https?$/i.test(scheme) && /^[a-z0-9._-]+$/i.test(name);
  if (isWeb) return `${scheme.toLowerCase()}://${cutEnd(name, MAX_CHARS)}`;
  return scheme === "" ? "a place that is not shown" : `${scheme.toLowerCase()}://…`;
}
