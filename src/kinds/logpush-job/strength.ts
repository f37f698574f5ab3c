import { cutEnd } from "../../model/cut.js";
import type { Item } from "../../model/item.js";
import { asText, canonicalJson, equal, type Json } from "../../model/json.js";
import { isSecret, isSensitive, type Sealed, type SealedObject } from "../../model/sealed.js";
import type { Destination, Dimensions, Strength } from "../../model/strength.js";
import type { LiveUnmanaged } from "../../model/unmanaged.js";
import { placesOf, unknownIfOn } from "../fields.js";
import { ENTRY_FIELDS, loggedSet } from "../logged-fields.js";
import { reportLimits } from "../undeclared-fields.js";
import { filterField, liveExtra, PLAIN, readFilter } from "./extra-fields.js";
import { BY_TEMPLATE, defaultsOf, isOption, liveOptions, TEMPLATE, TYPE } from "./options.js";

/** How much is logged, and to which places. */
export function strengthOf(item: Item): Dimensions {
  const { normal } = item;
  const fields = {
    destination_conf: destinations(normal.destination_conf),
    [TRANSFORMER]: transformersOf(normal),
  };
  return { ...loggingOf(normal), destination: placesOf("records", fields, item) };
}

/** How much of a dataset is logged. A disabled job logs nothing; without a known `enabled`, the strength is unknown. */
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
 * Options with an unknown effect on records. For example, `record_template` may leave all records empty, and
 * record_suffix may give a member a second value.
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

/** Options with a dimension of their own, and options for the time of pushes. */
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

/** A live value that may be a secret shows only whether it equals the declared value. */
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

/** A destination contains credentials, so it shows only whether it is the declared one. */
function destinations(conf: Sealed | undefined): readonly Destination[] {
  if (conf === undefined) return [UNDECLARED_PLACE];
  if (conf === null) return [];
  if (isSecret(conf)) return [DECLARED_PLACE];
  if (isSensitive(conf)) return PLACES_OF_LIVE[conf.$sensitive];
  return [{ id: asText(conf), is: "a destination" }];
}

const TRANSFORMER = "extra.transformer_id";

/** A transformer receives all records of the job. It may drop or change them. */
function transformersOf({ [TRANSFORMER]: id = null }: SealedObject): readonly Destination[] {
  if (id === null) return [];
  const is = `transformer ${isSensitive(id) || isSecret(id) ? "(sensitive)" : asText(id)}`;
  return [{ id: `transformer ${canonicalJson(id)}`, is }];
}

/** The output of a transformer is unknown, also for a new job. */
function transformerStrength(dataset: string, normal: SealedObject): Dimensions {
  const why = "a transformer can drop or change every record";
  return Object.fromEntries(
    transformersOf(normal).map(({ is }) => [`${dataset}.transformer`, { as: "unknown", is, why }]),
  );
}

const DECLARED_PLACE: Destination = { id: "", is: "the declared destination" };
const UNDECLARED_PLACE: Destination = {
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

/** The fields that the service logs by default. */
const USUAL = "the usual fields";

/** The sample rate, from the options or from the job itself. With both, the lower rate counts. */
function rateOf({ sample_rate: option = 1, "extra.sample_rate": extra = 1 }: SealedObject): Sealed {
  if (typeof option !== "number" || extra === null) return option;
  return typeof extra === "number" ? Math.min(option, extra) : extra;
}

/** The strength of a sample rate, which may have an unknown form. */
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

/** Two filters are not comparable: which one lets more through is unknown. */
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

/** An unmanaged job. The owner of its destination is unknown, and so is its effect. */
export function unmanagedJob({ ref, normal, raw }: Item): LiveUnmanaged {
  const isOff = normal.enabled === false;
  const does = `${isOff ? "is disabled; when enabled, " : ""}sends ${cutEnd(asText(normal.dataset), MAX_CHARS)}${withText(normal.fields)} to ${destinationText(normal.destination_conf)}`;
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
 * The undeclared fields of a declared job that may drop records or send them elsewhere. Their values may be secrets in
 * the base.
 */
export function undeclaredFields(item: Item): readonly LiveUnmanaged[] {
  const usual = { ...USUALLY, ...defaultsOf(item.normal[TYPE] as Json) }; // no option is sealed
  return reportLimits(item, { list: "logpush_jobs", words: LOSING, usual, strengthOf });
}

const FORM = "writes records in an unusual form";

/** Fields that decide which records arrive, where and how, with their effects. */
const LOSING: { readonly [field: string]: string } = {
  [TRANSFORMER]: "gives every record to a transformer",
  "extra.filter": "drops records with a filter",
  "extra.filter_attack_traffic": "drops records with a filter",
  "extra.sample_rate": "logs a sample of the requests",
  sample_rate: "logs a sample of the requests",
  [TYPE]: FORM,
  [TEMPLATE]: FORM,
  "output_options.record_prefix": FORM,
  "output_options.record_suffix": FORM,
};

const MAX_CHARS = 80;

/** Names the logged fields that contain headers and cookies. */
function withText(fields: Sealed | undefined): string {
  const requested = ENTRY_FIELDS.filter((field) => Array.isArray(fields) && fields.includes(field));
  const words = requested.map((field) => WORDS[field]);
  return words.length === 0 ? "" : ` with ${words.join(" and ")}`;
}

const WORDS = { RequestHeaders: "request headers", ResponseHeaders: "response headers", Cookies: "cookies" };

/**
 * The host of a web destination, or only the scheme of another one. Path, query and user may contain a password, and
 * the host of other schemes may be a private bucket.
 */
function destinationText(destination: Sealed | undefined): string {
  const [, scheme = "", host = ""] =
    /^([a-z][a-z0-9+.-]{0,20}):\/\/(?:[^@/?#]*@)?([^@/?#]*)/i.exec(asText(destination ?? "")) ?? [];
  const name = host.replace(/:\d*$/, "");
  const isWeb = /^https?$/i.test(scheme) && /^[a-z0-9._-]+$/i.test(name);
  if (isWeb) return `${scheme.toLowerCase()}://${cutEnd(name, MAX_CHARS)}`;
  return scheme === "" ? "a hidden destination" : `${scheme.toLowerCase()}://…`;
}
