import { codeOf, readRegularFile, replaceFile } from "../disk/files.js";
import type { Json } from "../model/json.js";
import { jsonText, MAX_LEVELS, parseJson } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Seed } from "./resources/index.js";
import { checkSeed } from "./seed.js";

const STATE_LIMIT_BYTES = 256 * 1024 * 1024;

/** The state in a file; null: no file yet. */
export function loadState(file: string): Result<Seed | null> {
  const text = readState(file);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const json = parseState(file, text.value);
  if (!json.ok) return json;
  const seed = checkSeed(json.value);
  return seed.ok ? seed : failed(...seed.problems.map((each) => inFile(file, each)));
}

function readState(file: string): Result<string | null> {
  const read = readRegularFile(file, STATE_LIMIT_BYTES);
  if (read.as === "file") return ok(read.bytes.toString("utf8"));
  if (read.as === "failed")
    return read.code === "ENOENT"
      ? ok(null)
      : failed(stateProblem(file, `it cannot be read (${read.code}).`));
  const wrong =
    read.as === "too large" ? `it is larger than ${STATE_LIMIT_BYTES} bytes.` : "it is not a file.";
  return failed(stateProblem(file, wrong));
}

function parseState(file: string, text: string): Result<Json> {
  const parsed = parseJson(text);
  if (parsed.as === "json") return ok(parsed.value);
  const wrong = {
    "too deep": `is nested more than ${MAX_LEVELS} levels deep`,
    "shadowing key": "has a key that cannot be used",
    "not json": "is not JSON",
  }[parsed.as];
  return failed(stateProblem(file, `it ${wrong}. Remove it to start from the seed.`));
}

function inFile(file: string, reason: Problem): Problem {
  return { ...reason, detail: `In ${file}: ${reason.detail}` };
}

/**
 * Replaces the file atomically, so that no reader or killed emulator leaves half a state. It blocks until the effect of
 * a request is stored. The time grows with the number of zones: for thousands of zones, keep the state in memory.
 */
export function saveState(file: string, state: Seed): Problem | null {
  try {
    replaceFile(file, jsonText(state), 0o600);
    return null;
  } catch (cause) {
    return stateProblem(file, `it cannot be written (${codeOf(cause)}).`);
  }
}

function stateProblem(file: string, cause: string): Problem {
  return problem(
    "broken_state_file",
    "The emulator's state file cannot be used",
    `The state file ${file} cannot be used: ${cause}`,
  );
}
