import { suggest } from "../model/did-you-mean.js";
import { DIGEST_BYTES, excessPadding, type HostParts, KEYWORDS, readSource } from "./syntax.js";

/** A reason why a source probably does not do what its author wants. */
interface Mistake {
  readonly code: string;
  readonly message: string;
}

/** Null: no certain mistake. */
export function mistakeIn(text: string): Mistake | null {
  const source = readSource(text);
  switch (source.form) {
    case "keyword":
    case "nonce":
      return null;
    case "url-hash":
      return { code: "csp_url_hash", message: urlHash(text) };
    case "eval-hash":
      return { code: "csp_eval_hash", message: evalHash(text) };
    case "hash":
      return hashMistake(text, source.algorithm, source.digest);
    case "scheme":
      return schemeMistake(text, source.scheme);
    case "host":
      return hostMistake(text, source);
    case "odd":
      return invalidSourceMistake(text);
  }
}

function urlHash(text: string): string {
  return `Do not mix hosts and URL hashes in one directive. With \`${text}\`, newer browsers such as Chromium 156 ignore the directive's hosts, schemes and 'self', except for frames and form targets; other browsers ignore the hash. Removing the hash lets newer browsers allow those hosts again.`;
}

function evalHash(text: string): string {
  return `Write \`${text}\` or 'unsafe-eval', not both. Newer browsers such as Chromium 156 ignore 'unsafe-eval' beside the hash; others ignore the hash. Removing the hash lets newer browsers allow 'unsafe-eval' again.`;
}

/** A hash with a length that its algorithm does not have, or with too much padding. */
function hashMistake(text: string, algorithm: string, digest: string): Mistake | null {
  const bytes = DIGEST_BYTES.get(algorithm) ?? 0;
  const chars = digest.replace(/=+$/, "").length;
  if (chars === Math.ceil((bytes * 4) / 3)) return paddingMistake(text, digest);
  const isHex = chars === bytes * 2 && /^[0-9a-f]+$/i.test(digest);
  const padded = Math.ceil(bytes / 3) * 4;
  const advice = isHex
    ? "this one is hexadecimal. Write it in base64."
    : `this one has ${digest.length}. Write the whole hash.`;
  const message = `\`${text}\` matches nothing: such a hash has ${padded} base64 characters after the dash, and ${advice}`;
  return { code: "csp_bad_hash", message };
}

function paddingMistake(text: string, digest: string): Mistake | null {
  const excess = excessPadding(digest);
  if (excess === 0) return null;
  const correction = text.replace("=".repeat(excess), "");
  const message = `\`${text}\` matches nothing, because of too many \`=\` at its end. Write \`${correction}\`.`;
  return { code: "csp_bad_hash", message };
}

/** A scheme over which browsers load nothing. Unknown schemes may belong to apps. */
function schemeMistake(text: string, scheme: string): Mistake | null {
  if (DEAD.has(scheme)) return unusable(`browsers load nothing over ${scheme}:`, text, "Remove it.");
  if (WEB.has(scheme) || !LIKE_HTTP.test(scheme)) return null;
  const correction = suggest(scheme, WEB);
  return correction === null
    ? null
    : unusable(`\`${scheme}:\` is not a web scheme`, text, `Did you mean \`${correction}:\`?`);
}

function unusable(why: string, text: string, advice: string): Mistake {
  return { code: "csp_unknown_scheme", message: `\`${text}\` matches nothing: ${why}. ${advice}` };
}

const WEB: ReadonlySet<string> = new Set(["http", "https"]);
const DEAD: ReadonlySet<string> = new Set(["ftp", "ftps", "sftp", "gopher"]);

/** Misspellings of http and https. */
const LIKE_HTTP = /^(?:h+t|tt|hxx)/;

/** A mistake that makes a valid host source match nothing useful. */
function hostMistake(text: string, source: HostParts): Mistake | null {
  const word = source.scheme === null ? wordMistake(text, source) : schemeMistake(text, source.scheme);
  return word ?? portMistake(text, source) ?? starMistake(text, source);
}

/** A word that looks like a host name and is not one: a scheme without its colon, or a keyword without quotes. */
function wordMistake(text: string, { host, port, path }: HostParts): Mistake | null {
  if (port !== null && port !== "*") return null;
  if (SCHEMES.has(host)) return missingColon(text, host, path.replace(/^\/+/, ""));
  const correction = KEYWORDS_BY_WORD.get(host);
  if (correction === undefined || port !== null || path !== "") return null;
  const message = `Browsers read \`${text}\` as a host name. Write ${correction} if you mean that.`;
  return { code: "csp_no_keyword", message };
}

function missingColon(text: string, scheme: string, url: string): Mistake {
  const [correction, where] = url === "" ? [`${scheme}:`, ""] : [`${scheme}://${url}`, ` in \`${text}\``];
  const message = `Without the colon, browsers read \`${scheme}\`${where} as a host name. Write \`${correction}\`.`;
  return { code: "csp_missing_colon", message };
}

function portMistake(text: string, { port }: HostParts): Mistake | null {
  if (port === null || port === "*" || Number(port) <= LAST_PORT) return null;
  const message = `\`${text}\` matches nothing, because port ${port} does not exist. Correct the port; ${LAST_PORT} is the last.`;
  return { code: "csp_bad_port", message };
}

function starMistake(text: string, { path }: HostParts): Mistake | null {
  const star = /^[^*?#]*/.exec(path)?.[0].length ?? 0;
  if (path[star] !== "*") return null;
  const before = path.slice(0, path.lastIndexOf("/", star));
  const host = text.slice(0, text.length - path.length);
  const correction =
    before === ""
      ? `\`${host}\`, which allows every path`
      : `\`${host}${before}/\`, which allows all below it`;
  const message = `In a path, a star is only a star, so \`${text}\` matches almost nothing. Write ${correction}.`;
  return { code: "csp_star_in_path", message };
}

const LAST_PORT = 65_535;

const SCHEMES: ReadonlySet<string> = new Set([
  "http",
  "https",
  "ws",
  "wss",
  "data",
  "blob",
  "filesystem",
  "mediastream",
]);

/** Words that authors write for a keyword, and the keyword. */
const KEYWORDS_BY_WORD: ReadonlyMap<string, string> = new Map([
  ["all", "`*`"],
  ["any", "`*`"],
  ["inline", "'unsafe-inline'"],
  ["eval", "'unsafe-eval'"],
]);

/** A token that browsers ignore, because it is no valid source. */
function invalidSourceMistake(text: string): Mistake {
  if (isComment(text)) return comment(text);
  if (text.startsWith("'")) return { code: "csp_unknown_keyword", message: unknownKeyword(text) };
  const message = `Browsers ignore \`${text}\`: ${reason(text)}`;
  return { code: "csp_ignored_source", message };
}

function comment(text: string): Mistake {
  const message = `CSP has no comments. Move the comment outside of the value. Browsers ignore \`${text}\` and read every word after it as a source.`;
  return { code: "csp_comment", message };
}

function unknownKeyword(text: string): string {
  const ignored = `Browsers ignore \`${text}\`: `;
  const bare = text.replaceAll("'", "");
  if (isUrlSource(bare)) return `${ignored}hosts and schemes take no quotes. Write \`${bare}\`.`;
  const first = /^'[^']*'(?=.)/.exec(text)?.[0];
  if (first !== undefined && readSource(first).form !== "odd") {
    return `${ignored}no space follows ${first}. Add one.`;
  }
  if (/^(?:nonce-|sha-?(?:256|384|512)-)/i.test(bare)) {
    return `${ignored}the text after the dash is not base64. Correct it, or remove it.`;
  }
  if (/^(?:nonce|sha(?:256|384|512))$/i.test(bare)) {
    return `${ignored}its value is missing. Write it after a dash, as in \`'${bare}-…'\`, or remove the source.`;
  }
  const correction = suggest(bare.toLowerCase(), KEYWORDS);
  const advice = correction === null ? "Remove it, or correct it." : `Did you mean '${correction}'?`;
  return `${ignored}it is not a keyword, nonce or hash. ${advice}`;
}

/** A single word could also be a misspelt keyword. */
function isUrlSource(text: string): boolean {
  const source = readSource(text);
  if (source.form === "scheme") return true;
  return source.form === "host" && (source.scheme !== null || /[.*]/.test(source.host));
}

function reason(text: string): string {
  const bare = text.replace(/^["`]+|["`]+$/g, "");
  if (bare !== text && isUrlSource(bare)) return `sources take no such quotes. Write \`${bare}\`.`;
  const [, scheme, url = ""] = /^(https?|wss?):\/*(.*)$/i.exec(text) ?? [];
  if (scheme !== undefined && url === "") return `it names no host. Write \`${scheme}:\` for every host.`;
  if (scheme !== undefined && isUrlSource(url)) return `write \`${withScheme(scheme, url)}\`.`;
  const afterSlashes = text.replace(/^\/\//, "");
  if (afterSlashes !== text && isUrlSource(afterSlashes)) return `write \`${afterSlashes}\`, without \`//\`.`;
  if (/^\.{0,2}\//.test(text))
    return "a path needs a host before it. Write it as https://shop.example.com/js/.";
  if (text.includes("*")) {
    return "the star is in the wrong place. Write * alone, at the start of a host (*.example.com), or as the port.";
  }
  return "it is not a scheme, host or keyword. Correct it, or remove it.";
}

/** A URL pasted after a scheme has two schemes. One is kept. */
function withScheme(scheme: string, url: string): string {
  const source = readSource(url);
  return source.form === "host" && source.scheme === null ? `${scheme}://${url}` : url;
}

/** Authors begin comments like this, but CSP has no comments. No host, scheme or path begins like this. */
export function isComment(word: string): boolean {
  return word.startsWith("#") || word === "//";
}
