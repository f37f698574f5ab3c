/** Makes text from outside fit to be shown. */
export type Cleaner = (text: string, limitChars?: number) => string;

/**
 * What the service says may repeat what it was sent. Credentials and other secrets are taken out, in any spelling
 * that a header or a URL gives them; characters that steer a terminal are replaced; and a long text is cut, last,
 * so that no part of a secret is left at the cut.
 */
export function cleaner(secrets: readonly string[]): Cleaner {
  const spellings = secrets.filter((each) => each !== "").flatMap(spellingsOf);
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  const secret = longestFirst.length === 0 ? null : new RegExp(longestFirst.map(literal).join("|"), "gi");
  return (text, limitChars = 500) => {
    const hidden = secret === null ? text : text.replace(secret, "[redacted]");
    return cut(visible(hidden), limitChars);
  };
}

function spellingsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, encodeURIComponent(secret), escaped, JSON.stringify(escaped).slice(1, -1), base64];
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function visible(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\ufffd")
    .trim();
}

function cut(text: string, limitChars: number): string {
  if (text.length <= limitChars) return text;
  return `${text.slice(0, limitChars).replace(/[\ud800-\udbff]$/, "")}…`;
}
