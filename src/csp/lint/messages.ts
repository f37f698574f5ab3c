import { Severity, Type, type Finding as Verdict } from "csp_evaluator/dist/finding.js";
import type { Advice, Finding } from "../check.js";
import { isOwnMachine } from "../match/match-source.js";
import { readSource, type Source } from "../syntax.js";

import { wholeDomain } from "./verdicts.js";

/** A verdict about something that stands in the value, in our words; none where a sensible policy gets it too. */
export function warningOn(verdict: Verdict, { text, start, end }: Source): readonly Finding[] {
  const warning = WARNINGS.get(verdict.type);
  const message = warning?.message(text, verdict) ?? null;
  if (warning === undefined || message === null) return [];
  return [{ severity: "warning", code: warning.code, message, start, end }];
}

interface Warning {
  readonly code: string;
  message(text: string, verdict: Verdict): string | null;
}

const WARNINGS: ReadonlyMap<Type, Warning> = new Map([
  [
    Type.SCRIPT_UNSAFE_INLINE,
    {
      code: "csp_unsafe_inline",
      message: (text) =>
        `\`${text}\` runs every script that somebody gets into the page's HTML, which is what a policy is there ` +
        "to stop. Move such scripts into files, or allow each by its hash.",
    },
  ],
  [
    Type.SCRIPT_UNSAFE_HASHES,
    {
      code: "csp_unsafe_hashes",
      message: (text) =>
        `\`${text}\` lets scripts with these hashes run as event handlers too, wherever somebody puts them. Move ` +
        "the handlers into files.",
    },
  ],
  [
    Type.SCRIPT_UNSAFE_EVAL,
    {
      code: "csp_unsafe_eval",
      message: (text) => `\`${text}\` lets scripts run text as code. Remove it if the pages work without it.`,
    },
  ],
  [
    Type.PLAIN_URL_SCHEMES,
    {
      code: "csp_plain_scheme",
      message: (text, { directive }) =>
        /^data:$/i.test(text)
          ? `\`${text}\` in \`${directive}\` allows whatever somebody writes into a URL. Remove it.`
          : everyHost(text, directive),
    },
  ],
  [
    Type.PLAIN_WILDCARD,
    { code: "csp_wildcard", message: (text, { directive }) => everyHost(text, directive) },
  ],
  [
    Type.SCRIPT_ALLOWLIST_BYPASS,
    {
      code: "csp_bypass_host",
      message: (text, { severity, description }) =>
        severity === Severity.HIGH
          ? `\`${text}\` is known to serve ${waysAround(description)}, with which anybody can run scripts of ` +
            `their own. ${isFile(text) ? "Remove it if the pages work without it." : ONLY_FILES}`
          : null,
    },
  ],
  [
    Type.SRC_HTTP,
    {
      code: "csp_http_source",
      message: (text) =>
        isOwnMachine(text)
          ? null
          : `\`${text}\` also allows what comes unencrypted, which anybody on the way can change. Write https://.`,
    },
  ],
  [
    Type.DEPRECATED_DIRECTIVE,
    {
      code: "csp_deprecated_directive",
      message: (text) => `Browsers have given up \`${text}\`, or never had it. Remove it.`,
    },
  ],
  [
    Type.MISSING_SEMICOLON,
    {
      code: "csp_missing_semicolon",
      message: (text) =>
        `\`${text}\` is the name of a directive, and here browsers read it as a source. Put a \`;\` before it.`,
    },
  ],
  [
    Type.STRICT_DYNAMIC_NOT_STANDALONE,
    {
      code: "csp_strict_dynamic_alone",
      message: (text) =>
        `With 'strict-dynamic', and without a hash or a nonce, \`${text}\` blocks every script. Add the hashes of ` +
        "the scripts that load the others, or remove 'strict-dynamic'.",
    },
  ],
] satisfies [Type, Warning][]);

function everyHost(text: string, directive: string): string {
  const domain = wholeDomain(text);
  const which = domain === null ? "there is" : `whose name ends in ${domain}, and anybody can have one`;
  return `\`${text}\` in \`${directive}\` allows every host ${which}. Name those that are needed.`;
}

/** Whether the source names a single file, which cannot be narrowed further. */
function isFile(text: string): boolean {
  const source = readSource(text);
  return source.form === "host" && source.path !== "" && !source.path.endsWith("/");
}

const ONLY_FILES = "Allow only the files that are needed, each with its path.";

function waysAround(description: string): string {
  const isAngular = description.includes("Angular");
  if (!description.includes("JSONP")) return "AngularJS";
  return isAngular ? "JSONP and AngularJS" : "JSONP";
}

/** A verdict about something that the value does not have. */
export function adviceOn({ type, directive }: Verdict): readonly Advice[] {
  if (type === Type.STRICT_DYNAMIC) return [STRICT_DYNAMIC];
  const message = MISSING_DIRECTIVES.get(directive);
  if (type !== Type.MISSING_DIRECTIVES || message === undefined) return [];
  return [{ code: `csp_no_${directive.replaceAll("-", "_")}`, message }];
}

/** Where only plugins fall back to a weak `default-src`. */
export const PLUGINS: Advice = {
  code: "csp_no_object_src",
  message:
    "Without `object-src` plugins fall back to `default-src`, which allows them from anywhere. Add `object-src 'none'`.",
};

const STRICT_DYNAMIC: Advice = {
  code: "csp_no_strict_dynamic",
  message:
    "Lists of hosts can often be got around, by whatever else these hosts serve. Hashes with 'strict-dynamic' trust " +
    "single scripts, and what they load.",
};

const MISSING_DIRECTIVES: ReadonlyMap<string, string> = new Map([
  [
    "object-src",
    "Without `object-src` or `default-src` plugins of every host may run, and they can run scripts. Add " +
      "`object-src 'none'`.",
  ],
  [
    "base-uri",
    "Without `base-uri` somebody who gets a base element into the page chooses the host of every relative URL, also " +
      "of scripts that a nonce or a hash allows. Add `base-uri 'none'`.",
  ],
]);
