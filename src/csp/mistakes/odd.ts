import { suggest } from "../../model/suggest.js";
import { isComment } from "../comment.js";
import { KEYWORDS, readSource } from "../source.js";
import type { Mistake } from "./mistake.js";

/** What browsers ignore, since it has no form of a source. */
export function oddMistake(text: string): Mistake {
  if (isComment(text)) return comment(text);
  if (text.startsWith("'")) return { code: "csp_unknown_keyword", message: unknownKeyword(text) };
  const message = `Browsers ignore \`${text}\`: ${reason(text)}`;
  return { code: "csp_ignored_source", message };
}

function comment(text: string): Mistake {
  const message = `CSP has no comments: browsers ignore \`${text}\` and read every word after it as a source. Write comments outside of the value.`;
  return { code: "csp_comment", message };
}

function unknownKeyword(text: string): string {
  const ignored = `Browsers ignore \`${text}\`: `;
  const bare = text.replaceAll("'", "");
  if (isUrlSource(bare)) return `${ignored}hosts and schemes stand without quotes. Write \`${bare}\`.`;
  const first = /^'[^']*'(?=.)/.exec(text)?.[0];
  if (first !== undefined && readSource(first).form !== "odd") {
    return `${ignored}a blank is missing after ${first}.`;
  }
  if (/^(?:nonce-|sha-?(?:256|384|512)-)/i.test(bare)) {
    return `${ignored}what follows the dash is not base64. Correct it, or remove it.`;
  }
  const meant = suggest(bare.toLowerCase(), KEYWORDS);
  const advice = meant === null ? "Remove it, or correct it." : `Did you mean '${meant}'?`;
  return `${ignored}it is no keyword, no nonce and no hash. ${advice}`;
}

/** A single word could be a misspelt keyword as well. */
function isUrlSource(text: string): boolean {
  const source = readSource(text);
  if (source.form === "scheme") return true;
  return source.form === "host" && (source.scheme !== null || /[.*]/.test(source.host));
}

function reason(text: string): string {
  const bare = text.replace(/^["`]+|["`]+$/g, "");
  if (bare !== text && isUrlSource(bare)) return `sources stand without such quotes. Write \`${bare}\`.`;
  const [, scheme, rest = ""] = /^(https?|wss?):\/*(.*)$/i.exec(text) ?? [];
  if (scheme !== undefined && rest === "") return `it names no host. Write \`${scheme}:\` for every host.`;
  if (scheme !== undefined && isUrlSource(rest)) return `write \`${withScheme(scheme, rest)}\`.`;
  const afterSlashes = text.replace(/^\/\//, "");
  if (afterSlashes !== text && isUrlSource(afterSlashes)) return `write \`${afterSlashes}\`, without \`//\`.`;
  if (/^\.{0,2}\//.test(text)) return "a path needs its host before it, as in https://shop.example.com/js/.";
  if (text.includes("*")) {
    return "a star may be all of a source, the first part of a host (*.example.com) or a port, and nothing else.";
  }
  return "it is no scheme, no host and no keyword. Correct it, or remove it.";
}

/** Who pastes a URL behind a scheme has two. */
function withScheme(scheme: string, rest: string): string {
  const source = readSource(rest);
  return source.form === "host" && source.scheme === null ? `${scheme}://${rest}` : rest;
}
