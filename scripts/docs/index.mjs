import { readFile } from "node:fs/promises";
import { actionParts } from "./action.mjs";
import { commandParts } from "./commands.mjs";
import { fileFormatParts } from "./file-format.mjs";
import { libraryParts } from "./library.mjs";
import { planDocumentParts } from "./plan-document.mjs";
import { problemsPage } from "./problems.mjs";
import { filled } from "./regions.mjs";

/** The up-to-date documents with generated parts. */
export async function documents({ desiredStateSchema, planSchema, kinds, ...tables }) {
  const schema = desiredStateSchema();
  const parts = {
    "docs/file-format.md": fileFormatParts({ schema, kinds }),
    "docs/commands.md": commandParts({ ...tables, kinds }),
    "docs/plan-document.md": planDocumentParts(planSchema),
    "docs/library.md": libraryParts(tables.commands),
    "docs/github-action.md": await actionParts(),
  };
  const pages = Object.entries(parts).map(([file, each]) => [file, (text) => filled(file, text, each)]);
  return Promise.all(
    [...pages, ["docs/problems.md", problemsPage]].map(async ([file, page]) => [
      file,
      page(await readFile(file, "utf8")),
    ]),
  );
}
