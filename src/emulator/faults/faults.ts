import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { failed, ok, type Problem, problem, type Result } from "../../model/problem.js";
import { suggest } from "../../model/suggest.js";
import { type Check, checkObject, checkOneOf, child, seedProblem } from "../checks.js";
import { checkEdit } from "../edits.js";
import type { Edit } from "../resources/index.js";
import type { Store } from "../resources/resource.js";
import { type FaultName, faultNames, timed } from "./table.js";

/** What is to go wrong. Requests are counted from when this is armed. */
export interface Faults {
  /** 1 when absent. With the same one, the same requests are struck by chance. */
  readonly seed?: number;
  /** Where several faults fall on one request, the one that stands first strikes. Edits are all made. */
  readonly schedule?: readonly Scheduled[];
  /** Where the schedule has no fault for a request. */
  readonly rates?: readonly Rated[];
}

export const NO_FAULTS: Faults = {};

/** Strikes one request: the nth that fits, counted from 1; the first when absent. */
export type Scheduled = Requests & Strike & { readonly nth?: number };

/** Strikes each request that fits with a chance from 0 to 1. */
export type Rated = Requests & Strike & { readonly chance: number };

/** Which requests fit; all of them where nothing is said. Refused ones count too. */
export interface Requests {
  /** GET, POST, PUT, PATCH, DELETE, or `write`: all but reads. */
  readonly method?: (typeof methods)[number];
  /** The path after the base, without the query; `*` stands for any characters, slashes too. */
  readonly path?: string;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "write"] as const;

/** What happens to a request, or around it. */
export type Strike =
  | {
      readonly fault: FaultName;
      /** How long a pause the answer asks for, or how long its body takes; 1 when absent. */
      readonly seconds?: number;
    }
  /** Somebody else's change right before the request, or right after it. */
  | { readonly before: Edit }
  | { readonly after: Edit };

/** All edits that may be made. */
function editsIn({ schedule = [], rates = [] }: Faults): readonly Edit[] {
  return [...schedule, ...rates].flatMap((each) => {
    if ("before" in each) return [each.before];
    return "after" in each ? [each.after] : [];
  });
}

/** All of them; what stands first goes first, and the first seed holds. */
export function together(all: readonly Faults[]): Faults {
  const seed = all.find((each) => each.seed !== undefined)?.seed;
  return {
    ...(seed === undefined ? {} : { seed }),
    schedule: all.flatMap(({ schedule = [] }) => schedule),
    rates: all.flatMap(({ rates = [] }) => rates),
  };
}

/** Faults as somebody wrote them, checked; every problem's detail begins with the JSON pointer of its place. */
export function checkFaults(value: Json): Result<Faults> {
  const problems = checkTop(value, "").map(({ detail }) => faultsProblem(detail));
  if (problems.length > 0) return failed(...problems);
  return isFaults(value) ? ok(value) : failed(faultsProblem("an object is expected."));
}

function faultsProblem(detail: string): Problem {
  return problem("invalid_faults", "The emulator's faults are not valid", detail);
}

const checkSeed: Check = (value, pointer) =>
  Number.isSafeInteger(value) ? [] : [seedProblem(pointer, "a whole number is expected here.")];

const checkNth: Check = (value, pointer) =>
  Number.isSafeInteger(value) && Number(value) >= 1
    ? []
    : [seedProblem(pointer, "requests are counted from 1, in whole numbers.")];

const checkChance: Check = (value, pointer) =>
  typeof value === "number" && value >= 0 && value <= 1
    ? []
    : [seedProblem(pointer, "a chance is a number from 0 to 1.")];

const checkPath: Check = (value, pointer) =>
  typeof value === "string" && /^[/*]/.test(value)
    ? []
    : [seedProblem(pointer, "a path begins with / or *; * stands for any characters.")];

const checkFault: Check = (value, pointer) => {
  if (isFaultName(value)) return [];
  const close = typeof value === "string" ? suggest(value, faultNames) : null;
  const advice = close === null ? "" : ` Did you mean ${close}?`;
  return [
    seedProblem(pointer, `this is not the name of a fault.${advice} There are ${faultNames.join(", ")}.`),
  ];
};

const MAX_SECONDS = 86_400;

const checkSeconds: Check = (value, pointer) =>
  typeof value === "number" && value >= 0 && value <= MAX_SECONDS
    ? []
    : [seedProblem(pointer, `a number from 0 to ${MAX_SECONDS} is expected here.`)];

const fields: readonly (readonly [field: string, check: Check])[] = [
  ["method", checkOneOf(methods)],
  ["path", checkPath],
  ["fault", checkFault],
  ["seconds", checkSeconds],
  ["before", checkEdit],
  ["after", checkEdit],
];

const checkScheduled = checkEntry(checkObject(new Map([["nth", checkNth], ...fields])));

const checkRated = checkEntry(checkObject(new Map([["chance", checkChance], ...fields])), "chance");

/** @param required a field that each entry has */
function checkEntry(checkFields: Check, required?: string): Check {
  return (value, pointer) => {
    if (!isObject(value)) return checkFields(value, pointer);
    const isMissing = required !== undefined && value[required] === undefined;
    return [
      ...checkFields(value, pointer),
      ...(isMissing ? [seedProblem(pointer, `the field "${required}" is missing.`)] : []),
      ...checkStrike(value, pointer),
    ];
  };
}

function checkStrike(entry: JsonObject, pointer: string): readonly Problem[] {
  const strikes = ["fault", "before", "after"].filter((field) => entry[field] !== undefined);
  const { fault, seconds } = entry;
  const isTimed = isFaultName(fault) && timed.has(fault);
  return [
    ...(strikes.length === 1
      ? []
      : [seedProblem(pointer, "an entry has one of these: fault, before, after.")]),
    ...(seconds === undefined || isTimed
      ? []
      : [
          seedProblem(child(pointer, "seconds"), `only these faults have seconds: ${[...timed].join(", ")}.`),
        ]),
  ];
}

function isFaultName(value: Json | undefined): value is FaultName {
  return faultNames.some((name) => name === value);
}

function checkListOf(checkEach: Check): Check {
  return (value, pointer) =>
    isList(value)
      ? value.flatMap((each, index) => checkEach(each, child(pointer, index)))
      : [seedProblem(pointer, "a list is expected here.")];
}

const checkTop = checkObject(
  new Map([
    ["seed", checkSeed],
    ["schedule", checkListOf(checkScheduled)],
    ["rates", checkListOf(checkRated)],
  ]),
);

/** Only called for what has passed the checks above, which look at every member. */
function isFaults(value: Json): value is Json & Faults {
  return isObject(value);
}

/**
 * A fault in one line: `[WHEN] [METHOD] [PATH]: FAULT [SECONDS]`, where WHEN is a number (`2`: the second request that
 * fits) or a chance (`5%`). What is left out says nothing, as in the long form: `reset-after` strikes the first request.
 */
export function readShortForm(text: string): Result<Faults> {
  const [, requests = "", strike = ""] = /^(?:(.*):)?([^:]*)$/s.exec(text) ?? [];
  const [fault = "", seconds, ...more] = wordsOf(strike);
  const said = wordsOf(requests).map(meaningOf);
  const known = said.filter((each) => each !== null);
  const parts = known.map(([field]) => (field === "chance" ? "nth" : field));
  if (known.length < said.length || new Set(parts).size < parts.length || more.length > 0)
    return failed(faultsProblem(`"${text}" is not of the form [WHEN] [METHOD] [PATH]: FAULT [SECONDS].`));
  const entry: JsonObject = {
    ...Object.fromEntries(known),
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

/** The field that a word stands for, by its form; null: none. */
function meaningOf(word: string): readonly [field: string, value: Json] | null {
  if (/^\d+$/.test(word)) return ["nth", Number(word)];
  if (/^\d+(\.\d+)?%$/.test(word)) return ["chance", Number(word.slice(0, -1)) / 100];
  if (/^[/*]/.test(word)) return ["path", word];
  return methods.some((method) => method === word) ? ["method", word] : null;
}

/** A line has no places. */
function withoutPlace(detail: string): string {
  return detail.replace(/^At [^:]*: /, "");
}

/** Faults, checked as what they are, JSON; and whether the zones that they name are there. */
export function faultsFor(store: Store, given: Faults): Result<Faults> {
  const checked = checkFaults(JSON.parse(JSON.stringify(given)));
  if (!checked.ok) return checked;
  const lost = editsIn(checked.value).filter(({ zone }) => !store.byName.has(zone.toLowerCase()));
  if (lost.length === 0) return ok(checked.value);
  return failed(
    ...lost.map(({ zone }) =>
      faultsProblem(`An edit names the zone ${zone}, and there is none of that name.`),
    ),
  );
}
