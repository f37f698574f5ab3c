import { cutEnd, quoted } from "../../model/cut.js";
import type { Item, Path } from "../../model/item.js";
import { asText, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { parseJson, parseStrictly } from "../../model/json-text.js";
import { shellWords } from "../../model/shell-words.js";
import { readUrl } from "../../model/url.js";
import { variableName } from "../../model/variable-name.js";
import { error, type Finding, type InCommands } from "../kind.js";
import { checkDataset } from "./dataset.js";
import { BESIDE, PLAIN, READ_ONLY } from "./extra.js";
import { parametersOf } from "./logpull.js";
import { BY_TEMPLATE, memberOf, optionsLeft, TEMPLATE } from "./options.js";
import { TIMESTAMPS } from "./schema.js";

/** What can be said offline about a declared job, beyond its shape. No sensitive value is ever part of it. */
export function checkJob(declared: JsonObject): readonly Finding[] {
  if (declared.ensure === "absent") return [];
  return [
    ...checkName(declared),
    ...checkDataset(declared),
    ...checkDestination(declared),
    ...checkChallenge(declared),
    ...checkStyles(declared),
    ...checkFields(declared),
    ...checkLogpull(declared),
    ...checkExtra(declared),
  ];
}

/** Live jobs may have other names: the official SDKs take any. */
function checkName({ name }: JsonObject): readonly Finding[] {
  if (typeof name !== "string" || /^[a-zA-Z0-9.-]{0,512}$/.test(name)) return [];
  const detail =
    "The service's published schema has names of up to 512 letters, digits, hyphens and dots. It may refuse this one for a new job.";
  return [
    {
      path: ["name"],
      severity: "warning",
      code: "unusual_name",
      summary: "An unusual name of a job",
      detail,
    },
  ];
}

/** What a live job keeps that decides what it writes, and that its declaration does not show. */
export function checkOptionsLeft(want: Item): readonly Finding[] {
  const kept = optionsLeft(want);
  if (kept.length === 0) return [];
  const template = kept.includes(memberOf(TEMPLATE)) ? ` ${BY_TEMPLATE}.` : "";
  const detail = `The live job keeps output_options that the file does not declare: ${cutEnd(kept.join(", "), MAX_CHARS)}.${template} Declare them under extra.output_options, with their defaults where they are to go.`;
  return [
    {
      path: [],
      severity: "warning",
      code: "output_options_kept",
      summary: "Undeclared output options stay",
      detail,
    },
  ];
}

const MAX_CHARS = 200;

/** A secret that is not filled in yet: to check a file, it need not be set. */
function isOpen(text: string): boolean {
  return text.includes("${secret:");
}

function checkDestination({ destination_conf: destination }: JsonObject): readonly Finding[] {
  if (typeof destination !== "string" || isOpen(destination)) return [];
  const wrong = destinationMistake(destination);
  if (wrong === null) return [];
  const detail = `destination_conf ${wrong}. Its value is sensitive and not shown; correct it where it comes from.`;
  return [error(["destination_conf"], "bad_destination", "The destination cannot be used", detail)];
}

function destinationMistake(destination: string): string | null {
  // What the challenge was made for and what the job has must be the same, letter by letter.
  if (/\s$/.test(destination)) return "ends in a blank or a line end";
  if (/\s/.test(destination)) return "has a blank or a line end in it";
  if (!/^[a-z][a-z0-9+.-]*:\/\/./i.test(destination)) return "is no URL, such as s3://bucket/path?region=…";
  return destination.length > 4096 ? "has more than 4096 characters" : null;
}

/**
 * A destination of which the service wants to know whose it is, by the table in its documentation of the challenge. It asks
 * where the destination is new to it.
 */
export function checkProof(
  { id, name, dataset, destination_conf: destination, ownership_challenge: token }: JsonObject,
  sent: "all" | readonly string[],
  { zone, config }: InCommands,
): readonly Finding[] {
  const isSent = sent === "all" || sent.includes("destination_conf");
  if (!isSent || token !== undefined || typeof destination !== "string" || !needsProof(destination))
    return [];
  const job = asText(name ?? id);
  const files = config.flatMap((each) => ["-c", each]);
  const which = typeof dataset === "string" ? ["--dataset", dataset] : [];
  const challenge = ["logpush", "challenge", job, ...which, "--zone", zone, "--yes", ...files];
  const variable = `${variableName([zone, job])}_PROOF`;
  const cause =
    sent === "all"
      ? ""
      : `The live job ${quoted(job)} sends to another destination than the files. Check the files and who changed the job. `;
  const detail = `${cause}The service lets the job ${quoted(job)} push to its destination only with an ownership proof. Until then, apply leaves this job out. 1. Have a token written to the destination: \`zoneward ${shellWords(challenge)}\`. 2. Put the token into the environment: \`export ${variable}=TOKEN\`, and add \`ownership_challenge: \${secret:${variable}}\` to the job. 3. Run \`zoneward ${shellWords(["apply", ...files])}\`.`;
  return [error(["destination_conf"], "challenge_missing", "Ownership proof missing", detail)];
}

/** What a destination is whose secrets are not set is known only where its scheme alone says it. */
function needsProof(destination: string): boolean {
  const url = readUrl(destination);
  if (url?.protocol === "s3:") return !isOpen(destination) && !url.searchParams.has("access-key-id");
  return url !== null && ["gs:", "azure:", "sumo:"].includes(url.protocol);
}

/** The characters of the published OpenAPI document. */
function checkChallenge({ ownership_challenge: token }: JsonObject): readonly Finding[] {
  if (typeof token !== "string" || isOpen(token) || /^[a-zA-Z0-9/+.\-_]{1,4096}$/.test(token)) return [];
  const detail =
    "ownership_challenge is 1 to 4096 letters, digits and / + . - _, without blanks and line ends. Its value is sensitive and not shown; correct it where it comes from.";
  return [error(["ownership_challenge"], "bad_challenge", "The ownership challenge cannot be used", detail)];
}

function checkStyles({ fields, timestamps, logpull_options: text, extra }: JsonObject): readonly Finding[] {
  if (text === undefined) return [];
  const report = (detail: string) => [
    error(["logpull_options"], "two_styles", "The options are given in two styles", detail),
  ];
  if (fields !== undefined || timestamps !== undefined) {
    return report("logpull_options says which fields and timestamps too. Keep it, or fields and timestamps.");
  }
  if (!isObject(extra) || extra.output_options === undefined) return [];
  return report(
    "Where a job has output_options, the service ignores logpull_options. Write fields and timestamps instead of it.",
  );
}

function checkFields({ fields }: JsonObject): readonly Finding[] {
  if (!isList(fields)) return [];
  if (fields.length === 0) {
    const detail = "fields is an empty list. Name the fields, or remove the key to leave them as they are.";
    return [error(["fields"], "no_fields", "No fields", detail)];
  }
  return [...fields.entries()].flatMap(([index, field]) => {
    if (fields.indexOf(field) === index) return [];
    return [
      duplicateField(
        ["fields", index],
        `${JSON.stringify(field)} stands twice in fields. Remove one of them.`,
      ),
    ];
  });
}

function duplicateField(path: Path, detail: string): Finding {
  return error(path, "duplicate_field", "A field given twice", detail);
}

/** What the service takes for the parameters that mean something here (its documentation of logpull options). */
const PARAMETERS: readonly (readonly [name: string, isGood: (text: string) => boolean, wanted: string])[] = [
  ["fields", (text) => /^\w+(,\w+)*$/.test(text), "names of fields with commas between them, without blanks"],
  ["timestamps", (text) => TIMESTAMPS.some((each) => each === text), `one of ${TIMESTAMPS.join(", ")}`],
  [
    "sample",
    (text) => /^[\d.]+$/.test(text) && Number(text) > 0 && Number(text) <= 1,
    "a number above 0 and up to 1",
  ],
  ["CVE-2021-44228", (text) => text === "true" || text === "false", "true or false"],
];

function checkLogpull({ logpull_options: options }: JsonObject): readonly Finding[] {
  if (typeof options !== "string") return [];
  const path = ["logpull_options"];
  const report = (detail: string): Finding =>
    error(path, "bad_options", "The options cannot be used", detail);
  const parameters = parametersOf(options);
  if (parameters.length === 0)
    return [report("logpull_options is empty. Write fields=…&timestamps=…, or remove the key.")];
  if (/\s/.test(options)) return [report("logpull_options has a blank or a line end in it. Remove it.")];
  return PARAMETERS.flatMap(([name, isGood, wanted]) => {
    const [first, second] = parameters.filter((each) => each.name === name);
    if (second !== undefined) return [report(`logpull_options has ${name} twice. Remove one of them.`)];
    if (first === undefined) return [];
    const text = first.text.replaceAll(/%2c/gi, ",");
    if (!isGood(text)) return [report(`In logpull_options, ${name} must be ${wanted}.`)];
    const names = name === "fields" ? text.split(",") : [];
    return names
      .filter((each, index) => names.indexOf(each) !== index)
      .map((each) =>
        duplicateField(path, `${each} stands twice in the fields of logpull_options. Remove one of them.`),
      );
  });
}

function checkExtra({ extra }: JsonObject): readonly Finding[] {
  if (!isObject(extra)) return [];
  return [
    ...Object.keys(extra).flatMap(checkKey),
    ...checkOutput(extra.output_options),
    ...checkFilter(extra.filter),
    ...dollarKeys(extra, ["extra"]),
  ];
}

function badExtra(path: Path, detail: string): Finding {
  return error(path, "bad_extra", "A field that extra cannot have", detail);
}

/** Names in another letter case are the same to many who read JSON (Go's encoding/json), the service perhaps among them. */
function checkKey(key: string): readonly Finding[] {
  const path = ["extra", key];
  const name = key.toLowerCase();
  if (BESIDE.includes(name))
    return [badExtra(path, `${name} is declared beside extra, not in it. Move it there.`)];
  if (READ_ONLY.includes(name)) return [badExtra(path, `Only the service writes ${name}. Remove it.`)];
  return [...PLAIN, "output_options"].includes(name) && name !== key
    ? [badExtra(path, `The field's name is ${name}. Write it so.`)]
    : [];
}

/** Members that have a key of their own → what to do. */
const NOT_IN_OUTPUT = new Map([
  ["field_names", "Write them as fields, beside extra."],
  ["timestamp_format", "Write it as timestamps, beside extra."],
  ["CVE-2021-4428", "The option's name is CVE-2021-44228."],
]);

function checkOutput(options: Json | undefined): readonly Finding[] {
  const path = ["extra", "output_options"];
  if (options === undefined) return [];
  if (!isObject(options)) return [badExtra(path, "output_options is a map of options. Write it as one.")];
  return Object.keys(options).flatMap((key) => {
    const advice = NOT_IN_OUTPUT.get(key);
    return advice === undefined
      ? []
      : [badExtra([...path, key], `output_options cannot have ${key} here. ${advice}`)];
  });
}

function checkFilter(filter: Json | undefined): readonly Finding[] {
  if (filter === undefined || filter === "" || (typeof filter === "string" && isOpen(filter))) return [];
  const path = ["extra", "filter"];
  if (typeof filter !== "string" || !isJson(filter)) {
    const detail = `A filter is JSON in a text, such as '{"where":{"key":"ClientCountry","operator":"neq","value":"ca"}}'. Write it in single quotes.`;
    return [error(path, "bad_filter", "The filter cannot be used", detail)];
  }
  if (parseStrictly(filter).ok) return [];
  const detail =
    "The filter has one key twice in one map. Readers of JSON differ about which of the two counts. Keep one of them.";
  return [
    {
      path,
      severity: "warning",
      code: "ambiguous_filter",
      summary: "A filter with two meanings",
      detail,
    },
  ];
}

function isJson(text: string): boolean {
  const json = parseJson(text);
  return json.as === "json" && isObject(json.value);
}

/** In plans, such keys mark references. */
function dollarKeys(value: Json, path: Path): readonly Finding[] {
  if (isList(value)) return value.flatMap((each, index) => dollarKeys(each, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key.startsWith("$")
      ? [badExtra([...path, key], "A key in extra cannot begin with $. Rename or remove it.")]
      : dollarKeys(each, [...path, key]),
  );
}
