import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { codeOf, readRegularFile } from "../disk/files.js";
import { isCopy, trackedBelow } from "../git/repository.js";
import { cutEnd } from "../model/cut.js";
import { isObject, type Json } from "../model/json.js";
import { parseJson } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { JOURNAL_FOLDER, journalFolder } from "./journal.js";

export const LOCK = `${JOURNAL_FOLDER}/lock`;

/**
 * Does the work while no other run works in this folder: two at once would create declared objects twice.
 * If the lock cannot be written, the work starts without it, and then fails because its journal cannot be written.
 */
export async function oneAtATime<T>(cwd: string, work: () => Promise<T>): Promise<Result<T>> {
  const file = path.join(cwd, LOCK);
  await removeForeignFile(file);
  const result = takeLock(file, cwd);
  if (result === "held") return failed(heldLock(file));
  try {
    return ok(await work());
  } finally {
    if (result === "taken") rmSync(file, { force: true });
  }
}

function takeLock(file: string, cwd: string): "taken" | "held" | "impossible" {
  const holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  try {
    journalFolder(cwd);
    writeFileSync(file, JSON.stringify(holder), { flag: "wx" });
    return "taken";
  } catch (error) {
    return codeOf(error) === "EEXIST" ? "held" : "impossible";
  }
}

/** Removes a lock that no run has left, since a repository can contain one: a tracked copy, or no regular file. */
async function removeForeignFile(file: string): Promise<void> {
  const content = readRegularFile(file, MAX_LOCK_BYTES);
  if (content.as === "failed") return;
  const tracked = (await trackedBelow(path.dirname(file))) ?? [];
  const isOfRun =
    content.as === "file" &&
    !tracked.some((copy) => copy.name === path.basename(file) && isCopy(content.bytes, copy));
  if (!isOfRun) rmSync(file, { force: true, recursive: true });
}

const MAX_LOCK_BYTES = 64 * 1024;
const MAX_SHOWN_CHARS = 100;

/** Another user's process counts as running. */
function isRunning(pid: Json | undefined): boolean {
  if (!Number.isInteger(pid)) return true;
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

function heldLock(file: string): Problem {
  const read = readRegularFile(file, MAX_LOCK_BYTES);
  const parsed = parseJson(read.as === "file" ? read.bytes.toString("utf8") : "");
  const holder = parsed.as === "json" && isObject(parsed.value) ? parsed.value : {};
  const [pid, host, since] = [holder.pid, holder.host, holder.since].map((each) =>
    cutEnd(JSON.stringify(each ?? "unknown"), MAX_SHOWN_CHARS),
  );
  if (holder.host === hostname() && !isRunning(holder.pid)) {
    const detail = `Process ${pid} took ${LOCK} at ${since}, and is no longer running. Delete the file, and run this again. Nothing was written.`;
    return problem("locked", "Stale lock", detail);
  }
  const detail = `Process ${pid} on ${host} has been applying or rolling back in this folder since ${since} (${LOCK}). Run this again when it is done. If that process is gone, delete the file. Nothing was written.`;
  return problem("locked", "Another run uses this folder", detail);
}
