import { canonicalSource } from "./canonical.js";
import type { Finding } from "./finding.js";
import { mistakeIn } from "./mistakes/mistake.js";
import type { Directive, Source } from "./parse.js";
import { readSource } from "./source.js";

/** What is odd about the sources of a directive that takes sources. */
export function checkSources(directive: Directive): readonly Finding[] {
  const hasOthers = directive.sources.some((source) => !isNone(source));
  return directive.sources.flatMap((source) => {
    if (hasOthers && isNone(source)) return [ignoredNone(source)];
    const meant = unquotedKeyword(source.text);
    if (directive.name === "frame-ancestors" && !canEmbed(meant ?? source.text))
      return [notAnAncestor(source)];
    return meant === null ? mistaken(source) : [unquoted(source, meant)];
  });
}

function isNone(source: Source): boolean {
  return canonicalSource(source.text) === "'none'";
}

function ignoredNone({ start, end }: Source): Finding {
  const message =
    "'none' counts only when it stands alone: beside other sources browsers ignore it. Remove it, or the others.";
  return { severity: "warning", code: "csp_ignored_none", message, start, end };
}

/** The keyword, nonce or hash that a token would be if it stood in single quotes. */
function unquotedKeyword(text: string): string | null {
  const { form } = readSource(text);
  if (form !== "host" && form !== "odd") return null;
  const bare = /^["'`]?([a-z0-9+/=_-]+)["'`]?$/i.exec(text)?.[1] ?? "";
  const quoted = canonicalSource(`'${bare}'`);
  return readSource(quoted).form === "odd" ? null : quoted;
}

/** CSP3's grammar of `frame-ancestors`; the service's documentation has the same. */
function canEmbed(text: string): boolean {
  const { form } = readSource(text);
  return form === "scheme" || form === "host" || ["'self'", "'none'"].includes(canonicalSource(text));
}

function notAnAncestor({ text, start, end }: Source): Finding {
  const message = `\`frame-ancestors\` takes only 'none', 'self', schemes and hosts. Remove \`${text}\`.`;
  return { severity: "error", code: "csp_frame_ancestors", message, start, end };
}

function unquoted({ text, start, end }: Source, meant: string): Finding {
  const read = readSource(text).form === "host" ? `read \`${text}\` as a host name` : `ignore \`${text}\``;
  const message = `Without its single quotes browsers ${read}. Write ${meant}, which as an item of a YAML list is "${meant}".`;
  return { severity: "warning", code: "csp_unquoted_keyword", message, start, end };
}

function mistaken({ text, start, end }: Source): readonly Finding[] {
  const mistake = mistakeIn(text);
  return mistake === null ? [] : [{ severity: "warning", ...mistake, start, end }];
}
