import { createHash } from "node:crypto";

const SCHEMA = "# yaml-language-server: $schema=./node_modules/zoneward/schemas/zoneward.schema.json\n";

/** A text as an export begins: with what tells whether somebody has edited it since. */
export function marked(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  return `${SCHEMA}# Made by zoneward export, which writes over this file until somebody edits it (sha256:${digest}).\n${text}`;
}

/** Whether a text is an export, as it was made. */
export function isUneditedExport(text: string): boolean {
  return marked(text.split("\n").slice(2).join("\n")) === text;
}
