import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { CLI, zoneward } from "./cli.js";

export interface ShellProgram {
  /** The folder of the command. */
  readonly bin: string;
  /** The command. */
  readonly command: string;
  close(): Promise<void>;
}

/**
 * A command `zoneward` for shell scripts. It runs the program in this process, which takes a tenth of the time of a new one.
 * At a terminal, each question is answered with yes. Only the emulator is a process, because scripts leave it in the
 * background.
 */
export async function shellProgram(): Promise<ShellProgram> {
  const bin = await mkdtemp(path.join(tmpdir(), "zoneward-bin-"));
  const server = createServer(async (socket) => {
    for await (const folder of createInterface(socket)) socket.end(`${await ran(folder)}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  const command = path.join(bin, "zoneward");
  await writeFile(command, script(port));
  await chmod(command, 0o755);
  return {
    bin,
    command,
    async close() {
      server.close();
      await rm(bin, { recursive: true });
    },
  };
}

/** Passes arguments, environment and input to the port in the files of a folder, and prints what it finds there afterwards. */
function script(port: number): string {
  return `#!/usr/bin/env bash
[ "$1" = emulator ] && exec "${process.execPath}" "${CLI}" "$@"
at=$(mktemp -d)
[ -t 0 ] && answer=yes
printf '%s\\0' "$PWD" "\${answer-}" "$@" > "$at/arguments"
env -0 > "$at/environment"
input=/dev/null
for each; do [ "$each" = - ] && input=/dev/stdin; done
cat "$input" > "$at/input"
exec 3<>/dev/tcp/127.0.0.1/${port}
echo "$at" >&3
read -r code <&3
cat "$at/out"
cat "$at/err" >&2
rm -r "$at"
exit "$code"
`;
}

/** The exit code of the program that a folder asks for. */
async function ran(folder: string): Promise<number | null> {
  const textsIn = async (name: string) =>
    (await readFile(path.join(folder, name), "utf8")).split("\0").slice(0, -1);
  const [cwd = "", answer = "", ...args] = await textsIn("arguments");
  const variables = (await textsIn("environment")).map((each) => each.split(/=(.*)/s).slice(0, 2));
  const { code, out, err } = await zoneward(args, {
    cwd,
    env: Object.fromEntries(variables),
    input: await readFile(path.join(folder, "input")),
    ...(answer === "" ? {} : { answer }),
  });
  await writeFile(path.join(folder, "out"), out);
  await writeFile(path.join(folder, "err"), err);
  return code;
}
