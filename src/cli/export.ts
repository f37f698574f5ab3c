import { readdirSync } from "node:fs";
import path from "node:path";
import { DEFAULT_CONFIG } from "../config/index.js";
import { isUneditedExport } from "../export/file-text.js";
import { allOf, failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import { count, plain } from "../render/safe-text.js";
import { changedNames } from "../run/changed-zones.js";
import { EXIT } from "../run/exit-codes.js";
import { knownFrom, runExport } from "../run/export.js";
import type { Export, ExportedFile, SharedTemplate } from "../run/export-files.js";
import { outTarget, redacted, type Written, writeOut } from "../run/write-files.js";
import type { Arguments, Run, Terminal } from "./command.js";
import { configOf, planInput } from "./inputs.js";
import { withService } from "./service.js";
import { showProblems } from "./show.js";

export const run: Run = async (args, terminal) => {
  const [out, folder] = [args.text("out"), args.text("out-dir")];
  if (out !== undefined && folder !== undefined) return failed(twoPlaces());
  const template = args.text("template");
  const known = await knownFrom(planInput(args, terminal));
  if (!known.ok) return known;
  const chosen = await zonesMeant(args, terminal);
  if (!chosen.ok) return chosen;
  if (args.on("changed") && chosen.value.length === 0) {
    if (!args.on("quiet")) terminal.err("The files change no zone. Nothing was exported.\n");
    return EXIT.done;
  }
  return withService(args, terminal, async (client, progress) => {
    const zones = chosen.value;
    const layout = folder === undefined ? "one file" : "one file per zone";
    const options = { layout, template, ...known.value } as const;
    const exported = await runExport(zones, client, progress, options);
    if (!exported.ok) return exported;
    const { files, problems } = exported.value;
    showProblems(problems, terminal);
    const isAlone = folder !== undefined && !hasOthers(path.resolve(terminal.cwd, folder), files);
    const texts = files.map((file) =>
      redacted(folder === undefined ? onlyFile(file) : oneOfMany(file, isAlone), terminal.redactor),
    );
    if (out === undefined && folder === undefined) for (const { text } of files) terminal.out(text);
    const target = folder === undefined ? out : `${folder.replace(/[/\\]+$/, "")}/`;
    const outcome = target === undefined ? ok(null) : await writeAll(target, texts, terminal.cwd);
    if (!outcome.ok) return outcome;
    if (!args.on("quiet"))
      terminal.err(exportText(exported.value, target === undefined ? null : (folder ?? outcome.value)));
    return hasErrors(problems) ? EXIT.error : EXIT.done;
  });
};

/** Zone names and patterns; empty: all zones. */
async function zonesMeant(args: Arguments, terminal: Terminal): Promise<Result<readonly string[]>> {
  const zones = [...args.operands, ...args.texts("zone")];
  if (!args.on("changed")) return ok(zones);
  const config = configOf(args, terminal.environment);
  return changedNames({ ...planInput(args, terminal), config, zones });
}

function twoPlaces(): Problem {
  return problem(
    "bad_flag",
    "--out and --out-dir exclude each other",
    "--out writes one file, and --out-dir one file per zone. Pass one of them.",
  );
}

/** Writes all files, or none if one of them cannot be written. */
async function writeAll(
  target: string,
  files: readonly Written[],
  cwd: string,
): Promise<Result<string | null>> {
  const targets = allOf(await Promise.all(files.map((file) => outTarget(target, file, cwd))));
  if (!targets.ok) return targets;
  let last: string | null = null;
  for (const file of files) {
    const outcome = await writeOut(target, file, cwd);
    if (!outcome.ok) return outcome;
    last = outcome.value;
  }
  return ok(last);
}

/** An incomplete export replaces no file: applied with a base, it would delete what it lacks. */
function onlyFile({ text, lacksSomething }: ExportedFile): Written {
  const common = { text, noun: "export", name: DEFAULT_CONFIG };
  return lacksSomething
    ? { ...common, recognizes: () => false, called: "a file that an incomplete export may replace" }
    : { ...common, recognizes: isUneditedExport, called: "an unedited export" };
}

/** A changed shared file replaces no other where files outside this export may depend on it. */
function oneOfMany(file: ExportedFile, isAlone: boolean): Written {
  const { name, text, zone } = file;
  if (zone !== null || isAlone) return { ...onlyFile(file), name };
  return {
    text,
    noun: "export",
    name,
    recognizes: (before) => before === text,
    called: "a file with the same content, and other files of the folder may depend on it",
  };
}

/** Whether the folder has other files that would be read with these. An unreadable folder counts as one that has. */
function hasOthers(folder: string, files: readonly ExportedFile[]): boolean {
  const names = new Set(files.map(({ name }) => name));
  try {
    return readdirSync(folder, { withFileTypes: true }).some(
      (each) => !names.has(each.name) && (!each.isFile() || /\.ya?ml$/.test(each.name)),
    );
  } catch {
    return true;
  }
}

function exportText(
  { zones, objects, secrets, weakening, learnt, template, leftOut, acknowledged }: Export,
  out: string | null,
): string {
  const where = out === null ? "" : ` into ${plain(out)}`;
  const headline = `Exported ${count(zones, "zone")} with ${count(objects, "object")}${where}.`;
  const advice =
    secrets.length === 0
      ? ""
      : ` Set ${secrets.join(", ")} in the environment before apply. Without ${secrets.length === 1 ? "it" : "them"}, plan does not compare the destinations.`;
  return [
    `${headline}${advice}\n`,
    list(
      "Review what weakens protection. Once declared, plan and drift do not report it:",
      weakening,
      MAX_LEFT_OUT,
      "",
    ),
    list(
      "Fields that this version does not know. Check their types under service.extra_expression_fields:",
      learnt,
      MAX_LEFT_OUT,
      "",
    ),
    ...(template === null ? [] : [templateText(template, zones)]),
    list("Left out, so not managed:", leftOut, MAX_LEFT_OUT, " (see the comments in the file)"),
    acknowledged === 0 ? "" : acknowledgedText(acknowledged),
  ].join("");
}

function acknowledgedText(rules: number): string {
  return `Review unmanaged: it acknowledges ${count(rules, "live object")} that ${rules === 1 ? "weakens" : "weaken"} protection, or may. plan and drift do not report acknowledged objects.\n`;
}

function templateText({ name, sections, objects, kept }: SharedTemplate, zones: number): string {
  const partly = objects.partly === 0 ? "" : `, ${objects.partly} partial`;
  const summary = `Template ${name} holds what ${zones === 1 ? "the zone has" : `all ${zones} zones share`}: ${count(objects.whole, "complete object")}${partly}, in ${sections.join(", ")}.\n`;
  const absence = `No template ${name} was written: the zones share nothing.\n`;
  return `${sections.length === 0 ? absence : summary}${list("Differs per zone:", kept, MAX_KEPT, "")}`;
}

/** A heading and some lines, or nothing. */
function list(heading: string, lines: readonly string[], most: number, where: string): string {
  if (lines.length === 0) return "";
  const rows = lines.slice(0, most).map((each) => `  ${plain(each, MAX_CHARS)}\n`);
  const more = lines.length - rows.length;
  return `${heading}\n${rows.join("")}${more === 0 ? "" : `  ${more} more${where}\n`}`;
}

const MAX_LEFT_OUT = 40;
const MAX_KEPT = 20;
const MAX_CHARS = 400;
