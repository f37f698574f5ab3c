/** How people begin a comment, which CSP does not have. Hosts, schemes and paths do not begin or stand like this. */
export function isComment(word: string): boolean {
  return word.startsWith("#") || word === "//";
}
