/**
 * What shows when somebody opens it. The empty lines end what is HTML, so that the body is Markdown.
 *
 * @param summary in which all from outside is escaped for HTML
 */
export function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}
