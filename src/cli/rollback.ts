import { firstFew } from "../model/cut.js";
import { jsonText } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { problemRecord } from "../render/problems.js";
import { count, plain } from "../render/safe-text.js";
import { quoted } from "../render/values.js";
import { EXIT } from "../run/exit-codes.js";
import { journalFrom, lastJournal, type PastRun, pastRuns, type UnreadJournal } from "../run/journals.js";
import { runRollback } from "../run/rollback.js";
import { type ApplyMode, carryOut } from "./apply.js";
import type { Arguments, Ended, Run, Terminal } from "./command.js";
import { configOf, planInput, readNumber } from "./inputs.js";
import { withService } from "./service.js";

export const run: Run = async (args, terminal) => {
  const words = args.on("list") ? [...args.operands, ...(args.on("last") ? ["--last"] : [])] : [];
  if (words.length > 0) return failed(onlyLists(words));
  if (args.on("list")) return listRuns(args, terminal);
  const maxAge = readNumber(args, "max-age");
  if (!maxAge.ok) return maxAge;
  const source = args.on("last") ? await lastNamed(args, terminal) : ok(args.operands[0] ?? "");
  if (!source.ok) return source;
  const file = source.value;
  const journal = await journalFrom(file, terminal.cwd, maxAge.value);
  if (!journal.ok) return journal;
  return withService(args, terminal, async (client, progress) => {
    const planned = await runRollback(journal.value, planInput(args, terminal), client, progress);
    if (!planned.ok) return planned;
    const mode = modeOf(file, journal.value.begin.undoes !== undefined);
    return await carryOut(planned, mode, { saved: null, args, terminal, progress });
  });
};

function onlyLists(words: readonly string[]): Problem {
  const detail = `--list only lists journals, and ${words.join(", ")} names one to roll back. Pass one or the other.`;
  return problem("bad_flag", "--list and a journal exclude each other", detail);
}

async function lastNamed(args: Arguments, { cwd, environment, err }: Terminal): Promise<Result<string>> {
  const [operand] = args.operands;
  if (operand !== undefined) {
    const detail = `--last means the last journal, and ${operand} names another. Pass one or the other.`;
    return failed(problem("bad_operand", "--last and a journal exclude each other", detail));
  }
  const last = await lastJournal(configOf(args, environment), cwd);
  if (!last.ok) return last;
  const { journal, before } = last.value;
  err(`Last journal: ${plain(journal)}\n`);
  if (before !== null)
    err(
      "problem" in before
        ? `That run changed nothing. The journal before it cannot be read: ${plain(before.journal)}\n`
        : `That run changed nothing. To undo the last run that did, or may have: zoneward rollback ${plain(before.journal)}\n`,
    );
  return ok(journal);
}

/** Lists the runs of this folder, the newest first. Nothing is sent. */
async function listRuns(args: Arguments, terminal: Terminal): Promise<Ended> {
  const runs = await pastRuns(terminal.cwd);
  if (args.text("format") === "json")
    terminal.out(
      jsonText({
        runs: runs.map((entry) =>
          "problem" in entry ? { journal: entry.journal, problem: problemRecord(entry.problem) } : entry,
        ),
      }),
    );
  else if (runs.length === 0) terminal.out("No journals in this folder: nothing was applied from it.\n");
  else terminal.out(runs.map((each) => `${runText(each)}\n`).join(""));
  return EXIT.done;
}

function runText(run: PastRun | UnreadJournal): string {
  const journal = plain(run.journal);
  if ("problem" in run) return `${journal}\n  cannot be read: ${plain(run.problem.detail)}`;
  const { started, digest, part_of, zones, done, failed: wrong, unknown, ended, undoes, changes } = run;
  const calls = [
    `${count(done, "call")} done`,
    ...(wrong === 0 ? [] : [`${wrong} failed`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown`]),
    ...(ended ? [] : ["interrupted"]),
  ];
  const prefix = undoes === null ? "" : `rollback of the run of ${plain(undoes.started)}: `;
  const whole = part_of === null ? "" : `, part of ${plain(part_of)}`;
  return [
    journal,
    `  ${plain(started)}: ${prefix}${calls.join(", ")}, in ${firstFew(zones, MOST_ZONES, plain)}; plan ${plain(digest)}${whole}`,
    ...changesLine(
      "",
      changes.filter(({ started }) => started),
    ),
    ...changesLine(
      "not started: ",
      changes.filter(({ started }) => !started),
    ),
  ].join("\n");
}

const MOST_ZONES = 3;

/** The first few changes. A change that several zones share counts once. */
function changesLine(lead: string, changes: PastRun["changes"]): readonly string[] {
  if (changes.length === 0) return [];
  const texts = changes.map(
    ({ action, kind, key }) => `${action} ${kind}${key === kind ? "" : ` ${quoted(key)}`}`,
  );
  return [`  ${lead}${firstFew([...new Set(texts)], MOST_CHANGES)}`];
}

const MOST_CHANGES = 4;

/** @param isOfRollback whether the journal is of a rollback, after which the files may be as declared again */
function modeOf(file: string, isOfRollback: boolean): ApplyMode {
  return {
    about: "rollback",
    heading: "Rollback",
    outcome: "as before",
    idle: "nothing to do",
    undo: "To undo this rollback",
    doing: "Roll back",
    yes: "Pass --yes.",
    ...(isOfRollback
      ? {}
      : {
          besides:
            "Your files still contain these changes. Revert them, or the next apply applies them again.",
        }),
    again: `Run zoneward rollback ${file} again: it sends only the remaining calls.`,
  };
}
