import type { Item } from "../../model/item.js";
import { isList, isObject, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Members } from "../../model/strength.js";
import type { LiveUnmanaged } from "../../model/unmanaged.js";
import { type Fields, setField } from "../fields.js";
import { listIn } from "../keys.js";
import type { Kind } from "../kind.js";
import { sameNames } from "../same-names.js";
import { lockdownSchema } from "./schema.js";

const fields: Fields = {
  description: { form: "text" },
  urls: { ...setField, form: "list", required: true },
  addresses: { ...setField, form: "list", required: true },
  paused: { form: "flag", default: false },
  modified_on: { volatile: true },
};

/** Zone lockdowns: URLs that only some addresses may request. */
export const lockdown: Kind = {
  name: "lockdown",
  ...listIn("lockdowns", { named: "description" }),
  depends: { area: "requests" },
  schema: lockdownSchema,
  fields,
  service: {
    included: { as: "zone lockdowns" },
    permissions: { read: "Firewall Services Read", write: "Firewall Services Write" },
    dashboard: "security/security-rules",
  },
  at: { as: "collection", path: ["firewall", "lockdowns"] },

  ...sameNames(fields),
  normalOf,
  toWire,
  kept: { undeclared: (items) => items.map(unmanagedLockdown) },
  dimensions,
};

/** The service has an object for each address. Files list only the addresses. */
function normalOf(raw: JsonObject): SealedObject | null {
  const { description = "", urls, configurations, paused = false } = raw;
  if (!isList(urls) || !isList(configurations)) return null;
  const addresses = configurations.map((each) => (isObject(each) ? (each.value ?? null) : null));
  return { description, urls, addresses, paused };
}

function unmanagedLockdown({ ref, raw, normal }: Item): LiveUnmanaged {
  const isPaused = normal.paused === true;
  const does = `${isPaused ? "is paused; otherwise " : ""}keeps all but some addresses from some URLs`;
  return { ref, list: "lockdowns", does, effect: isPaused ? "neutral" : "strengthens", raw: raw ?? {} };
}

/** A lockdown is stronger with more URLs and fewer addresses. A paused one protects nothing. */
function dimensions({ normal: { urls, addresses, paused } }: Item): Dimensions {
  if (paused === true) return {};
  return {
    locked: { ...members(urls), stronger: "more", words: { come: "locked", go: "open to all" } },
    let_in: {
      ...members(addresses),
      stronger: "fewer",
      words: { come: "let in", go: "kept out" },
      isDetail: true,
    },
  };
}

function members(of: SealedObject[string] | undefined): Pick<Members, "as" | "of"> {
  return { as: "set", of: Array.isArray(of) ? of.map(String) : [] };
}

function toWire({ normal: { addresses, ...rest } }: Item): SealedObject {
  const configurations = (Array.isArray(addresses) ? addresses : []).map((value) => ({
    target: String(value).includes("/") ? "ip_range" : "ip",
    value,
  }));
  return { ...rest, configurations };
}
