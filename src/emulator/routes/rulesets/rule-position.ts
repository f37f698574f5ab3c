import { isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";
import type { Rule } from "../../parts/rulesets/rules.js";

interface Place {
  /** Where in the list of the other rules, counted from 0. */
  readonly index: number;
  readonly errors: readonly JsonObject[];
}

/** Where a `position` puts a rule among the others; the three forms are in the documentation of rule positions. */
export function placeIn(others: readonly Rule[], position: Json | undefined, otherwise: number): Place {
  if (position === undefined) return at(otherwise);
  const entries = isObject(position) ? Object.entries(position) : [];
  const [[form, value] = ["", null]] = entries;
  const find = forms.get(form);
  if (find === undefined || entries.length > 1)
    return nowhere("", "takes exactly one of before, after and index");
  return find(value, others);
}

type Find = (value: Json, others: readonly Rule[]) => Place;

/** The empty text means the first place. */
const before: Find = (value, others) => {
  const index = others.findIndex(({ id }) => id === value);
  if (index === -1) return value === "" ? at(0) : nowhere("/before", "there is no other rule of this id");
  return at(index);
};

/** The empty text means the last place. */
const after: Find = (value, others) => {
  const index = others.findIndex(({ id }) => id === value);
  if (index === -1)
    return value === "" ? at(others.length) : nowhere("/after", "there is no other rule of this id");
  return at(index + 1);
};

/** The first rule has the index 1. */
const byIndex: Find = (value, others) =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= others.length + 1
    ? at(value - 1)
    : nowhere("/index", `must be a whole number from 1 to ${others.length + 1}`);

const forms: ReadonlyMap<string, Find> = new Map([
  ["before", before],
  ["after", after],
  ["index", byIndex],
]);

function at(index: number): Place {
  return { index, errors: [] };
}

function nowhere(field: string, message: string): Place {
  return { index: 0, errors: [fieldError(`position${field}`, message)] };
}
