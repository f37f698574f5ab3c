import { DEFAULT_CONFIG } from "../config/index.js";
import { isUneditedExport } from "../export/file-text.js";
import { ok } from "../model/problem.js";
import { EXIT } from "../process.js";
import { count, plain } from "../render/plain.js";
import { type ExportedFile, runExport } from "../run/export.js";
import { redacted, type Written, writeOut } from "../run/write-files.js";
import type { Run } from "./command.js";
import { withService } from "./options.js";
import { progressOn, refuse, showProblems } from "./show.js";

export const run: Run = async (args, terminal) => {
  return withService(args, terminal, async (client) => {
    const named = [...args.operands, ...args.texts("zone")];
    const exported = await runExport(named, client, progressOn(terminal, args.on("quiet")));
    if (!exported.ok) return refuse(exported.problems, args, terminal);
    const { text, problems } = exported.value;
    showProblems(problems, terminal);
    const out = args.text("out");
    if (out === undefined) terminal.out(text);
    const file = redacted(exportFile(text, problems.length > 0), terminal.redactor);
    const written = out === undefined ? ok(null) : await writeOut(out, file, terminal.cwd);
    if (!written.ok) return refuse(written.problems, args, terminal);
    if (!args.on("quiet")) terminal.err(told(exported.value, written.value));
    return problems.length > 0 ? EXIT.error : EXIT.done;
  });
};

/** A file that lacks something takes no other's place: applied with a base, it would let go what it lacks. */
function exportFile(text: string, lacksSomething: boolean): Written {
  return lacksSomething
    ? {
        text,
        noun: "export",
        name: DEFAULT_CONFIG,
        isOne: () => false,
        one: "file that an incomplete export may replace",
      }
    : {
        text,
        noun: "export",
        name: DEFAULT_CONFIG,
        isOne: isUneditedExport,
        one: "export that nobody has edited",
      };
}

function told({ zones, objects, secrets }: ExportedFile, out: string | null): string {
  const where = out === null ? "" : ` into ${plain(out)}`;
  const what = `Exported ${count(zones, "zone")} with ${count(objects, "object")}${where}.`;
  const taken =
    secrets.length === 0 ? "" : ` Set ${secrets.join(", ")} in the environment for apply; plan does without.`;
  return `${what}${taken}\n`;
}
