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
import { failed, ok, problem, type Result } from "../model/problem.js";
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
  try {
    const options: EmulatorOptions = {
      port,
      dialect: (args.text("dialect") ?? "service") as Dialect, // one of the choices of the flag
      ...(seedFile === undefined ? {} : { seed: parse(readFileSync(seedFile, "utf8")) as Seed }), // createEmulator checks it
      ...(stateFile === undefined ? {} : { stateFile }),
      ...(logFile === undefined
        ? {}
        : { onRequest: (entry) => appendFileSync(logFile, `${JSON.stringify(entry)}\n`) }),
    };
    return ok(await createEmulator(options));
  } catch (error) {
    // The emulator's own refusals, and files that cannot be read: both say what to do.
    return failed(
      problem(
        "emulator",
        "The emulator cannot start",
        error instanceof Error ? error.message : String(error),
      ),
    );
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
