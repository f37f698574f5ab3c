import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import path from "node:path";
import { repositoriesAround } from "../disk/place.js";
import { failed, ok, problem, type Result } from "../model/problem.js";

/** A repository with a known git folder, so that git does not search for one. */
export interface Repository {
  /** As written, links included. */
  readonly top: string;
  readonly gitFolder: string;
}

/** Overrides for the configuration of repository, machine and user: git must not run configured programs or fetch. */
const SETTINGS = [
  "safe.bareRepository=explicit",
  "protocol.allow=never",
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  "core.sshCommand=false",
  "core.gitProxy=",
  "core.askPass=",
  "credential.helper=",
  // This advice about the graft file below would replace the real error.
  "advice.graftFileDeprecated=false",
  // Checking a signature runs a configured program.
  "log.showSignature=false",
  "core.warnAmbiguousRefs=true",
];

/** Nothing is inherited: no credential, and no GIT_ variable that redirects git. */
const ENVIRONMENT = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  // For partial clones. Older versions of git ignore this one, but may use no protocol.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
};

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The standard output of git, and its standard error. */
export interface GitReply {
  readonly answer: string;
  readonly complaint: string;
}

export async function ask(repository: Repository, args: readonly string[]): Promise<Result<GitReply>> {
  const call = callOf(repository, args);
  if (!call.ok) return call;
  const { execFile } = await childProcess();
  const { program, words, options } = call.value;
  return new Promise((resolve) => {
    execFile(program, words, { ...options, maxBuffer: MAX_BYTES }, (error, stdout, stderr) => {
      if (error === null) return resolve(ok({ answer: stdout, complaint: stderr }));
      resolve(failed(problem("git_failed", "git failed", stderr.trim().slice(0, MAX_COMPLAINT_CHARS))));
    }).stdin?.end();
  });
}

/** Text from the repository may make the complaint long. */
const MAX_COMPLAINT_CHARS = 300;

export type GitChild = ChildProcessWithoutNullStreams;

/** Starts git as a child for several questions. */
export async function converse(repository: Repository, args: readonly string[]): Promise<Result<GitChild>> {
  const call = callOf(repository, args);
  if (!call.ok) return call;
  const { spawn } = await childProcess();
  const { program, words, options } = call.value;
  return ok(spawn(program, words, { ...options, stdio: "pipe" }));
}

/** Loaded on demand: it is slow, and most runs start no git. */
function childProcess(): Promise<typeof import("node:child_process")> {
  return import("node:child_process");
}

function callOf({ top, gitFolder }: Repository, args: readonly string[]) {
  // Outer repositories count too: their checkout may also contain proposed files.
  const [outermost = top] = repositoriesAround(top);
  const folders = programFolders(process.env.PATH, outermost);
  const program = folders.map((each) => path.join(each, "git")).find((each) => isProgram(each, outermost));
  if (program === undefined) return failed(problem("git_failed", "git not found", "git is not installed"));
  const settings = SETTINGS.flatMap((each) => ["-c", each]);
  const words = [`--git-dir=${gitFolder}`, "--no-pager", "--no-replace-objects", ...settings, ...args];
  const env = { ...ENVIRONMENT, PATH: folders.join(path.delimiter) };
  // In git's own folder, no file of the checkout can take effect.
  return ok({ program, words, options: { cwd: gitFolder, env, timeout: TIMEOUT_MS } });
}

/** Program folders outside of the checkout, whose files anybody may have proposed. */
function programFolders(pathVariable = "/usr/local/bin:/usr/bin:/bin", top: string): readonly string[] {
  return pathVariable.split(path.delimiter).filter((each) => path.isAbsolute(each) && !isInside(each, top));
}

function isProgram(file: string, top: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return !isInside(file, top);
  } catch {
    return false;
  }
}

function isInside(file: string, top: string): boolean {
  try {
    const below = path.relative(realpathSync(top), realpathSync(file));
    return below === "" || (below !== ".." && !below.startsWith(`..${path.sep}`) && !path.isAbsolute(below));
  } catch {
    // A missing file is no program.
    return true;
  }
}
