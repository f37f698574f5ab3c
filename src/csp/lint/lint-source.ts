import { looksLikeIpAddress } from "csp_evaluator/dist/checks/security_checks.js";
import type { Finding } from "../finding.js";
import { isOwnMachine } from "../loopback.js";
import type { Source } from "../parse.js";
import { readSource } from "../source.js";

/** What protects little or nothing in a source, wherever it stands. */
export function lintSource({ text, start, end }: Source): readonly Finding[] {
  const source = readSource(text);
  const warning = (code: string, message: string): readonly Finding[] => [
    { severity: "warning", code, message, start, end },
  ];
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

function ownMachine(text: string): string {
  return `\`${text}\` is the visitor's own machine. Remove it, unless pages are meant to talk to a program there.`;
}

function ipAddress(text: string): string {
  return `By the text of CSP no IP address but 127.0.0.1 matches anything, and browsers differ: \`${text}\` may block what it names. Write a host name.`;
}
