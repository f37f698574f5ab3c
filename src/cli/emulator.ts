import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { REDACTED, withoutSecrets } from "../api/redact.js";
import { codeOf } from "../disk/files.js";
import { whyNotWritten } from "../disk/place.js";
import {
  checkFaults,
  createEmulator,
  type Dialect,
  type Edited,
  type Emulator,
  type EmulatorOptions,
  type Faults,
  type LoggedRequest,
  NO_FAULTS,
  type PlanChoice,
  planNames,
  readPlan,
  readShortForm,
  type Seed,
  together,
} from "../emulator/index.js";
import { isCredentialName } from "../model/credential-names.js";
import { isList, isObject, type Json } from "../model/json.js";
import { jsonLine } from "../model/json-text.js";
import { allOf, failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { plain } from "../render/safe-text.js";
import { EXIT } from "../run/exit-codes.js";
import type { Arguments, Run, Terminal } from "./command.js";

export const run: Run = async (args, terminal) => {
  const stop = terminal.signals.caught();
  const emulator = await start(args, terminal);
  if (!emulator.ok) return emulator;
  const logs = args.text("logs");
  if (logs !== undefined) {
    const { writeLogs } = await import("./made-up-logs.js");
    const result = await writeLogs(path.resolve(terminal.cwd, logs), emulator.value.state(), new Date());
    if (!result.ok) {
      await emulator.value.close();
      return result;
    }
  }
  const { url, token, email, key, account_id, zones, close } = emulator.value;
  terminal.out(jsonLine({ url, token, email, key, account_id, zones }));
  await aborted(stop);
  await close();
  return EXIT.done;
};

async function start(args: Arguments, terminal: Terminal): Promise<Result<Emulator>> {
  const port = Number(args.text("port") ?? "0");
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    const detail = `--port is ${args.text("port")}. Pass a number from 0 to 65535.`;
    return failed(problem("bad_flag", "--port is not a port", detail));
  }
  const file = (flag: string) => {
    const name = args.text(flag);
    return name === undefined ? undefined : path.resolve(terminal.cwd, name);
  };
  const stateFile = file("state");
  const read = allOf([
    readSeed(args, terminal.cwd),
    readFaults(args, terminal.cwd),
    readPlans(args.texts("plan")),
    openLog(file("log")),
  ]);
  if (!read.ok) return read;
  const [seed, faults, plans, log] = read.value;
  const options: EmulatorOptions = {
    port,
    dialect: (args.text("dialect") ?? "service") as Dialect, // one of the choices of the flag
    faults,
    plans,
    without: args.texts("without"),
    ...(seed === undefined ? {} : { seed }),
    ...(stateFile === undefined ? {} : { stateFile }),
    onRequest(entry) {
      const unwritten = log(jsonLine(loggable(entry)));
      terminal.err(`${unwritten}${wentWrong(entry)}`);
    },
  };
  try {
    return ok(await createEmulator(options));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // the emulator and node:net throw errors
    if (code === "EADDRINUSE") {
      return failed(cannotStart(`Port ${port} is in use. Pass another --port, or none for any free port.`));
    }
    return failed(cannotStart(message.replace(/^The emulator cannot start\.\n/, "").replaceAll("\n", " ")));
  }
}

/** A function that appends to the log, and returns an error text once the log cannot be written any more. */
function openLog(file: string | undefined): Result<(line: string) => string> {
  if (file === undefined) return ok(() => "");
  const append = (text: string): string | null => {
    try {
      appendFileSync(file, text);
      return null;
    } catch (error) {
      return `Writing the log ${file} ${whyNotWritten(codeOf(error))}`;
    }
  };
  const why = append("");
  if (why !== null) return failed(cannotStart(why));
  let isLost = false;
  return ok((line) => {
    const lost = isLost ? null : append(line);
    isLost ||= lost !== null;
    return lost === null ? "" : `zoneward: error: ${plain(lost)} No more requests are logged.\n`;
  });
}

function readSeed(args: Arguments, cwd: string): Result<Seed | undefined> {
  const file = args.text("seed");
  if (file === undefined) return ok(undefined);
  const value = readYaml("seed", file, cwd);
  return value.ok ? ok(value.value as unknown as Seed) : value; // createEmulator checks it
}

function readPlans(texts: readonly string[]): Result<readonly PlanChoice[]> {
  const choices = `${planNames.slice(0, -1).join(", ")} or ${planNames.at(-1)}`;
  const read = texts.map((text) => {
    const plan = readPlan(text);
    if (plan !== null) return ok(plan);
    const detail = `--plan is ${text}. Pass ${choices}, or ZONE=PLAN for one zone.`;
    return failed(problem("bad_flag", "--plan is not a plan", detail));
  });
  return allOf(read);
}

/** Faults from the file, then from flags. */
function readFaults(args: Arguments, cwd: string): Result<Faults> {
  const file = args.text("faults");
  const faults = allOf([
    file === undefined ? ok(NO_FAULTS) : faultsIn(file, cwd),
    ...args.texts("fault").map((text) => readShortForm(text)),
  ]);
  return faults.ok ? ok(together(faults.value)) : faults;
}

function faultsIn(file: string, cwd: string): Result<Faults> {
  const value = readYaml("faults", file, cwd);
  if (!value.ok) return value;
  const checked = checkFaults(value.value);
  if (checked.ok) return checked;
  return failed(...checked.problems.map((each) => ({ ...each, detail: `In ${file}: ${each.detail}` })));
}

function readYaml(noun: "seed" | "faults", file: string, cwd: string): Result<Json> {
  try {
    return ok(parse(readFileSync(path.resolve(cwd, file), "utf8")));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // node:fs and the parser throw errors
    const why = code === "ENOENT" ? "the file does not exist" : (message.split("\n")[0] ?? message);
    return failed(cannotStart(`The ${noun} ${file} cannot be read: ${why}`));
  }
}

/** The fault and edits of a request, for stderr; mostly nothing. */
function wentWrong({ method, path, fault, edits = [], tookEffect }: LoggedRequest): string {
  const request = plain(`${method} ${path}`);
  const effect = tookEffect ? " (took effect)" : " (no effect)";
  return [
    ...(fault === undefined ? [] : [`${request}: ${fault}${method === "GET" ? "" : effect}\n`]),
    ...edits.map((each) => `${request}: ${editText(each)}\n`),
  ].join("");
}

function editText({ when, edit, calls }: Edited): string {
  const refused = calls.filter(({ status }) => status >= 300).length;
  const outcome = refused > 0 ? `${refused} refused` : `${calls.length} changed`;
  return `${when} it, an edit of ${edit.edit} in ${plain(edit.zone)} (${outcome})`;
}

function cannotStart(detail: string): Problem {
  return problem("emulator", "The emulator cannot start", detail);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A request without its secrets, for a log file. */
export function loggable(request: LoggedRequest): Json {
  const { response } = request;
  // A response as text was damaged by a fault.
  const safe = typeof response === "string" ? { ...request, response: withoutSecrets(response) } : request;
  const entry = JSON.parse(JSON.stringify(safe)) as Json; // what JSON.parse gives is JSON
  return hidden(entry, secretsIn(entry));
}

/** Texts under names of credentials. */
function secretsIn(value: Json, name = ""): readonly string[] {
  if (typeof value === "string") return isCredentialName(name, "parameter") && value !== "" ? [value] : [];
  if (isList(value)) return value.flatMap((each) => secretsIn(each, name));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => secretsIn(each, key)) : [];
}

function hidden(value: Json, secrets: readonly string[], name = ""): Json {
  if (typeof value === "string") {
    const bare = secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), value);
    return IN_WORDS.test(name) ? withoutSecrets(bare) : bare;
  }
  if (isList(value)) return value.map((each) => hidden(each, secrets, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hidden(each, secrets, key)]));
}

/** Free text may repeat a secret that was live before. */
const IN_WORDS = /error|message/;
