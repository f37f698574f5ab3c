import { GUARDRAILS } from "../model/guardrails.js";
import type { Flag } from "./command.js";

const help: Flag = { name: "help", short: "h", help: "Show this help." };
const noColor: Flag = {
  name: "no-color",
  help: "Print no colors. NO_COLOR in the environment does the same.",
};
export const quiet: Flag = {
  name: "quiet",
  short: "q",
  help: "Print only results, warnings and errors.",
};

export const everywhere: readonly Flag[] = [noColor, help];

export const config: Flag = {
  name: "config",
  short: "c",
  value: "PATH",
  many: true,
  help: "Read this file, folder or glob; - is standard input. Default: ZONEWARD_CONFIG, else zoneward.yaml, else the folder zones. Repeatable.",
};

export const format: Flag = {
  name: "format",
  value: "FORMAT",
  choices: ["text", "json"],
  help: "Print text or json. Default: text.",
};

export const yes: Flag = { name: "yes", help: "Skip the question. Required without a terminal." };

export const exitCode: Flag = {
  name: "exit-code",
  help: "match: exit with 2 if a load is not allowed or a request does not match.",
};

export const metrics: Flag = {
  name: "metrics",
  value: "FILE",
  help: "Write metrics of the run to this file, in the text format of Prometheus.",
};

const PAGES = ["text", "json", "markdown", "html", "sarif", "codequality"] as const;

/** For plans. */
export const planFormat = pagesFlag([...PAGES, "junit"], ", codequality (GitLab) or junit (tests)");

/** For drift, which runs no tests. */
export const driftFormat = pagesFlag(PAGES, " or codequality (GitLab)");

function pagesFlag(choices: readonly string[], last: string): Flag {
  return {
    name: "format",
    value: "FORMAT[=FILE]",
    many: true,
    choices,
    toFiles: true,
    help: `Print text, json, markdown, html, sarif${last}; with =FILE, write it to a file. Default: text. Repeatable.`,
  };
}

/** For problems with the files. */
export const problemsFormat: Flag = {
  name: "format",
  value: "FORMAT",
  choices: ["text", "json", "sarif", "codequality", "junit"],
  help: "Print text, json, sarif, codequality (GitLab) or junit (tests). Default: text.",
};

export const maxBytes: Flag = {
  name: "max-bytes",
  value: "N",
  help: "Shorten Markdown to this size: details first, then changes. Default: 60000.",
};

export const zone: Flag = {
  name: "zone",
  value: "NAME",
  many: true,
  names: "zones",
  help: "Limit the run to zones with this name; * matches any part. Default: all. Repeatable.",
};

/** How requests are sent. */
export const connection: readonly Flag[] = [
  {
    name: "base-url",
    value: "URL",
    help: "Send requests to this address. Default: CLOUDFLARE_BASE_URL, else Cloudflare's.",
  },
  {
    name: "concurrency",
    value: "N",
    help: "Send at most N requests at once, and write to at most N zones at once. Default: 10.",
  },
  {
    name: "rate-limit",
    value: "N/SECONDS",
    help: "Send at most N requests in this many seconds, and at most 180 a second. off: no limit. Default: 960/300.",
  },
  { name: "timeout", value: "SECONDS", help: "Give up on one request after this time. Default: 30." },
  {
    name: "max-wait",
    value: "SECONDS",
    help: "Wait at most this long when the service asks for a pause. Default: 330.",
  },
];

export const guardrails: Flag = {
  name: "guardrails",
  value: "FILE",
  help: "Also enforce the guardrails of this file. They can only be stricter.",
};

export const base: Flag = {
  name: "base",
  value: "DIR|git:REF",
  help: "Compare with the files before the change, in a folder or a git commit. Separates drift from file changes; plans delete what the files dropped.",
};

export const changed: Flag = {
  name: "changed",
  help: "With --base: read only the zones that the files change.",
};

export const only: Flag = {
  name: "only",
  value: "KIND[/NAME]",
  many: true,
  names: "objects",
  help: "Limit the run to this kind, or to objects of it (policy/Checkout*). Default: all. Repeatable.",
};

const noImpact: Flag = {
  name: "no-impact",
  help: "Do not read detected scripts and connections. Impact is then unknown, and guardrails on impact refuse.",
};

export const policy: Flag = {
  name: "policy",
  value: "NAME",
  many: true,
  names: "policy-names",
  help: "Limit the run to policies with this name; * matches any part. Default: all. Repeatable.",
};

export const events: Flag = {
  name: "events",
  value: "PATH",
  many: true,
  help: "Read browser reports from logs of page_shield_events: a file, folder or glob, plain or gzip; - is standard input. Repeatable.",
};

/** Request lines as log-push jobs write them. */
export const requests: Flag = {
  name: "requests",
  value: "PATH",
  many: true,
  help: "Count the logged requests that each change affects, from logs of http_requests: a file, folder or glob, plain or gzip; - is standard input. Repeatable.",
};

/** For adopt. */
export const withNew: Flag = {
  name: "new",
  help: "Also declare undeclared live objects that unmanaged does not list.",
};

export const allow: Flag = {
  name: "allow",
  value: "GUARDRAIL",
  many: true,
  choices: GUARDRAILS,
  help: `Lift this guardrail for this run: ${GUARDRAILS.join(", ")}. Repeatable.`,
};

export const failOn: Flag = {
  name: "fail-on",
  value: "GUARDRAIL",
  many: true,
  choices: GUARDRAILS,
  help: "Exit with 3 if this guardrail (one of those of --allow) would refuse, even if the files do not set it. Repeatable.",
};

/** Takes no value, or `=role`. */
const who: Flag = {
  name: "who",
  choices: ["role"],
  help: "Name who made each drifted change, from the audit log (needs Account Settings Read); --who=role prints no names.",
};

export const maxAge: Flag = {
  name: "max-age",
  value: "MINUTES",
  help: "Refuse a saved plan or journal that is older. plan writes this limit into the plan. Default: any age.",
};

export const verbose: Flag = {
  name: "verbose",
  short: "v",
  help: "Show each request as it is sent. A plan also shows its calls.",
};

/** For all commands that talk to the service. */
export const service: readonly Flag[] = [zone, ...connection, quiet, verbose];

/** What a plan is about and what it may do. */
export const planning: readonly Flag[] = [
  base,
  guardrails,
  allow,
  failOn,
  maxAge,
  noImpact,
  events,
  only,
  who,
];
