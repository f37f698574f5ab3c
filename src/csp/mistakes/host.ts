import type { HostParts } from "../source.js";
import type { Mistake } from "./mistake.js";
import { schemeMistake } from "./scheme.js";

/** What makes a host source, which browsers take as one, match nothing that anybody means. */
export function hostMistake(text: string, source: HostParts): Mistake | null {
  const word = source.scheme === null ? wordMistake(text, source) : schemeMistake(text, source.scheme);
  return word ?? portMistake(text, source) ?? starMistake(text, source);
}

/** A word that is no host name: nobody has a host that is called like this. */
function wordMistake(text: string, { host, port, path }: HostParts): Mistake | null {
  if (port !== null && port !== "*") return null;
  if (SCHEMES.has(host)) return missingColon(text, host, path.replace(/^\/+/, ""));
  const meant = KEYWORDS.get(host);
  if (meant === undefined || port !== null || path !== "") return null;
  const message = `CSP has no \`${text}\`: browsers read it as a host name. Write ${meant} if you mean that.`;
  return { code: "csp_no_keyword", message };
}

function missingColon(text: string, scheme: string, rest: string): Mistake {
  const [meant, where] = rest === "" ? [`${scheme}:`, ""] : [`${scheme}://${rest}`, ` in \`${text}\``];
  const message = `Without its colon browsers read \`${scheme}\`${where} as a host name. Write \`${meant}\`.`;
  return { code: "csp_missing_colon", message };
}

function portMistake(text: string, { port }: HostParts): Mistake | null {
  if (port === null || port === "*" || Number(port) <= LAST_PORT) return null;
  const message = `There is no port ${port}: ${LAST_PORT} is the last. \`${text}\` matches nothing.`;
  return { code: "csp_bad_port", message };
}

function starMistake(text: string, { path }: HostParts): Mistake | null {
  const star = /^[^*?#]*/.exec(path)?.[0].length ?? 0;
  if (path[star] !== "*") return null;
  const before = path.slice(0, path.lastIndexOf("/", star));
  const host = text.slice(0, text.length - path.length);
  const meant =
    before === ""
      ? `\`${host}\`, which allows every path`
      : `\`${host}${before}/\`, which allows all below it`;
  const message = `In a path a star stands for itself alone, so that \`${text}\` matches next to nothing. Write ${meant}.`;
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

/** What people write for a keyword, and the keyword. */
const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ["all", "`*`"],
  ["any", "`*`"],
  ["inline", "'unsafe-inline'"],
  ["eval", "'unsafe-eval'"],
]);
