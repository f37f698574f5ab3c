import { spawn } from "node:child_process";
import { once } from "node:events";
import { createEmulator } from "zoneward";

/** Runs `use` with the environment of an emulator. Its fixed clock gives equal plans equal digests. */
export async function onEmulator(seed, use) {
  const emulator = await createEmulator({ seed, now: () => new Date("2026-01-01T00:00:00Z") });
  try {
    return await use({
      PATH: process.env.PATH,
      CLOUDFLARE_API_TOKEN: emulator.token,
      CLOUDFLARE_BASE_URL: emulator.url,
    });
  } finally {
    await emulator.close();
  }
}

/** The standard output of a program. Throws when the program fails. */
export async function outputOf(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const out = [];
  const said = [];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => said.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${Buffer.concat(said)}`);
  return Buffer.concat(out).toString();
}
