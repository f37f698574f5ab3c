import type { Client } from "../api/client.js";
import { jsonText } from "../model/json-text.js";
import { hasErrors } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { problemRecord } from "../render/problems.js";
import { count, plain } from "../render/safe-text.js";
import {
  type AdoptedChange,
  type Adoption,
  adoptionCode,
  type EffectiveChange,
  runAdopt,
} from "../run/adopt.js";
import { fileProblems } from "../run/base.js";
import { EXIT } from "../run/exit-codes.js";
import type { Ended, Run } from "./command.js";
import { planInput } from "./inputs.js";
import { withService } from "./service.js";
import { showProblems } from "./show.js";

export const run: Run = async (args, terminal) => {
  const input = planInput(args, terminal);
  const work = async (client: Client, progress: Progress): Promise<Ended> => {
    const ran = await runAdopt(
      { ...input, withUndeclared: args.on("new"), isDry: args.on("dry-run") },
      client,
      progress,
    );
    if (!ran.ok) return ran;
    const { adoption } = ran.value;
    if (args.text("format") === "json") terminal.out(adoptionJson(adoption));
    else {
      showProblems(adoption.problems, terminal);
      terminal.out(adoptionText(adoption, args.text("base") !== undefined));
      showProblems(adoption.refused, terminal);
    }
    return adoptionCode(adoption);
  };
  return withService(args, terminal, work, () => fileProblems(input));
};

function adoptionJson(adoption: Adoption): string {
  const { problems, refused } = adoption;
  return jsonText({
    ok: adoptionCode(adoption) === EXIT.done,
    ...adoption,
    refused: refused.map(problemRecord),
    problems: problems.map(problemRecord),
  });
}

function adoptionText(adoption: Adoption, hasBase: boolean): string {
  const { adopted, left, files, secrets, refused, patch } = adoption;
  const isDry = patch !== undefined || refused.length > 0;
  const heading = isDry ? "Would be adopted" : "Adopted";
  const removal = isDry ? ": its entry would be deleted" : ": its entry is deleted";
  const rows = adopted.map(
    (each) => `  ${placeText(each)}${effectText(each)}${each.removed === true ? removal : ""}\n`,
  );
  const rest = left.map((each) => `  ${placeText(each)}: ${plain(each.why)}\n`);
  const where = files.length === 0 ? "" : ` into ${files.map((file) => plain(file)).join(", ")}`;
  return [
    ...(hasBase || adopted.length === 0 ? [] : [isDry ? OWN_EDITS : OWN_EDITS_TAKEN]),
    ...(rows.length === 0 ? [] : [`${heading}${where}:\n`, ...rows]),
    ...(rest.length === 0 ? [] : ["Not adopted:\n", ...rest]),
    `${outcomeText(adoption, isDry)}\n`,
    ...(patch === undefined || patch === "" ? [] : [`\n${patchText(patch)}`]),
    ...(secrets.length === 0 ? [] : [`Set ${secrets.join(", ")} in the environment.\n`]),
  ].join("");
}

function outcomeText({ adopted, left, problems }: Adoption, isDry: boolean): string {
  if (adopted.length + left.length === 0)
    return hasErrors(problems) ? "No changes adopted." : "No changes to adopt.";
  const [done, not] = isDry ? ["would be adopted", "would not"] : ["adopted", "not adopted"];
  if (left.length === 0) return `${count(adopted.length, "change")} ${done}.`;
  if (adopted.length === 0) return `${count(left.length, "change")} ${isDry ? "would not be adopted" : not}.`;
  return `${count(adopted.length, "change")} ${done}, ${left.length} ${not}.`;
}

const OWN_EDITS =
  "Without --base, edits of the files that were never applied count as drift too: adopt would overwrite them.\n";
const OWN_EDITS_TAKEN =
  "Without --base, edits of the files that were never applied count as drift too, and are overwritten.\n";

function patchText(patch: string): string {
  return patch
    .split("\n")
    .map((line) => plain(line))
    .join("\n");
}

function effectText({ effect }: EffectiveChange): string {
  return effect === null ? "" : ` (${effect})`;
}

function placeText({ zone, section, key, field }: AdoptedChange): string {
  const object = key === section ? section : `${section} ${JSON.stringify(plain(key))}`;
  return `${plain(zone)}: ${object}${field === null ? "" : `, ${plain(field)}`}`;
}
