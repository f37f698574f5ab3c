import { lstatSync } from "node:fs";
import path from "node:path";
import { JOURNAL_FOLDER } from "../apply/journal.js";
import { trackedBelow } from "../git/repository.js";
import { type Problem, problem } from "../model/problem.js";

const STATE_FOLDER = path.dirname(JOURNAL_FOLDER);

/** That git has what is a run's own: whoever may propose files could put there a lock, a journal or a link. */
export async function trackedState(cwd: string): Promise<readonly Problem[]> {
  const folder = path.join(cwd, STATE_FOLDER);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const tracked = (await trackedBelow(folder)) ?? [];
  if (tracked.length === 0) return [];
  const files = tracked.length === 1 ? "a file" : `${tracked.length} files`;
  const detail = `git has ${files} in ${STATE_FOLDER}, which is for what runs leave behind on their own machine. Somebody may have put a lock or a journal there that no run has written. Take it out of git: git rm -r --cached ${STATE_FOLDER}, and have .gitignore name it.`;
  return [{ ...problem("state_tracked", "What only a run leaves is in git", detail), severity: "warning" }];
}
