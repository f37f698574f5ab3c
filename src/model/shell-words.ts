/** A command line, with words quoted where a shell needs it. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}
