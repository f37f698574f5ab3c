import type { Item } from "../../model/item.js";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { failed, ok, problem, type Result } from "../../model/problem.js";
import { isId } from "../../model/read-api.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Members } from "../../model/strength.js";
import type { LiveUnmanaged } from "../../model/unmanaged.js";
import { set } from "../fields.js";
import type { Kind, Live, ZoneReader } from "../kind.js";
import { lockdownSchema } from "./schema.js";

const FIELDS = ["description", "urls", "addresses", "paused"];

/** Zone lockdowns: URLs that only some addresses may ask for. */
export const lockdown: Kind = {
  name: "lockdown",
  section: "lockdowns",
  area: "requests",
  shape: { as: "list", named: "description" },
  schema: lockdownSchema,
  fields: {
    urls: { ...set, required: true },
    addresses: { ...set, required: true },
    paused: { default: false },
    modified_on: { volatile: true },
  },
  permissions: { read: "Firewall Services Read", write: "Firewall Services Write" },
  dashboard: "security/security-rules",
  at: { as: "collection", path: ["firewall", "lockdowns"] },

  check: () => [],
  read,
  normalOf: normal,
  toDesired: (declared) => picked(declared, FIELDS),
  toConfig: (live, declared) => ({
    ...picked(declared ?? {}, ["id", "renamed_from"]),
    ...picked(
      live.normal as JsonObject, // no secrets
      FIELDS.filter((field) => declared === null || field in declared),
    ),
  }),
  toWire,
  unmanaged: (items) => items.map(unmanagedLockdown),
  checkWhole: () => [],
  dimensions,
  concerns: () => [],
};

async function read({ api, zoneId }: ZoneReader): Promise<Result<Live<null>>> {
  const path = `/zones/${zoneId}/firewall/lockdowns`;
  const answer = await api.list(path, { perPage: 1000 });
  if (!answer.ok) return answer;
  const items = answer.value.map(live);
  const readable = items.filter((each) => each !== null);
  if (readable.length === items.length) return ok({ items: readable, context: null });
  return failed(
    problem(
      "unexpected_answer",
      "The service gave a lockdown of another shape",
      `GET ${path} listed something without an id, URLs and addresses. Nothing that rests on it is planned.`,
    ),
  );
}

/** null: nobody can tell what it does, and it must not be taken for absent. */
function live(raw: Json): Item | null {
  if (!isObject(raw)) return null;
  const form = normal(raw);
  const { id, description = "" } = raw;
  if (form === null || typeof id !== "string" || !isId(id) || typeof description !== "string") return null;
  return { ref: { kind: "lockdown", key: description, id }, normal: form, raw, owns: "nothing", at: null };
}

/** The service has an object for each address; files say the address alone. */
function normal(raw: JsonObject): SealedObject | null {
  const { description = "", urls, configurations, paused = false } = raw;
  if (!isList(urls) || !isList(configurations)) return null;
  const addresses = configurations.map((each) => (isObject(each) ? (each.value ?? null) : null));
  return { description, urls, addresses, paused };
}

function picked(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

function unmanagedLockdown({ ref, raw, normal }: Item): LiveUnmanaged {
  const isPaused = normal.paused === true;
  const does = `${isPaused ? "is paused; otherwise " : ""}keeps all but some addresses from some URLs`;
  return { ref, list: "lockdowns", does, effect: isPaused ? "neutral" : "strengthens", raw: raw ?? {} };
}

/** The more URLs and the fewer addresses, the stronger; one that is paused protects nothing. */
function dimensions({ urls, addresses, paused }: SealedObject): Dimensions {
  if (paused === true) return {};
  return {
    locked: { ...members(urls), stronger: "more", said: { come: "locked", go: "open to all" } },
    let_in: {
      ...members(addresses),
      stronger: "fewer",
      said: { come: "let in", go: "kept out" },
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
