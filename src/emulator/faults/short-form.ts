import type { Json, JsonObject } from "../../model/json.js";
import { failed, type Result } from "../../model/problem.js";
import { checkFaults, faultsProblem } from "./check.js";
import { type Faults, methods } from "./faults.js";

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
