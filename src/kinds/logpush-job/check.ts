import { cutEnd, quoted } from "../../model/cut.js";
import type { Item, Path } from "../../model/item.js";
import { asText, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { parseJson, parseStrictly } from "../../model/json-text.js";
import { readUrl } from "../../model/url.js";
import { variableName } from "../../model/variable-name.js";
import { error, type Finding, type InCommands, repeatsIn, warningAt } from "../kind.js";
import { checkDataset } from "./dataset.js";
import { BESIDE, PLAIN, READ_ONLY } from "./extra-fields.js";
import { parametersOf } from "./logpull.js";
import { BY_TEMPLATE, memberOf, optionsLeft, TEMPLATE } from "./options.js";
import { TIMESTAMPS } from "./schema.js";

/** Problems of a declared job that can be found offline and that the schema does not find. None shows a secret. */
export function checkJob(declared: JsonObject): readonly Finding[] {
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

/** Warns only, since live jobs may have other names: the official SDKs accept any name. */
function checkName({ name }: JsonObject): readonly Finding[] {
  if (typeof name !== "string" || /^[a-zA-Z0-9.-]{0,512}$/.test(name)) return [];
  const detail =
    "Use up to 512 letters, digits, hyphens and dots: Cloudflare may refuse other names for a new job.";
  return [warningAt(["name"], "unusual_name", `Unusual job name ${quoted(name)}`, detail)];
}

/** Warns of undeclared live options that change the output of the declared job. */
export function checkOptionsLeft(want: Item): readonly Finding[] {
  const kept = optionsLeft(want);
  if (kept.length === 0) return [];
  const template = kept.includes(memberOf(TEMPLATE)) ? ` ${BY_TEMPLATE}.` : "";
  const detail = `Declare these under extra.output_options, with their defaults to remove them: ${cutEnd(kept.join(", "), MAX_CHARS)}.${template} The live job has them, the file does not, and an update keeps them.`;
  return [warningAt([], "output_options_kept", "Undeclared output options stay", detail)];
}

const MAX_CHARS = 200;

/** Whether a secret is unresolved. A check of files needs no secrets. */
function isOpen(text: string): boolean {
  return text.includes("${secret:");
}

function checkDestination({ destination_conf: destination }: JsonObject): readonly Finding[] {
  if (typeof destination !== "string" || isOpen(destination)) return [];
  const wrong = destinationMistake(destination);
  if (wrong === null) return [];
  const detail = `destination_conf ${wrong}. Correct the value; it is sensitive, so it is not shown.`;
  return [error(["destination_conf"], "bad_destination", "Invalid destination_conf", detail)];
}

function destinationMistake(destination: string): string | null {
  // The service compares the destinations of the challenge and the job character by character.
  if (/\s$/.test(destination)) return "ends in a space or a line break";
  if (/\s/.test(destination)) return "contains a space or a line break";
  if (!/^[a-z][a-z0-9+.-]*:\/\/./i.test(destination))
    return "is not a URL, such as s3://bucket/path?region=…";
  return destination.length > 4096 ? "has more than 4096 characters" : null;
}

/**
 * Reports a missing ownership proof. The service requires a proof for a new destination of certain types (the table in
 * its documentation of the challenge).
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

/** A command line, with words quoted where a shell needs it. */
function shellWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** Whether the service requires a proof. With unset secrets, only the scheme can show it. */
export function needsProof(destination: string): boolean {
  const url = readUrl(destination);
  if (url?.protocol === "s3:") return !isOpen(destination) && !url.searchParams.has("access-key-id");
  return url !== null && ["gs:", "azure:", "sumo:"].includes(url.protocol);
}

/** Allows the characters of the published OpenAPI document. */
function checkChallenge({ ownership_challenge: token }: JsonObject): readonly Finding[] {
  if (typeof token !== "string" || isOpen(token) || /^[a-zA-Z0-9/+.\-_]{1,4096}$/.test(token)) return [];
  const detail =
    "ownership_challenge must be 1 to 4096 letters, digits and / + . - _, without spaces and line breaks. Correct the value; it is sensitive, so it is not shown.";
  return [error(["ownership_challenge"], "bad_challenge", "Invalid ownership_challenge", detail)];
}

function checkStyles({ fields, timestamps, logpull_options: text, extra }: JsonObject): readonly Finding[] {
  if (text === undefined) return [];
  const report = (detail: string) => [
    error(["logpull_options"], "two_styles", "Two styles of log options", detail),
  ];
  if (fields !== undefined || timestamps !== undefined) {
    return report(
      "logpull_options also sets the fields and timestamps. Keep it, or keep fields and timestamps.",
    );
  }
  if (!isObject(extra) || extra.output_options === undefined) return [];
  return report(
    "Replace logpull_options with fields and timestamps. Cloudflare ignores logpull_options beside output_options.",
  );
}

function checkFields({ fields }: JsonObject): readonly Finding[] {
  if (!isList(fields)) return [];
  if (fields.length === 0) {
    const detail = "fields is an empty list. Name the fields, or remove the key to keep the live ones.";
    return [error(["fields"], "no_fields", "Job without fields", detail)];
  }
  return repeatsIn(fields).map((index) =>
    duplicateField(
      ["fields", index],
      asText(fields[index] ?? null),
      "fields names it twice. Remove one of the two.",
    ),
  );
}

function duplicateField(path: Path, field: string, detail: string): Finding {
  return error(path, "duplicate_field", `Duplicate field ${quoted(field)}`, detail);
}

/** The values that the service accepts for known parameters (its documentation of logpull options). */
const PARAMETERS: readonly (readonly [name: string, isGood: (text: string) => boolean, wanted: string])[] = [
  ["fields", (text) => /^\w+(,\w+)*$/.test(text), "names of fields, separated by commas without spaces"],
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
  const report = (detail: string): Finding => error(path, "bad_options", "Invalid logpull_options", detail);
  const parameters = parametersOf(options);
  if (parameters.length === 0)
    return [report("logpull_options is empty. Write fields=…&timestamps=…, or remove the key.")];
  if (/\s/.test(options)) return [report("logpull_options contains a space or a line break. Remove it.")];
  return PARAMETERS.flatMap(([name, isGood, wanted]) => {
    const [first, second] = parameters.filter((each) => each.name === name);
    if (second !== undefined) return [report(`logpull_options has ${name} twice. Remove one of the two.`)];
    if (first === undefined) return [];
    const text = first.text.replaceAll(/%2c/gi, ",");
    if (!isGood(text)) return [report(`In logpull_options, ${name} must be ${wanted}.`)];
    const names = name === "fields" ? text.split(",") : [];
    return repeatsIn(names).map((index) =>
      duplicateField(
        path,
        names[index] ?? "",
        "The fields of logpull_options name it twice. Remove one of the two.",
      ),
    );
  });
}

function checkExtra({ extra }: JsonObject): readonly Finding[] {
  if (!isObject(extra)) return [];
  return [
    ...Object.keys(extra).flatMap(checkKey),
    ...checkOutput(extra.output_options),
    ...checkFilter(extra.filter),
    ...checkRate(extra.sample_rate, ["extra", "sample_rate"]),
    ...dollarKeys(extra, ["extra"]),
  ];
}

function badExtra(path: Path, detail: string): Finding {
  return error(path, "bad_extra", `Invalid ${quoted(String(path.at(-1)))} in extra`, detail);
}

/** Refuses a known name in another letter case. Some JSON readers ignore the case (Go's encoding/json). */
function checkKey(key: string): readonly Finding[] {
  const path = ["extra", key];
  const name = key.toLowerCase();
  if (BESIDE.includes(name))
    return [badExtra(path, `${name} belongs to the job itself. Move it out of extra.`)];
  if (READ_ONLY.includes(name)) return [badExtra(path, `Only Cloudflare writes ${name}. Remove it.`)];
  return [...PLAIN, "output_options"].includes(name) && name !== key
    ? [badExtra(path, `The name of the field is ${name}. Correct it.`)]
    : [];
}

/** Members that cannot be declared here → what to do instead. */
const NOT_IN_OUTPUT = new Map([
  ["field_names", "Write them as fields of the job."],
  ["timestamp_format", "Write it as timestamps of the job."],
  ["CVE-2021-4428", "Write CVE-2021-44228."],
]);

function checkOutput(options: Json | undefined): readonly Finding[] {
  const path = ["extra", "output_options"];
  if (options === undefined) return [];
  if (!isObject(options)) return [badExtra(path, "output_options must be a map. Write it as one.")];
  const misplaced = Object.keys(options).flatMap((key) => {
    const advice = NOT_IN_OUTPUT.get(key);
    return advice === undefined
      ? []
      : [badExtra([...path, key], `output_options cannot have ${key} here. ${advice}`)];
  });
  return [...misplaced, ...checkRate(options.sample_rate, [...path, "sample_rate"])];
}

function checkRate(rate: Json | undefined, path: Path): readonly Finding[] {
  if (typeof rate !== "number" || (rate > 0 && rate <= 1)) return [];
  return [badExtra(path, `sample_rate is ${rate}. Write a number above 0 and up to 1.`)];
}

function checkFilter(filter: Json | undefined): readonly Finding[] {
  if (filter === undefined || filter === "" || (typeof filter === "string" && isOpen(filter))) return [];
  const path = ["extra", "filter"];
  if (typeof filter !== "string" || !isJson(filter)) {
    const detail = `A filter is a string that contains JSON. Write it in single quotes: '{"where":{"key":"ClientCountry","operator":"neq","value":"ca"}}'.`;
    return [error(path, "bad_filter", "Invalid filter", detail)];
  }
  if (parseStrictly(filter).ok) return [];
  const detail =
    "The JSON of the filter has a key twice in one map. Remove one of the two: programs differ about which one counts.";
  return [warningAt(path, "ambiguous_filter", "Ambiguous filter", detail)];
}

function isJson(text: string): boolean {
  const json = parseJson(text);
  return json.as === "json" && isObject(json.value);
}

/** Refuses keys that begin with $, because such keys mark references in plans. */
function dollarKeys(value: Json, path: Path): readonly Finding[] {
  if (isList(value)) return value.flatMap((each, index) => dollarKeys(each, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key.startsWith("$")
      ? [badExtra([...path, key], "Keys in extra cannot begin with $. Rename or remove the key.")]
      : dollarKeys(each, [...path, key]),
  );
}
