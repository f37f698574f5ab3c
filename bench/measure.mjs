import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const USAGE = fileURLToPath(new URL("usage.cjs", import.meta.url));

/**
 * Runs the jobs in turn, so many rounds, and gives what each took in each round. A job is a name with the arguments
 * for node; it has to exit with 0.
 *
 * @param cwd where they run: here, unless it says
 */
export async function measure(rounds, jobs, environment = {}, cwd = process.cwd()) {
  const samples = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(jobs))
      samples[name].push(await runOnce(args, environment, cwd));
  }
  return samples;
}

/** One run: wall time and processor time in milliseconds, peak memory in bytes. */
async function runOnce(args, environment, cwd) {
  const startMs = performance.now();
  const child = spawn(process.execPath, ["--require", USAGE, ...args], {
    cwd,
    env: { ...process.env, NO_PROXY: "127.0.0.1", ...environment },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const [, , stderr, usage] = child.stdio.map((stream) => stream && textOf(stream));
  const [code] = await once(child, "exit");
  const wallMs = performance.now() - startMs;
  if (code !== 0) throw new Error(`node ${args.join(" ")} exited with ${code}:\n${await stderr}`);
  return { wallMs, ...JSON.parse(await usage) };
}

async function textOf(stream) {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += chunk;
  return text;
}
