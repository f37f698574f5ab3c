import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import {
  createEmulator,
  type Dialect,
  type Emulator,
  type EmulatorOptions,
  type Seed,
} from "../emulator/index.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { type Arguments, EXIT, type Run } from "./command.js";
import { refuse } from "./show.js";

export const run: Run = async (args, terminal) => {
  const stop = terminal.catchSignals();
  const emulator = await start(args, terminal.cwd);
  if (!emulator.ok) return refuse(emulator.problems, args, terminal);
  const { url, token, email, key, account_id, zones, close } = emulator.value;
  terminal.out(`${JSON.stringify({ url, token, email, key, account_id, zones })}\n`);
  await aborted(stop);
  await close();
  return EXIT.done;
};

async function start(args: Arguments, cwd: string): Promise<Result<Emulator>> {
  const port = Number(args.text("port") ?? "0");
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return failed(
      problem("bad_flag", "Not a port", `--port is ${args.text("port")}; it takes a number from 0 to 65535.`),
    );
  }
  const file = (flag: string) => {
    const named = args.text(flag);
    return named === undefined ? undefined : path.resolve(cwd, named);
  };
  const [seedFile, stateFile, logFile] = [file("seed"), file("state"), file("log")];
  const seed = seedFile === undefined ? ok(undefined) : readSeed(String(args.text("seed")), seedFile);
  if (!seed.ok) return seed;
  const options: EmulatorOptions = {
    port,
    dialect: (args.text("dialect") ?? "service") as Dialect, // one of the choices of the flag
    ...(seed.value === undefined ? {} : { seed: seed.value }),
    ...(stateFile === undefined ? {} : { stateFile }),
    ...(logFile === undefined
      ? {}
      : { onRequest: (entry) => appendFileSync(logFile, `${JSON.stringify(entry)}\n`) }),
  };
  try {
    return ok(await createEmulator(options));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // the emulator and node:net throw errors
    if (code === "EADDRINUSE") {
      return failed(
        cannotStart(`Port ${port} is in use. Name another with --port, or leave it out for any free one.`),
      );
    }
    return failed(cannotStart(message.replace(/^The emulator cannot start\.\n/, "").replaceAll("\n", " ")));
  }
}

/** Its shape is checked by the emulator. */
function readSeed(named: string, file: string): Result<Seed> {
  try {
    return ok(parse(readFileSync(file, "utf8")) as Seed); // createEmulator checks it
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // node:fs and the parser throw errors
    const why = code === "ENOENT" ? "there is no such file" : (message.split("\n")[0] ?? message);
    return failed(cannotStart(`The seed ${named} cannot be read: ${why}`));
  }
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
