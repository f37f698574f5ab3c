import { GUARDRAILS } from "../model/guardrails.js";
import type { Flag } from "./command.js";

const help: Flag = { name: "help", short: "h", help: "Show this help." };
const noColor: Flag = { name: "no-color", help: "No colors. So does NO_COLOR in the environment." };
export const quiet: Flag = {
  name: "quiet",
  short: "q",
  help: "Only results, warnings and errors: no progress, and not the plan before it is applied, unless a person is asked.",
};

export const everywhere: readonly Flag[] = [noColor, help];

export const config: Flag = {
  name: "config",
  short: "c",
  value: "PATH",
  many: true,
  help: "A desired-state file, a folder of them, a glob, or - for the standard input. May be repeated. Default: ZONEWARD_CONFIG of the environment, zoneward.yaml, or else the folder zones.",
};

export const format: Flag = {
  name: "format",
  value: "FORMAT",
  choices: ["text", "json"],
  help: "text (default) or json.",
};

export const exitCode: Flag = {
  name: "exit-code",
  help: "match: exit with 2 where one is refused, does not match, or is not known.",
};

export const metrics: Flag = {
  name: "metrics",
  value: "FILE",
  help: "Write metrics of the run into this file, in the text format of Prometheus: for the textfile collector of the node exporter, or a push gateway.",
};

const PAGES = ["text", "json", "markdown", "html", "sarif", "codequality"] as const;
const QUALITY = "codequality (for merge requests of GitLab)";

/** For plans. */
export const planFormat = pagesFlag(
  [...PAGES, "junit"],
  `, ${QUALITY} or junit (the tests of the files, a case each)`,
);

/** For drift, which runs no tests. */
export const driftFormat = pagesFlag(PAGES, ` or ${QUALITY}`);

function pagesFlag(choices: readonly string[], last: string): Flag {
  return {
    name: "format",
    value: "FORMAT[=FILE]",
    many: true,
    choices,
    toFiles: true,
    help: `text (default), json, markdown (for a comment), html (a page of its own), sarif (for code scanning)${last}. With =FILE into a file instead; may be repeated, so that one run gives several.`,
  };
}

/** For problems with the files. */
export const problemsFormat: Flag = {
  name: "format",
  value: "FORMAT",
  choices: ["text", "json", "sarif", "codequality", "junit"],
  help: "text (default), json, sarif (for code scanning), codequality (for merge requests of GitLab) or junit (the tests of the files, a case each).",
};

export const maxBytes: Flag = {
  name: "max-bytes",
  value: "N",
  help: "With --format markdown: leave out details, then changes, where it would be longer. Default: 60000.",
};

/** For all commands that talk to the service. */
export const service: readonly Flag[] = [
  {
    name: "zone",
    value: "NAME",
    many: true,
    help: "Only the zones of this name; * matches any part. May be repeated.",
  },
  {
    name: "base-url",
    value: "URL",
    help: "The API's address. Default: CLOUDFLARE_BASE_URL, or Cloudflare's.",
  },
  {
    name: "concurrency",
    value: "N",
    help: "Requests under way at once, and zones written to at a time. Default: 4.",
  },
  {
    name: "rate-limit",
    value: "N/SECONDS",
    help: "At most N requests in any so many seconds, or off. Default: 960/300.",
  },
  { name: "timeout", value: "SECONDS", help: "How long one request may take. Default: 30." },
  {
    name: "max-wait",
    value: "SECONDS",
    help: "How long to wait when the service asks for a pause, or blocks. Default: 330.",
  },
];

export const guardrails: Flag = {
  name: "guardrails",
  value: "FILE",
  help: "More guardrails, from a file with what guardrails: has. They can only make it stricter.",
};

export const base: Flag = {
  name: "base",
  value: "DIR|git:REF",
  help: "The files before the change: a folder, or a commit of git. Tells what was changed in the files from what was changed outside them, and deletes what the files no longer have. One that cannot be read refuses: base_unread.",
};

export const changed: Flag = {
  name: "changed",
  help: "With --base: only the zones that the files change. The others are counted, and not read.",
};

export const only: Flag = {
  name: "only",
  value: "KIND[/NAME]",
  many: true,
  help: "Only objects of this kind, or of this kind and name (policy, policy/Checkout*); the others stay as they are. May be repeated.",
};

export const noImpact: Flag = {
  name: "no-impact",
  help: "Do not read what runs in the zones. What would be blocked or allowed of it is then not known, and guardrails about it say no.",
};

export const policy: Flag = {
  name: "policy",
  value: "NAME",
  many: true,
  help: "Only policies of this name; * matches any part. May be repeated.",
};

export const events: Flag = {
  name: "events",
  value: "PATH",
  many: true,
  help: "Logs of page_shield_events: files, folders, globs, or - for the standard input; plain or gzip. What browsers reported there is tried like what was detected. May be repeated.",
};

/** Request lines as log-push jobs write them. */
export const requests: Flag = {
  name: "requests",
  value: "PATH",
  many: true,
  help: "Lines of the log dataset http_requests, plain or gzip: a file, a folder, a glob, or - for standard input. Says how many of these requests each change is about. May be repeated.",
};

/** For adopt. */
export const withNew: Flag = {
  name: "new",
  help: "Declare also what is live and no file declares or lists under unmanaged.",
};

export const allow: Flag = {
  name: "allow",
  value: "GUARDRAIL",
  many: true,
  choices: GUARDRAILS,
  help: `Lift a guardrail for this run: ${GUARDRAILS.join(", ")}. May be repeated.`,
};

export const failOn: Flag = {
  name: "fail-on",
  value: "GUARDRAIL",
  many: true,
  choices: GUARDRAILS,
  help: "Exit with 3 where this guardrail says no, whether or not the files forbid it. May be repeated.",
};

/** Takes no value, or `=role`. */
export const who: Flag = {
  name: "who",
  choices: ["role"],
  help: "Say who changed what was changed outside the files, by the account's audit log (Account Settings Read); --who=role without names.",
};

export const maxAge: Flag = {
  name: "max-age",
  value: "MINUTES",
  help: "Refuse a saved plan, or a journal, that is older. plan writes into it until when it can be applied.",
};

export const verbose: Flag = {
  name: "verbose",
  short: "v",
  help: "Show the calls, and each request as it is made.",
};
