/** Part of every secret, and of nothing else. */
const MARK = "cnry";

/** A unique text that contains the canary. */
export function canary(name: string): string {
  return `${MARK}${name}7${MARK}${name}9${MARK}`;
}

/** The places of a canary, or a piece of one, in a text, in any spelling; none: []. Shares no code with the program. */
export function canariesIn(text: string): readonly string[] {
  return meantBy(text).flatMap((meant) => {
    const at = meant.toLowerCase().indexOf(MARK);
    return at === -1 ? [] : [meant.slice(Math.max(0, at - 60), at + 60)];
  });
}

function meantBy(text: string, depth = 2): readonly string[] {
  const plain = bare(text);
  const own = plain === text ? [text] : [text, plain];
  if (depth === 0) return own;
  const runs = own.flatMap((each) => [
    ...(each.match(/[A-Za-z0-9+/_-]{6,}/g) ?? []).flatMap((run) =>
      [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), "base64").toString("latin1")),
    ),
    ...(each.match(/[0-9a-f]{8,}/gi) ?? []).map((run) => Buffer.from(run, "hex").toString("latin1")),
  ]);
  return [...own, ...meantBy(runs.join("\n"), depth - 1)];
}

/** Decodes until nothing changes. A secret that looks escaped may be decoded too, which does not matter for a canary. */
function bare(text: string): string {
  const once = text
    .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/&amp;/gi, "&");
  return once === text ? text : bare(once);
}
