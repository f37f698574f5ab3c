import type {
  LoadWitness,
  PlannedChange,
  PlannedDimension,
  RequestWitness,
} from "../plan/generated/plan-document.js";
import { effectPaint } from "./effect.js";
import type { Palette } from "./palette.js";
import { atLineStart, plain } from "./plain.js";
import { quoted, urlText } from "./values.js";

/**
 * What a change does to protection, a line a dimension, each with one thing that shows it.
 *
 * @param lead what each line begins with
 */
export function reasonLines(
  { dimensions }: PlannedChange,
  indent: string,
  colors: Palette,
  lead = "",
): readonly string[] {
  return dimensions.flatMap(({ effect, why, witness }) => [
    ...inLines(`${lead}${plain(why, MAX_CHARS)}`, LINE_CHARS - indent.length - 2).map((line, index) => {
      const sign = index === 0 ? effectPaint(effect, colors)(SIGNS[effect]) : " ";
      return `${indent}${sign} ${line}`;
    }),
    ...(witness === null || isAny(witness)
      ? []
      : [`${indent}  ${colors.faint("e.g.")} ${witnessText(witness)}`]),
  ]);
}

/** Reasons quote values and expressions; these stand below, whole. */
const MAX_CHARS = 600;

const LINE_CHARS = 110;

/** As many words on a line as fit. */
function inLines(text: string, chars: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= chars)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(atLineStart(word));
  }
  return lines;
}

export const SIGNS: { readonly [effect in PlannedDimension["effect"]]: string } = {
  strengthens: "↑",
  weakens: "↓",
  mixed: "↕",
  unknown: "?",
  neutral: "=",
};

/** A request of which nothing counts shows nothing. */
export function isAny(witness: LoadWitness | RequestWitness): boolean {
  return witness.as === "request" && Object.keys(witness.request).length === 0;
}

export function witnessText(witness: LoadWitness | RequestWitness): string {
  switch (witness.as) {
    case "load":
      return `${LOADS[witness.kind]}${urlText(witness.url)} on ${urlText(witness.page)} is caught no more`;
    case "request":
      return `a request with ${requestText(witness.request)} is caught no more`;
  }
}

const LOADS = { script: "", connection: "a connection to " } as const;

/** `http.host "shop.example.com", http.request.uri.path "/checkout"`. */
function requestText(request: { readonly [field: string]: unknown }): string {
  const fields = Object.entries(request);
  const shown = fields.slice(0, MAX_FIELDS).map(([name, value]) => `${plain(name)} ${fieldText(value)}`);
  return `${shown.join(", ")}${fields.length > MAX_FIELDS ? ", …" : ""}`;
}

const MAX_FIELDS = 6;
const MAX_FIELD_CHARS = 100;

function fieldText(value: unknown): string {
  return typeof value === "string"
    ? quoted(value, MAX_FIELD_CHARS)
    : plain(JSON.stringify(value) ?? "null", MAX_FIELD_CHARS);
}
