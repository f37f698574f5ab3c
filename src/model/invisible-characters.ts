/**
 * Characters that nobody sees for what they are, as part of a regular expression with the flag `u`: control characters,
 * what turns the direction of text, what is invisible or no character at all, and spaces (the usual one too).
 */
export const INVISIBLE = String.raw`[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]`;

/** What a mark can stand on, other marks that are seen among it. */
const BEARER = String.raw`[\p{L}\p{N}\p{So}]|(?!\p{Default_Ignorable_Code_Point})\p{M}`;

/**
 * Combining marks that stand on nothing, which would go onto what stands before, or that are heaped on each other, which
 * run into other lines. No script needs more than four.
 */
export const STRAY_MARK = String.raw`(?=\p{M})(?:(?<!${BEARER})\p{M}{1,4}|(?<=\p{M}{4})\p{M})`;

/** GitHub's runner looks for `##[command]` anywhere in a line, other runners for `##vso[` and the like. */
export const RUNNER_MARK = String.raw`#(?=#[A-Za-z]{0,12}\[)`;
