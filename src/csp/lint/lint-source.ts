import { looksLikeIpAddress } from "csp_evaluator/dist/checks/security_checks.js";
import type { Finding } from "../finding.js";
import { isOwnMachine } from "../loopback.js";
import type { Source } from "../parse.js";
import { readSource } from "../source.js";

/** What protects little or nothing in a source of a directive. */
export function lintSource(directive: string, { text, start, end }: Source): readonly Finding[] {
  const source = readSource(text);
  const warning = (code: string, message: string): readonly Finding[] => [
    { severity: "warning", code, message, start, end },
  ];
  const isAnySite = source.form === "scheme" || (source.form === "host" && source.host === "*");
  if (directive === "frame-ancestors" && isAnySite) return warning("csp_any_ancestor", anyAncestor(text));
  if (source.form === "nonce") return warning("csp_fixed_nonce", FIXED_NONCE);
  if (source.form !== "host") return [];
  if (source.host !== "127.0.0.1" && looksLikeIpAddress(source.host)) {
    return warning("csp_ip_source", ipAddress(text));
  }
  return isOwnMachine(text) ? warning("csp_own_machine", ownMachine(text)) : [];
}

const FIXED_NONCE =
  "A nonce protects only while nobody can guess it, and this one is the same in every answer: whoever reads one page " +
  "knows it. Allow scripts by their hash or their host.";

function anyAncestor(text: string): string {
  return `\`${text}\` in \`frame-ancestors\` lets anybody's site frame the page, and with \`frame-ancestors\` browsers pass over X-Frame-Options, which may forbid it. Name the sites that may, or write 'none'.`;
}

function ownMachine(text: string): string {
  return `\`${text}\` is the visitor's own machine. Remove it, unless pages are meant to talk to a program there.`;
}

function ipAddress(text: string): string {
  return `By the text of CSP no IP address but 127.0.0.1 matches anything, and browsers differ: \`${text}\` may block what it names. Write a host name.`;
}
