import { looksLikeIpAddress } from "csp_evaluator/dist/checks/security_checks.js";
import type { Finding } from "../finding.js";
import type { Source } from "../parse.js";
import { readSource } from "../source.js";

/** What protects little or nothing in a source, wherever it stands. */
export function lintSource({ text, start, end }: Source): readonly Finding[] {
  const source = readSource(text);
  const warning = (code: string, message: string): readonly Finding[] => [
    { severity: "warning", code, message, start, end },
  ];
  if (source.form === "nonce") return warning("csp_fixed_nonce", FIXED_NONCE);
  if (source.form === "odd" && !text.startsWith("'")) return warning("csp_ignored_source", ignored(text));
  if (source.form !== "host" || !looksLikeIpAddress(source.host)) return [];
  return warning("csp_ip_source", source.host === "127.0.0.1" ? ownMachine(text) : ipAddress(text));
}

const FIXED_NONCE =
  "A nonce protects only while nobody can guess it, and this one is the same in every answer: whoever reads one page " +
  "knows it. Allow scripts by their hash or their host.";

function ignored(text: string): string {
  return `Browsers ignore \`${text}\`: it is no scheme, no host and no keyword. Correct it, or remove it.`;
}

function ownMachine(text: string): string {
  return `\`${text}\` is the visitor's own machine. Remove it where the policy is for others than developers.`;
}

function ipAddress(text: string): string {
  return `By the text of CSP no IP address but 127.0.0.1 matches anything, and browsers differ: \`${text}\` may block what it names. Write a host name.`;
}
