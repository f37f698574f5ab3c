import { fromBytes } from "../bytes.js";
import type { ByteSet } from "../regex/byte-set.js";
import { readRegex } from "../regex/read.js";
import type { Regex } from "../regex/tree.js";
import type { Bytes } from "../tree.js";
import type { Needed } from "./advice-texts.js";

/** Texts that a value has to have so that a regular expression is found in it: those outside of all that is optional. */
export function regexTexts(pattern: Bytes): readonly Needed[] {
  const read = readRegex(fromBytes(pattern) ?? pattern);
  return read.ok ? runsOf(flat(read.regex)) : [];
}

function flat(regex: Regex): readonly Regex[] {
  return regex.as === "sequence" ? regex.items.flatMap(flat) : [regex];
}

/** Bytes that stand side by side, with the ends of the whole text. */
function runsOf(items: readonly Regex[]): readonly Needed[] {
  const runs: Needed[] = [];
  let text = "";
  let isAtStart = false;
  const close = (isAtEnd: boolean) => {
    const how = isAtStart ? (isAtEnd ? "equals" : "begins") : isAtEnd ? "ends" : "within";
    if (text !== "" || how === "equals") runs.push({ how, text });
    text = "";
    isAtStart = false;
  };
  for (const [index, item] of items.entries()) {
    const byte = item.as === "byte" ? onlyByte(item.of) : null;
    if (byte !== null) text += byte;
    else {
      close(isEdge(item, "text_end"));
      isAtStart = index === 0 && isEdge(item, "text_start");
    }
  }
  close(false);
  return runs;
}

function isEdge(item: Regex, what: "text_start" | "text_end"): boolean {
  return item.as === "assert" && item.what === what;
}

function onlyByte(set: ByteSet): Bytes | null {
  return set !== 0n && (set & (set - 1n)) === 0n ? String.fromCharCode(set.toString(2).length - 1) : null;
}
