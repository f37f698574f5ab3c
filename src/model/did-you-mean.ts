import { distance } from "fastest-levenshtein";

/**
 * The known word that was probably meant, or null. Letter case is ignored. Up to a third of the letters may be wrong,
 * at most three and never all. The order of the words does not matter. If none is near, the one that begins with the
 * word.
 */
export function suggest(word: string, candidates: Iterable<string>): string | null {
  return nearest(word, candidates)[0] ?? null;
}

/** The known words that were probably meant: none, one, or two that are equally near. */
function nearest(word: string, candidates: Iterable<string>): readonly string[] {
  if (lettersLeft < 0) return [];
  const known = [...candidates];
  const near = known.flatMap((candidate) => {
    lettersLeft -= candidate.length;
    const typos = typosBetween(word.toLowerCase(), candidate.toLowerCase());
    return typos === null ? [] : [{ candidate, typos }];
  });
  near.sort((a, b) => a.typos - b.typos || (a.candidate < b.candidate ? -1 : 1));
  const [best] = near;
  if (best === undefined) return completions(word, known);
  const asNear = near.filter(({ typos }) => typos === best.typos);
  return asNear.length > MOST_GUESSES ? [] : asNear.map(({ candidate }) => candidate);
}

/** `description` for `desc`. Empty: fewer than three letters, or several words begin so. */
function completions(word: string, candidates: readonly string[]): readonly string[] {
  if (word.length < 3) return [];
  const longer = candidates.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()));
  return longer.length === 1 ? longer : [];
}

/** Some seconds of work: 1,000 unknown names among 1,000 of 20 letters. */
const MOST_LETTERS = 20_000_000;

let lettersLeft = MOST_LETTERS;

/** Files may have thousands of known and of unknown names, so the work of suggestions has a limit. */
export function renewSuggestions(): void {
  lettersLeft = MOST_LETTERS;
}

/** `Did you mean shop.example.com?`, or another sentence if no known word is near. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  otherwise: string,
  textOf: (near: string) => string = String,
): string {
  const near = nearest(word, candidates);
  return near.length === 0 ? otherwise : `Did you mean ${near.map(textOf).join(" or ")}?`;
}

/** With more equally near words, a guess is useless. */
const MOST_GUESSES = 2;

/** null: too many. Lengths are compared first, so that a huge word is cheap. */
function typosBetween(word: string, candidate: string): number | null {
  const longer = Math.max(word.length, candidate.length);
  const limit = Math.min(3, Math.ceil(longer / 3), longer - 1);
  if (Math.abs(word.length - candidate.length) > limit) return null;
  const typos = distance(word, candidate);
  // With half of its letters wrong, a word is another one, unless it begins alike or its letters are only swapped.
  const isAlike = word[0] === candidate[0] || sorted(word) === sorted(candidate);
  if (typos > 1 && 2 * typos >= longer && !isAlike) return null;
  return typos <= limit ? typos : null;
}

function sorted(word: string): string {
  return [...word].sort().join("");
}
