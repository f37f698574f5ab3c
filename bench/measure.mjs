import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const USAGE = fileURLToPath(new URL("usage.cjs", import.meta.url));

/**
 * Runs the jobs in turn, and returns the cost of each job in each round. A job has a name and the arguments for node, and must
 * exit with 0.
 *
 * @param cwd the folder of the jobs; by default the current one
 */
export async function measure(rounds, jobs, environment = {}, cwd = process.cwd()) {
  const samples = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(jobs))
      samples[name].push(await runOnce(args, environment, cwd));
  }
  return samples;
}

/**
 * The milliseconds of a shell command with all of its processes, and its exit code. The command must print nothing, because the
 * times are read from the shell's output.
 */
export async function measureShell(command, environment = {}, cwd = process.cwd()) {
  const startMs = performance.now();
  const child = spawn("sh", ["-c", `${command}\ncode=$?; times; exit $code`], {
    cwd,
    env: { ...process.env, NO_PROXY: "127.0.0.1", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [code]] = await Promise.all([textOf(child.stdout), once(child, "exit")]);
  const wallMs = performance.now() - startMs;
  // The first line is the shell's own time.
  const [, children] = said.trim().split("\n");
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  const cpuMs = parts.reduce((all, [, minutes, seconds]) => all + 60_000 * minutes + 1000 * seconds, 0);
  return { code, wallMs, cpuMs };
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
