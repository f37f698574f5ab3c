import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Runs the built emulator as a process while `use` works with it. */
export async function withEmulator(args, use) {
  const child = spawn(process.execPath, ["dist/cli.js", "emulator", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const ready = once(createInterface(child.stdout), "line");
    const [line] = await Promise.race([
      ready,
      ended.then(() => Promise.reject(new Error("The emulator did not start."))),
    ]);
    const { url, token } = JSON.parse(line);
    return await use({ CLOUDFLARE_BASE_URL: url, CLOUDFLARE_API_TOKEN: token });
  } finally {
    child.kill();
    await ended;
  }
}
