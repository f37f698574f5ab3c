/** A command as a shell reads it: words that mean more than themselves are quoted. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}
