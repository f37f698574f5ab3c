import { jsonText } from "../model/json-text.js";
import { failed } from "../model/problem.js";
import { permissionsText } from "../render/permissions-text.js";
import { EXIT } from "../run/exit-codes.js";
import { readDesired } from "../run/files.js";
import { neededPermissions } from "../run/permissions.js";
import { selectZones } from "../run/select-zones.js";
import type { Run } from "./command.js";
import { filesInput } from "./inputs.js";
import { showProblems } from "./show.js";

export const run: Run = async (args, terminal) => {
  const { desired, problems } = await readDesired(filesInput(args, terminal), "check");
  if (desired === null) return failed(...problems);
  const selected = selectZones(desired, args.texts("zone"));
  if (!selected.ok) return selected;
  showProblems(problems, terminal);
  const needed = neededPermissions(selected.value);
  terminal.out(args.text("format") === "json" ? jsonText(needed) : permissionsText(needed));
  return EXIT.done;
};
