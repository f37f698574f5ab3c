import { readSource } from "../source.js";
import { hashMistake } from "./hash.js";
import { hostMistake } from "./host.js";
import { oddMistake } from "./odd.js";
import { schemeMistake } from "./scheme.js";

/** Why a source does not do what its author meant. */
export interface Mistake {
  readonly code: string;
  readonly message: string;
}

/** Null where nobody can be sure that there is one. */
export function mistakeIn(text: string): Mistake | null {
  const source = readSource(text);
  switch (source.form) {
    case "keyword":
    case "nonce":
      return null;
    case "hash":
      return hashMistake(text, source.algorithm, source.digest);
    case "scheme":
      return schemeMistake(text, source.scheme);
    case "host":
      return hostMistake(text, source);
    case "odd":
      return oddMistake(text);
  }
}
