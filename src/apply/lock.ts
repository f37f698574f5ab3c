import { randomBytes } from "node:crypto";
import {
  constants,
  copyFileSync,
  linkSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { readRegularFile } from "../disk/files.js";
import { isCopy, type Tracked, trackedBelow } from "../git/repository.js";
import { isObject, type Json } from "../model/json.js";
import { parseJson } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { JOURNAL_FOLDER, journalFolder } from "./journal.js";

const LOCK = `${JOURNAL_FOLDER}/lock`;

/** A run touches its lock regularly. One that was not touched for so long was left behind by a run that is gone. */
const ABANDONED_MS = 120_000;
const TOUCH_MS = 15_000;

/** Tokens of locks that this process holds: its pid alone could be that of an older process that died. */
const held = new Set<string>();

/**
 * Does the work while no other run in this folder does any: two at once would each create what the files declare.
 * What a killed run left behind is taken over. Where no lock can be made at all, the work goes on without: what cannot
 * write there has no journal either, and says so itself.
 *
 * @param work is given how to ask, before each call, whether another run has taken the lock over: a machine that slept
 * has not touched it. Null: none has
 */
export async function oneAtATime<T>(
  cwd: string,
  work: (lost: () => Problem | null) => Promise<T>,
): Promise<Result<T>> {
  const taken = take(path.join(cwd, LOCK), cwd, await committedLocks(cwd));
  if (taken.as === "held") return failed(taken.why);
  if (taken.as === "impossible") return ok(await work(() => null));
  const touching = setInterval(() => touch(taken), TOUCH_MS).unref();
  held.add(taken.token);
  try {
    return ok(await work(() => (isOwn(taken) ? null : takenOver())));
  } finally {
    clearInterval(touching);
    release(taken);
  }
}

interface Taken {
  readonly as: "taken";
  readonly file: string;
  readonly token: string;
}

type Attempt = Taken | { readonly as: "held"; readonly why: Problem } | { readonly as: "impossible" };

/** What stands in git in the place of the lock, which no run has left there. */
async function committedLocks(cwd: string): Promise<readonly Tracked[]> {
  const name = path.basename(LOCK);
  const tracked = (await trackedBelow(path.join(cwd, JOURNAL_FOLDER))) ?? [];
  return tracked.filter((each) => each.name === name);
}

function take(file: string, cwd: string, committed: readonly Tracked[]): Attempt {
  const token = randomBytes(8).toString("hex");
  const own = `${file}-${token}`;
  try {
    journalFolder(cwd);
    writeFileSync(
      own,
      JSON.stringify({ pid: process.pid, ...here(), token, since: new Date().toISOString() }),
      { flag: "wx" },
    );
  } catch {
    return { as: "impossible" };
  }
  try {
    return takeWith(own, file, token, committed);
  } finally {
    rmSync(own, { force: true });
  }
}

function takeWith(own: string, file: string, token: string, committed: readonly Tracked[]): Attempt {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      place(own, file);
      return { as: "taken", file, token };
    } catch (error) {
      if (!isExisting(error)) return { as: "impossible" };
    }
    const there = lockIn(file);
    if (there === null) continue;
    const isIdle = committed.some((each) => isCopy(there.bytes, each));
    if (!isIdle && !isLeftBehind(there, statSync(own).mtimeMs)) return { as: "held", why: locked(there) };
    remove(file, there, own);
  }
  return { as: "held", why: locked(lockIn(file)) };
}

const MAX_TRIES = 5;

/** A link comes into being with all that is in it, or not at all because there is one. Not every disk has links. */
function place(own: string, file: string): void {
  try {
    linkSync(own, file);
  } catch (error) {
    if (isExisting(error)) throw error;
    copyFileSync(own, file, constants.COPYFILE_EXCL);
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

/** Where a process has its number. */
interface Place {
  readonly host: string;
  /** Containers can have the same host's name, and each counts its processes itself. */
  readonly space: string;
}

function here(): Place {
  return { host: hostname(), space: processSpace() };
}

function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

interface Lock {
  readonly bytes: Buffer;
  readonly touchedMs: number;
  /** Null: what stands there says nothing of them. */
  readonly pid: number | null;
  readonly said: Readonly<Record<string, Json>>;
}

/** Null: there is none any more. */
function lockIn(file: string): Lock | null {
  const read = readRegularFile(file, MAX_LOCK_BYTES);
  if (read.as === "failed") return null;
  // A run never leaves a link, a pipe or a file of this size there: it is not a lock of a run.
  if (read.as !== "file") return { bytes: Buffer.alloc(0), touchedMs: 0, pid: null, said: {} };
  const parsed = parseJson(read.bytes.toString("utf8"));
  const said = parsed.as === "json" && isObject(parsed.value) ? parsed.value : {};
  const pid = typeof said.pid === "number" && Number.isInteger(said.pid) && said.pid > 0 ? said.pid : null;
  return { bytes: read.bytes, touchedMs: read.writtenMs, pid, said };
}

const MAX_LOCK_BYTES = 64 * 1024;

/** @param nowMs by the clock of the folder, which may be another machine's */
function isLeftBehind({ pid, said, touchedMs }: Lock, nowMs: number): boolean {
  const { host, space } = here();
  if (held.has(String(said.token))) return false;
  if (nowMs - touchedMs > ABANDONED_MS) return true;
  if (pid === null || said.host !== host || said.space !== space) return false;
  return pid === process.pid || !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Of two runs that find the same old lock, the slower one must not take away the other's new one. */
function remove(file: string, old: Lock, own: string): void {
  const aside = `${own}-old`;
  try {
    renameSync(file, aside);
    if (lockIn(aside)?.bytes.equals(old.bytes) !== true) place(aside, file);
  } catch {
    // Somebody else was faster; the next look tells who.
  }
  rmSync(aside, { force: true, recursive: true });
}

function isOwn({ file, token }: Taken): boolean {
  return lockIn(file)?.said.token === token;
}

function touch(taken: Taken): void {
  if (!isOwn(taken)) return;
  try {
    const now = new Date();
    utimesSync(taken.file, now, now);
  } catch {
    // It is gone with its folder: there is nothing to keep.
  }
}

function release(taken: Taken): void {
  held.delete(taken.token);
  if (isOwn(taken)) rmSync(taken.file, { force: true });
}

function takenOver(): Problem {
  const detail = `Another run has taken ${LOCK} over, or it was deleted: this run had not touched it for two minutes, as after a machine's sleep. Nothing more is sent. See that no other run is at work, and run this again: it plans from what is live.`;
  return problem("lock_lost", "The lock of this folder is lost", detail);
}

function locked(lock: Lock | null): Problem {
  const { pid, said } = lock ?? { pid: null, said: {} };
  if (pid === null) return unreadable();
  const detail = `Process ${pid} on ${JSON.stringify(said.host ?? "")}, since ${JSON.stringify(said.since ?? "")}, applies or rolls back in this folder. Two at once could create things twice, so nothing was written. Run this again when it is done. If no such run is there any more, wait two minutes, or delete ${LOCK}.`;
  return problem("locked", "Another run is at work in this folder", detail);
}

function unreadable(): Problem {
  const detail = `${LOCK} cannot be read as what a run leaves there while it is at work, so whether one is at work in this folder is not known. Nothing was written. Wait two minutes, or delete the file if no run is there.`;
  return problem("locked", "A lock that cannot be read is in this folder", detail);
}
