import { distance } from "fastest-levenshtein";
import { fieldTypes } from "./fields.js";
import { functions } from "./functions.js";
import { callMeantBy, fieldMeantBy } from "./usual-names.js";

/** A field or function as files can name it: words separated by dots. */
export const NAME = /^[A-Za-z_]\w{0,49}(\.\w{1,50}){0,10}$/;

/** Words with a meaning in the language, or expected there by users. */
const WORDS = ["any", "all", "not", "and", "or", "xor", "true", "false", "if"];
const OPERATORS = ["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "matches", "wildcard"];

/**
 * Whether an unknown name may be one that the service has learnt since this version. A near miss of a known name is
 * not, nor is a common name from other languages.
 */
export function mayBeNew(name: string, kind: "field" | "function"): boolean {
  const correction = kind === "field" ? fieldMeantBy(name) : callMeantBy(name);
  if (!NAME.test(name) || correction !== null || ROOTS.has(name.toLowerCase())) return false;
  const knownNames = [...WORDS, ...OPERATORS, ...functions.keys(), ...fieldTypes.keys()];
  return !knownNames.some((each) => isNearMiss(name, each));
}

/** Whether a name begins like a field: `http.`, `cf.`. */
export function isFieldLike(name: string): boolean {
  const [root = "", ...segments] = name.split(".");
  return segments.length > 0 && NAME.test(name) && ROOTS.has(root);
}

const ROOTS: ReadonlySet<string> = new Set(
  [...fieldTypes.keys()].filter((name) => name.includes(".")).map((name) => name.split(".")[0] ?? ""),
);

/** Names that differ only in numbers are versions of one thing: `sha256` and `sha512`. */
function isNearMiss(name: string, knownName: string): boolean {
  const [lowerName, lowerKnown] = [name.toLowerCase(), knownName.toLowerCase()];
  if (lowerName === lowerKnown) return true;
  if (Math.abs(lowerName.length - lowerKnown.length) > MOST_TYPOS) return false;
  if (lowerName.replace(/\d+/g, "") === lowerKnown.replace(/\d+/g, "")) return false;
  const [words, knownWords] = [lowerName.split(/[._]/), lowerKnown.split(/[._]/)];
  if (words.length !== knownWords.length) {
    return words.join("") === knownWords.join("") || distance(lowerName, lowerKnown) === 1;
  }
  const typos = words.map((word, index) => typosBetween(word, knownWords[index] ?? ""));
  return !typos.includes(null) && typos.reduce((sum: number, each) => sum + (each ?? 0), 0) <= MOST_TYPOS;
}

const MOST_TYPOS = 3;

/** A third of a word may be wrong. Null: more is. Two swapped letters are one typo. */
function typosBetween(word: string, knownWord: string): number | null {
  if (word === knownWord) return 0;
  const limit = Math.max(1, Math.floor(Math.max(word.length, knownWord.length) / 3));
  const typos = isSwapped(word, knownWord) ? 1 : distance(word, knownWord);
  return typos <= limit ? typos : null;
}

function isSwapped(word: string, knownWord: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== knownWord[index]);
  const swapped = `${word.slice(0, at)}${word[at + 1] ?? ""}${word[at] ?? ""}${word.slice(at + 2)}`;
  return at !== -1 && swapped === knownWord;
}
