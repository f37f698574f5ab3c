import { distance } from "fastest-levenshtein";
import { fieldTypes } from "./fields.js";
import { functions } from "./functions.js";
import { callMeantBy, fieldMeantBy } from "./usual-names.js";

/** A field or a function as files can name it: words with dots between them. */
export const NAME = /^[A-Za-z_]\w{0,49}(\.\w{1,50}){0,10}$/;

/** Words that have a place of their own in the language, or that people expect there. */
const WORDS = ["any", "all", "not", "and", "or", "xor", "true", "false", "if"];
const OPERATORS = ["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "matches", "wildcard"];

/**
 * Whether a name that the tables do not have may be one that the service has learnt since this version. A near miss of a
 * known name is not, nor is what other languages call something that is known.
 */
export function mayBeNew(name: string, as: "field" | "function"): boolean {
  const meant = as === "field" ? fieldMeantBy(name) : callMeantBy(name);
  if (!NAME.test(name) || meant !== null || ROOTS.has(name.toLowerCase())) return false;
  const known = [...WORDS, ...OPERATORS, ...functions.keys(), ...fieldTypes.keys()];
  return !known.some((each) => isNearMiss(name, each));
}

/** Whether a name begins as those of fields do: `http.`, `cf.`. */
export function isFieldLike(name: string): boolean {
  const [root = "", ...rest] = name.split(".");
  return rest.length > 0 && NAME.test(name) && ROOTS.has(root);
}

const ROOTS: ReadonlySet<string> = new Set(
  [...fieldTypes.keys()].filter((name) => name.includes(".")).map((name) => name.split(".")[0] ?? ""),
);

/** Names that differ in their numbers alone are versions of one thing: `sha256` and `sha512`. */
function isNearMiss(name: string, known: string): boolean {
  const [one, other] = [name.toLowerCase(), known.toLowerCase()];
  if (one === other) return true;
  if (Math.abs(one.length - other.length) > MOST_TYPOS) return false;
  if (one.replace(/\d+/g, "") === other.replace(/\d+/g, "")) return false;
  const [words, knownWords] = [one.split(/[._]/), other.split(/[._]/)];
  if (words.length !== knownWords.length) {
    return words.join("") === knownWords.join("") || distance(one, other) === 1;
  }
  const typos = words.map((word, index) => typosBetween(word, knownWords[index] ?? ""));
  return !typos.includes(null) && typos.reduce((sum: number, each) => sum + (each ?? 0), 0) <= MOST_TYPOS;
}

const MOST_TYPOS = 3;

/** A third of a word may be wrong; null: more is. Two swapped letters are one typing error. */
function typosBetween(word: string, known: string): number | null {
  if (word === known) return 0;
  const limit = Math.max(1, Math.floor(Math.max(word.length, known.length) / 3));
  const typos = isSwapped(word, known) ? 1 : distance(word, known);
  return typos <= limit ? typos : null;
}

function isSwapped(word: string, known: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== known[index]);
  const swapped = `${word.slice(0, at)}${word[at + 1] ?? ""}${word[at] ?? ""}${word.slice(at + 2)}`;
  return at !== -1 && swapped === known;
}
