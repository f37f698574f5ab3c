import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import path from "node:path";
import { repositoriesAround } from "../disk/place.js";
import { failed, ok, problem, type Result } from "../model/problem.js";

/** A repository whose git folder is known, so that git looks for none. */
export interface Repository {
  /** As it was written. */
  readonly top: string;
  readonly gitFolder: string;
}

/**
 * What git is told whatever the repository, the machine or its user have configured: nothing that they name is run, and
 * nothing is fetched.
 */
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
  // It would be said of the graft file below, in place of what went wrong.
  "advice.graftFileDeprecated=false",
  "core.warnAmbiguousRefs=true",
];

/** Nothing of the caller's: neither a credential nor a GIT_ variable that leads git elsewhere. */
const ENVIRONMENT = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  // Of partial clones. Older ones do not know it; they may use no protocol, whatever the repository says of one.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
};

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** What git says: what it was asked for, and what it complains of all the same. */
export interface Said {
  readonly answer: string;
  readonly complaint: string;
}

export async function ask(repository: Repository, args: readonly string[]): Promise<Result<Said>> {
  const call = callOf(repository, args);
  if (!call.ok) return call;
  const { execFile } = await childProcess();
  const { program, words, options } = call.value;
  return new Promise((resolve) => {
    execFile(program, words, { ...options, maxBuffer: MAX_BYTES }, (error, stdout, stderr) => {
      if (error === null) return resolve(ok({ answer: stdout, complaint: stderr }));
      resolve(failed(problem("git_failed", "git says no", stderr.trim().slice(0, MAX_SAID))));
    }).stdin?.end();
  });
}

/** Whatever it has found in the repository, it can put it at any length. */
const MAX_SAID = 300;

export type GitChild = ChildProcessWithoutNullStreams;

/** Git as a child to talk with. */
export async function converse(repository: Repository, args: readonly string[]): Promise<Result<GitChild>> {
  const call = callOf(repository, args);
  if (!call.ok) return call;
  const { spawn } = await childProcess();
  const { program, words, options } = call.value;
  return ok(spawn(program, words, { ...options, stdio: "pipe" }));
}

/** Loading it takes a while, and most runs start no git. */
function childProcess(): Promise<typeof import("node:child_process")> {
  return import("node:child_process");
}

function callOf({ top, gitFolder }: Repository, args: readonly string[]) {
  // What is checked out around it can have been proposed by somebody, too.
  const [outermost = top] = repositoriesAround(top);
  const folders = programFolders(process.env.PATH, outermost);
  const program = folders.map((each) => path.join(each, "git")).find((each) => isProgram(each, outermost));
  if (program === undefined) return failed(problem("git_failed", "There is no git", "git is not installed"));
  const settings = SETTINGS.flatMap((each) => ["-c", each]);
  const words = [`--git-dir=${gitFolder}`, "--no-pager", "--no-replace-objects", ...settings, ...args];
  const env = { ...ENVIRONMENT, PATH: folders.join(path.delimiter) };
  // In the folder that git found its own repository in, no file of the content can mean anything.
  return ok({ program, words, options: { cwd: gitFolder, env, timeout: TIMEOUT_MS } });
}

/** Where programs are: not where the files of the repository are, which somebody may have proposed. */
function programFolders(written = "/usr/local/bin:/usr/bin:/bin", top: string): readonly string[] {
  return written.split(path.delimiter).filter((each) => path.isAbsolute(each) && !isInside(each, top));
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
    // What is not there gives no program.
    return true;
  }
}
