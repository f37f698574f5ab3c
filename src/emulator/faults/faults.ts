import { suggest } from "../../model/did-you-mean.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../../model/problem.js";
import { type FieldError, fieldError } from "../answer.js";
import {
  type Check,
  type Checks,
  checkCount,
  checkListOf,
  checkObject,
  checkOneOf,
  child,
  must,
  ofObject,
  placed,
} from "../checks.js";
import { checkEdit } from "../edits.js";
import type { Edit } from "../resources/index.js";
import type { Store } from "../resources/resource.js";
import { type FaultName, faultNames, timed } from "./table.js";

/** Faults and edits. Requests are counted from when they are armed. */
export interface Faults {
  /** Default: 1. The same seed strikes the same requests. */
  readonly seed?: number;
  /** Of several faults for one request, the first strikes. All edits are made. */
  readonly schedule?: readonly Scheduled[];
  /** For requests without a scheduled fault. */
  readonly rates?: readonly Rated[];
}

export const NO_FAULTS: Faults = {};

/** Strikes the nth matching request, from 1. Default: the first. */
export type Scheduled = Requests & Strike & { readonly nth?: number };

/** Strikes each matching request with a chance from 0 to 1. */
export type Rated = Requests & Strike & { readonly chance: number };

/** The matching requests; by default all. Refused requests count too. */
export interface Requests {
  /** GET, POST, PUT, PATCH, DELETE, or `write`: all but reads. */
  readonly method?: (typeof methods)[number];
  /** Relative to the base, without the query; `*` matches any characters, slashes too. */
  readonly path?: string;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "write"] as const;

/** A fault of a request, or an edit around it. */
export type Strike =
  | {
      readonly fault: FaultName;
      /** The pause that the answer asks for, or the duration of its body. Default: 1. */
      readonly seconds?: number;
    }
  /** A change by another client right before the request, or right after it. */
  | { readonly before: Edit }
  | { readonly after: Edit };

function editsIn({ schedule = [], rates = [] }: Faults): readonly Edit[] {
  return [...schedule, ...rates].flatMap((entry) => {
    if ("before" in entry) return [entry.before];
    return "after" in entry ? [entry.after] : [];
  });
}

/** Joins faults in order. The first seed counts. */
export function together(list: readonly Faults[]): Faults {
  const seed = list.find((each) => each.seed !== undefined)?.seed;
  return {
    ...(seed === undefined ? {} : { seed }),
    schedule: list.flatMap(({ schedule = [] }) => schedule),
    rates: list.flatMap(({ rates = [] }) => rates),
  };
}

/** Checks faults from a file. Each problem's detail starts with the JSON pointer of its place. */
export function checkFaults(value: Json): Result<Faults> {
  const errors = checkTop(value, "");
  if (errors.length > 0)
    return failed(...errors.map(({ message, source }) => faultsProblem(placed(message, source.pointer))));
  return isFaults(value) ? ok(value) : failed(faultsProblem("the faults must be an object."));
}

function faultsProblem(detail: string): Problem {
  return problem("invalid_faults", "The emulator's faults are not valid", detail);
}

const checkChance = must("a chance must be a number from 0 to 1.", (value) => isWithin(value, 1));

const checkFault: Check = (value, pointer) => {
  if (isFaultName(value)) return [];
  const close = typeof value === "string" ? suggest(value, faultNames) : null;
  const advice = close === null ? "" : ` Did you mean ${close}?`;
  return [fieldError(pointer, `unknown fault.${advice} Known faults: ${faultNames.join(", ")}.`)];
};

const MAX_SECONDS = 86_400;

function isWithin(value: Json, most: number): boolean {
  return typeof value === "number" && value >= 0 && value <= most;
}

const checks: Checks = {
  method: checkOneOf(methods),
  path: must(
    "a path must begin with / or *. A * matches any characters.",
    (value) => typeof value === "string" && /^[/*]/.test(value),
  ),
  fault: checkFault,
  seconds: must(`must be a number from 0 to ${MAX_SECONDS}.`, (value) => isWithin(value, MAX_SECONDS)),
  before: checkEdit,
  after: checkEdit,
};

const checkScheduled = checkEntry({ nth: checkCount, ...checks });

const checkRated = checkEntry({ chance: checkChance, ...checks }, "chance");

/** @param required a field that each entry must have */
function checkEntry(checks: Checks, required?: string): Check {
  const checkFields = checkObject(checks);
  return ofObject((entry, pointer) => {
    const isMissing = required !== undefined && entry[required] === undefined;
    return [
      ...checkFields(entry, pointer),
      ...(isMissing ? [fieldError(pointer, `the field "${required}" is missing.`)] : []),
      ...checkStrike(entry, pointer),
    ];
  });
}

function checkStrike({ fault, before, after, seconds }: JsonObject, pointer: string): readonly FieldError[] {
  const strikes = [fault, before, after].filter((each) => each !== undefined);
  const isTimed = seconds === undefined || (isFaultName(fault) && timed.has(fault));
  const only = `only these faults can have seconds: ${[...timed].join(", ")}.`;
  return [
    ...(strikes.length === 1
      ? []
      : [fieldError(pointer, "an entry needs exactly one of these: fault, before, after.")]),
    ...(isTimed ? [] : [fieldError(child(pointer, "seconds"), only)]),
  ];
}

function isFaultName(value: Json | undefined): value is FaultName {
  return faultNames.some((name) => name === value);
}

const checkTop = checkObject({
  seed: must("must be a whole number.", Number.isSafeInteger),
  schedule: checkListOf(checkScheduled),
  rates: checkListOf(checkRated),
});

/** Only called after the checks above, which look at every member. */
function isFaults(value: Json): value is Json & Faults {
  return isObject(value);
}

/**
 * Reads `[WHEN] [METHOD] [PATH]: FAULT [SECONDS]`. WHEN is a number (`2`: the second matching request) or a chance
 * (`5%`). Omitted parts have the defaults of the long form: `reset-after` strikes the first request.
 */
export function readShortForm(text: string): Result<Faults> {
  const [, requests = "", strike = ""] = /^(?:(.*):)?([^:]*)$/s.exec(text) ?? [];
  const [fault = "", seconds, ...more] = wordsOf(strike);
  const words = wordsOf(requests).map(meaningOf);
  const pairs = words.filter((each) => each !== null);
  const parts = pairs.map(([field]) => (field === "chance" ? "nth" : field));
  if (pairs.length < words.length || new Set(parts).size < parts.length || more.length > 0)
    return failed(faultsProblem(`"${text}" does not have the form [WHEN] [METHOD] [PATH]: FAULT [SECONDS].`));
  const entry: JsonObject = {
    ...Object.fromEntries(pairs),
    fault,
    ...(seconds === undefined ? {} : { seconds: Number(seconds) }),
  };
  const checked = checkFaults("chance" in entry ? { rates: [entry] } : { schedule: [entry] });
  if (checked.ok) return checked;
  return failed(...checked.problems.map(({ detail }) => faultsProblem(`"${text}": ${withoutPlace(detail)}`)));
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** The field and value of a word, by its form; null: none. */
function meaningOf(word: string): readonly [field: string, value: Json] | null {
  if (/^\d+$/.test(word)) return ["nth", Number(word)];
  if (/^\d+(\.\d+)?%$/.test(word)) return ["chance", Number(word.slice(0, -1)) / 100];
  if (/^[/*]/.test(word)) return ["path", word];
  return methods.some((method) => method === word) ? ["method", word] : null;
}

/** Removes the place: a single line needs none. */
function withoutPlace(detail: string): string {
  return detail.replace(/^At [^:]*: /, "");
}

/** Checks faults as JSON, and that their zones exist. */
export function faultsFor(store: Store, requested: Faults): Result<Faults> {
  const checked = checkFaults(JSON.parse(JSON.stringify(requested)));
  if (!checked.ok) return checked;
  const lost = editsIn(checked.value).filter(({ zone }) => !store.byName.has(zone.toLowerCase()));
  if (lost.length === 0) return ok(checked.value);
  return failed(...lost.map(({ zone }) => faultsProblem(`An edit names the unknown zone ${zone}.`)));
}
