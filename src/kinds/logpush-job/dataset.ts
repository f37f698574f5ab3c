import { suggest } from "../../model/did-you-mean.js";
import type { Item, Path, Triple } from "../../model/item.js";
import { asText, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { DATASETS, FIELDS_OF_DATASETS } from "../../model/log-datasets.js";
import type { FieldChange } from "../../model/plan.js";
import { type Asked, error, type Finding, warningAt } from "../kind.js";
import { parametersOf } from "./logpull.js";

/** Warns of an unknown dataset or field. It is no error, because the service may know newer ones. */
export function checkDataset(declared: JsonObject): readonly Finding[] {
  const { dataset } = declared;
  if (typeof dataset !== "string") return [];
  const fields = FIELDS_OF_DATASETS.get(dataset);
  if (fields !== undefined)
    return namesIn(declared).flatMap((each) =>
      fields.includes(each.name) ? [] : [unknownField(each, dataset, fields)],
    );
  return DATASETS.includes(dataset) ? [] : [unknownDataset(dataset)];
}

function unknownDataset(dataset: string): Finding {
  return warningAt(
    ["dataset"],
    "unknown_dataset",
    `Unknown dataset ${JSON.stringify(dataset)}`,
    `This version does not know the dataset. ${guess(dataset, DATASETS) ?? NEWER}`,
  );
}

const NEWER = "Correct it, unless it is newer than this version: otherwise Cloudflare refuses the job.";

function unknownField({ name, path }: FieldName, dataset: string, known: readonly string[]): Finding {
  return warningAt(
    path,
    UNKNOWN_FIELD,
    `Unknown field ${JSON.stringify(name)} of ${dataset}`,
    `This version does not know the field. ${guess(name, known) ?? NEWER}`,
  );
}

const UNKNOWN_FIELD = "unknown_log_field";

function guess(word: string, known: readonly string[]): string | null {
  const close = suggest(word, known);
  return close === null ? null : `Did you mean ${JSON.stringify(close)}?`;
}

/** A field name in a declared job, and its path. */
interface FieldName {
  readonly name: string;
  readonly path: Path;
}

function namesIn({ fields, logpull_options: text }: JsonObject): readonly FieldName[] {
  const fromList = isList(fields)
    ? fields.map((each, index) => ({ name: each, path: ["fields", index] }))
    : [];
  const parameter =
    typeof text === "string" ? parametersOf(text).find(({ name }) => name === "fields") : undefined;
  const fromText = parameter === undefined ? [] : parameter.text.replaceAll(/%2c/gi, ",").split(",");
  return [...fromList, ...fromText.map((name) => ({ name, path: ["logpull_options"] }))].flatMap(
    ({ name, path }) => (typeof name === "string" && /^\w+$/.test(name) ? [{ name, path }] : []),
  );
}

/**
 * The question whether the service knows the declared fields. The fields of the live job are known. For a new job or
 * changed fields, the service's list of the dataset answers: `…/logpush/datasets/D/fields`, an object with the names as
 * keys (the published OpenAPI document).
 */
export function asks({ want, live }: Triple, moved: readonly FieldChange[], declared: JsonObject): Asked {
  const names = namesIn(declared);
  const had = new Set(live === null ? [] : fieldsOf(live));
  const known = names.filter(({ name }) => had.has(name)).map(({ path }) => path);
  const dataset = asText(want?.normal.dataset ?? "");
  const isChanging = moved.some(({ path }) => path === "fields" || path === "dataset");
  if (!isChanging || names.length === 0 || !/^[\w-]+$/.test(dataset))
    return { code: UNKNOWN_FIELD, known, question: null };
  const judge = (answer: Json): readonly Finding[] | null => {
    const fields = Object.entries(isObject(answer) ? answer : {});
    const list = fields.every(([, described]) => typeof described === "string")
      ? fields.map(([name]) => name)
      : [];
    return list.length === 0 ? null : unlistedFields(names, dataset, list);
  };
  return {
    code: UNKNOWN_FIELD,
    known,
    question: { below: `/logpush/datasets/${dataset}/fields`, about: names.map(({ path }) => path), judge },
  };
}

function fieldsOf({ normal: { fields } }: Item): readonly string[] {
  return Array.isArray(fields) ? fields.map(asText) : [];
}

function unlistedFields(
  names: readonly FieldName[],
  dataset: string,
  list: readonly string[],
): readonly Finding[] {
  const known = new Set(list);
  return names.flatMap(({ name, path }): readonly Finding[] => {
    if (known.has(name)) return [];
    const advice = guess(name, list) ?? "Correct or remove it.";
    const detail = `Cloudflare's list of the fields of ${dataset} does not have it. ${advice}`;
    const summary = `Unknown field ${JSON.stringify(name)} of ${dataset}`;
    return [error(path, UNKNOWN_FIELD, summary, detail)];
  });
}
