import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createEmulator, type ZoneSeed } from "../../src/index.js";
import { type RunOptions, reaching, zoneward, zonewardProcess } from "../support/cli.js";

const ZONE = "shop.example.com";

/** A policy that protects the zone. */
export function configOf(action: "allow" | "log", guardrails = ""): string {
  return `version: 1
${guardrails}zones:
  ${ZONE}:
    policies:
      - { description: A, action: ${action}, expression: "true", value: "script-src 'self'" }
`;
}

export const FORBIDS = "guardrails: { forbid: [weakens] }\n";

/** The zone in the base files. */
export const LIVE: ZoneSeed = {
  policies: [
    {
      id: "1".repeat(32),
      description: "A",
      action: "allow",
      enabled: true,
      expression: "true",
      value: "script-src 'self'",
    },
  ],
};

/** A folder that is removed when the test ends, by its real path. */
export async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(path.join(tmpdir(), "zoneward-hostile-")));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Files by name. A text `→ x` makes a link to x. */
export type Content = Readonly<Record<string, string>>;

export async function write(top: string, content: Content): Promise<void> {
  for (const [name, text] of Object.entries(content)) {
    const file = path.join(top, name);
    await mkdir(path.dirname(file), { recursive: true });
    await rm(file, { force: true, recursive: true });
    if (text.startsWith("→ ")) await symlink(text.slice(2), file);
    else await writeFile(file, text);
  }
}

export interface Entry {
  readonly mode: "100644" | "120000" | "40000";
  readonly name: string;
  readonly id: string;
}

/** A repository, with a way to make objects that git's own commands refuse to make. */
export async function repository(content: Content = {}) {
  const top = await folder();
  const run = (input: Buffer | string, ...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: top,
      input,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
      env: { PATH: process.env.PATH ?? "", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    }).trim();
  const git = (...args: readonly string[]) => run("", ...args);
  const commitAll = async (more: Content) => {
    await write(top, more);
    git("add", "-A", "-f");
    git("commit", "-q", "--allow-empty", "-m", "files");
    return git("rev-parse", "HEAD");
  };
  const tree = (entries: readonly Entry[]) => {
    const bytes = entries.map(({ mode, name, id }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]),
    );
    return run(Buffer.concat(bytes), "hash-object", "-w", "-t", "tree", "--literally", "--stdin");
  };
  const commitTree = (id: string) => git("commit-tree", "-m", "crafted", id);
  /** The last commit with a signature by nobody. */
  const signed = () => {
    const [head = "", message] = git("cat-file", "commit", "HEAD").split("\n\n");
    const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----";
    return run(`${head}\n${signature}\n\n${message}\n`, "hash-object", "-w", "-t", "commit", "--stdin");
  };
  git("init", "-q", "-b", "main");
  if (Object.keys(content).length > 0) await commitAll(content);
  return {
    top,
    git,
    commitAll,
    blob: (text: string) => run(text, "hash-object", "-w", "--stdin"),
    tree,
    commitTree,
    signed,
  };
}

/** An emulator with the zone, and the program connected to it. */
export async function service(live: ZoneSeed = LIVE) {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: live } } });
  onTestFinished(() => emulator.close());
  const run = (cwd: string, args: readonly string[], { env = {}, ...more }: RunOptions = {}) =>
    zoneward(args, { cwd, env: { ...reaching(emulator), ...env }, ...more });
  /** A process of its own, which learns its folder and environment only from the system. */
  const runProcess = (cwd: string, args: readonly string[], { env = {}, ...more }: RunOptions = {}) =>
    zonewardProcess(args, { cwd, env: { ...reaching(emulator), ...env }, ...more });
  return { emulator, run, runProcess };
}
