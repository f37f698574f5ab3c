import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import { asText, canonicalJson, equal } from "../../model/json.js";
import { isSecret, isSensitive, type Sealed, type SealedObject } from "../../model/sealed.js";
import type { Dimensions, Place, Strength } from "../../model/strength.js";
import type { LiveUnmanaged } from "../../model/unmanaged.js";
import { effectOf, shifts } from "../../strength/index.js";
import { placesOf, unknownIfOn } from "../fields.js";
import { ENTRY_FIELDS, loggedSet } from "../logged-fields.js";
import { filterField, liveExtra, PLAIN, readFilter } from "./extra.js";
import { BY_TEMPLATE, isOption, liveOptions, TEMPLATE } from "./options.js";

/** What is logged, and where it goes. */
export function strengthOf(normal: SealedObject, _context?: unknown, item?: Item): Dimensions {
  const fields = {
    destination_conf: destinations(normal.destination_conf),
    [TRANSFORMER]: transformersOf(normal),
  };
  return { ...loggingOf(normal), destination: placesOf("records", fields, normal, item) };
}

/**
 * What is logged of a dataset: the more the better. A job that is switched off logs nothing; of one that does not say
 * whether it is on, nobody knows what it logs.
 */
function loggingOf(normal: SealedObject): Dimensions {
  const dataset = asText(normal.dataset);
  if (normal.enabled === false) return { [`${dataset}.logged`]: { ...loggedSet([]), ...JOB } };
  if (normal.enabled !== true) return { [`${dataset}.logged`]: unknownIfOn(normal) };
  const fields = Array.isArray(normal.fields) ? normal.fields.map(asText) : [];
  const filter = normal["extra.filter"];
  return {
    [`${dataset}.logged`]: {
      ...loggedSet(fields.length === 0 ? [USUAL] : fields),
      ...JOB,
      from: dataset,
      vague: [USUAL],
      ...(hasTemplate(normal) ? { doubt: BY_TEMPLATE } : {}),
    },
    [`${dataset}.logged_share`]: shareOf(rateOf(normal)),
    ...transformerStrength(dataset, normal),
    [`${dataset}.options`]: optionsOf(normal),
    ...(filter === undefined ? {} : { [`${dataset}.logged_requests`]: requestsOf(filter) }),
  };
}

function hasTemplate({ [TEMPLATE]: template = "" }: SealedObject): boolean {
  return template !== "";
}

/**
 * What else a job says, of which nobody here knows what it makes of records: `record_template` may leave all of them
 * empty, a record_suffix may give a member a second value, and what this program does not know may send them elsewhere.
 */
function optionsOf(normal: SealedObject): Strength {
  const words = Object.entries(normal).flatMap(([field, value]) => {
    const isOther = (field.startsWith("extra.") || isOption(field)) && !WEIGHED.has(field);
    return !isOther || equal(value, USUALLY[field]) ? [] : optionWord(field, value);
  });
  return words.length === 0
    ? { as: "opaque", is: "no other options", stopsNothing: true }
    : { as: "opaque", is: words.sort().join(", "), stopsNothing: true, isDoubtful: true };
}

/** Options that have a dimension of their own, and those of when records are pushed. */
const WEIGHED: ReadonlySet<string> = new Set([
  "fields",
  "timestamps",
  "sample_rate",
  "extra.sample_rate",
  "extra.filter",
  "extra.frequency",
  "extra.transformer_id",
  "extra.max_upload_bytes",
  "extra.max_upload_interval_seconds",
  "extra.max_upload_records",
]);

const USUALLY: SealedObject = { ...liveOptions({}), ...liveExtra({}) };

/** A live value that may be a secret is known only beside the declared one. */
function optionWord(field: string, value: Sealed): readonly string[] {
  if (isSensitive(value))
    return value.$sensitive === "absent" ? [] : [`${field} ${RELATIONS[value.$sensitive]}`];
  const isShown = isOption(field) || PLAIN.some((name) => field === `extra.${name}`);
  return [`${field} ${isShown && !isSecret(value) ? JSON.stringify(value) : RELATIONS.same}`];
}

const RELATIONS = {
  same: "as declared",
  different: "not as declared",
  not_compared: "not compared",
} as const;

/** Destinations have credentials in them, so all that can be told is whether it is the declared one. */
function destinations(conf: Sealed | undefined): readonly Place[] {
  if (conf === undefined) return [UNDECLARED_PLACE];
  if (conf === null) return [];
  if (isSecret(conf)) return [DECLARED_PLACE];
  if (isSensitive(conf)) return PLACES_OF_LIVE[conf.$sensitive];
  return [{ id: asText(conf), is: "a destination" }];
}

const TRANSFORMER = "extra.transformer_id";

/** A transformer gets all records of the job. It may send on none of them, or others. */
function transformersOf({ [TRANSFORMER]: id = null }: SealedObject): readonly Place[] {
  if (id === null) return [];
  const is = `transformer ${isSensitive(id) || isSecret(id) ? "(sensitive)" : asText(id)}`;
  return [{ id: `transformer ${canonicalJson(id)}`, is }];
}

/** What comes out of a transformer is unknown, also where the job is new. */
function transformerStrength(dataset: string, normal: SealedObject): Dimensions {
  const why = "a transformer can drop or change every record";
  return Object.fromEntries(
    transformersOf(normal).map(({ is }) => [`${dataset}.transformer`, { as: "unknown", is, why }]),
  );
}

const DECLARED_PLACE: Place = { id: "", is: "the declared destination" };
const UNDECLARED_PLACE: Place = {
  id: "another",
  is: "the live, undeclared destination",
  isUndeclared: true,
};
const PLACES_OF_LIVE = {
  same: [DECLARED_PLACE],
  different: [{ id: "another", is: "the live destination" }],
  not_compared: [{ id: "another", is: "the live destination (not compared)" }],
  absent: [],
} as const;

const JOB = { switched: { on: "the job is switched on", off: "the job is switched off" } };

/** What the service logs where no fields are named. */
const USUAL = "the usual fields";

/** The job's own rate is an option that not every user declares as one: it may also stand beside the options. */
function rateOf({ sample_rate: option = 1, "extra.sample_rate": extra = 1 }: SealedObject): Sealed {
  if (typeof option !== "number" || extra === null) return option;
  return typeof extra === "number" ? Math.min(option, extra) : extra;
}

/** A rate may also be what this program does not know. */
function shareOf(rate: Sealed): Strength {
  if (typeof rate !== "number") return { as: "opaque", is: `a sample rate ${rateWords(rate)}` };
  return {
    as: "rank",
    value: rate,
    is: `${Number((rate * 100).toFixed(6))} % of requests logged`,
    isDetail: true,
  };
}

function rateWords(rate: Sealed): string {
  if (isSecret(rate)) return RELATIONS.same;
  if (!isSensitive(rate)) return `of ${JSON.stringify(rate)}`;
  return rate.$sensitive === "absent" ? "of nothing" : RELATIONS[rate.$sensitive];
}

/** Which of two filters lets more through is not known. */
function requestsOf(filter: Sealed): Strength {
  if (typeof filter === "string" && filter !== "" && readFilter(filter) === null)
    return { as: "unknown", is: filter, why: "the filter is read in more than one way" };
  const which = wordsFor(filter);
  return { ...loggedSet([which]), whole: EVERY, vague: [which], isDetail: true };
}

const EVERY = "every request";

function wordsFor(filter: Sealed): string {
  if (isSecret(filter)) return DECLARED;
  if (isSensitive(filter)) return ofLive[filter.$sensitive];
  const canonical = filterField.canonical(filter);
  if (canonical === "") return EVERY;
  return `requests of the filter ${typeof canonical === "string" ? canonical : canonicalJson(canonical)}`;
}

const DECLARED = "requests of the declared filter";
const ofLive = {
  same: DECLARED,
  different: "requests of another filter",
  not_compared: "requests of the live filter (not compared)",
  absent: EVERY,
} as const;

/** An unmanaged job. Whose destination it has is not known, so neither is its effect. */
export function unmanagedJob({ ref, normal, raw }: Item): LiveUnmanaged {
  const isOff = normal.enabled === false;
  const does = `${isOff ? "is switched off; otherwise " : ""}sends ${cutEnd(asText(normal.dataset), MAX_CHARS)}${withText(normal.fields)} to ${placeOf(normal.destination_conf)}`;
  const name = asText(normal.name);
  return {
    ref,
    ...(name === ref.key ? {} : { name }),
    list: "logpush_jobs",
    does,
    effect: isOff ? "neutral" : "unknown",
    raw: raw ?? {},
  };
}

/**
 * What a declared job does by fields that no file declares, where that may lose records or send them elsewhere. Their values
 * are not shown: the base may have one as a secret.
 */
export function undeclaredFields({ ref, normal, raw, owns }: Item): readonly LiveUnmanaged[] {
  const undeclared = [...LOSING.keys()].filter(
    (field) => !owns.includes(field) && !equal(normal[field] ?? null, USUALLY[field] ?? null),
  );
  const declaredFields = Object.entries(normal).filter(([field]) => !undeclared.includes(field));
  const usual = undeclared.flatMap((field) => (field in USUALLY ? [[field, USUALLY[field] ?? null]] : []));
  const effect = effectOf(
    shifts(strengthOf(Object.fromEntries([...declaredFields, ...usual])), strengthOf(normal)),
  );
  if (effect === "neutral" || effect === "strengthens") return [];
  const ways = new Set(undeclared.map((field) => LOSING.get(field) ?? ""));
  const does = `${[...ways].join(" and ")} (undeclared: ${undeclared.join(", ")})`;
  return [{ ref, list: "logpush_jobs", does, effect, fields: undeclared, raw: raw ?? {} }];
}

/** Fields that decide which records arrive, and where, with what they do. */
const LOSING: ReadonlyMap<string, string> = new Map([
  [TRANSFORMER, "gives every record to a transformer"],
  ["extra.filter", "drops records with a filter"],
  ["extra.filter_attack_traffic", "drops records with a filter"],
  ["extra.sample_rate", "logs a sample of the requests"],
  ["sample_rate", "logs a sample of the requests"],
]);

const MAX_CHARS = 80;

/** Of the fields those that have what visitors send and get. */
function withText(fields: Sealed | undefined): string {
  const requested = ENTRY_FIELDS.filter((field) => Array.isArray(fields) && fields.includes(field));
  const words = requested.map((field) => WORDS[field]);
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
  return scheme === "" ? "a hidden destination" : `${scheme.toLowerCase()}://…`;
}
