import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Attempt, ConnectionApi } from "../../src/csp/match/allows.js";
import type { Json } from "../../src/model/json.js";

/** What describes the service, and the verdicts of a browser and of the real engine. None is part of this repository. */
type Published =
  | "api/openapi.json"
  | "api/interface.md"
  | `data/csp/${(typeof CSP_VERDICTS)[number]}.jsonl`
  | `data/expression/${"valid" | "invalid" | "equivalence" | "eval"}.jsonl`
  | `data/expression/${"fields" | "functions" | "requests"}.json`;

/** The files of verdicts that a browser gave on values and loads. */
const CSP_VERDICTS = [
  "truth",
  "csp-hash-padding",
  "csp-vertical-tab",
  "csp-upgrade-apis",
  "csp-url-hash",
] as const;

/** One of them, as the README beside the files gives its fields. */
export interface CspVerdict extends Omit<Attempt, "kind" | "redirectedTo" | "api"> {
  readonly id: string;
  readonly kind: "script" | "connect";
  readonly redirect?: string;
  /** By what it was loaded; in the older files connections are those of `fetch`. */
  readonly how?: string;
  readonly allowed: boolean;
  readonly directive?: string;
}

/** All of them; none where they are not at hand. */
export function cspVerdicts(checks: string): readonly CspVerdict[] {
  return CSP_VERDICTS.flatMap((name) => publishedLines(`data/csp/${name}.jsonl`, checks)).map(
    (line) => line as unknown as CspVerdict,
  );
}

export function attemptOf({ kind, redirect, how = "fetch", ...rest }: CspVerdict): Attempt {
  const redirected = redirect === undefined ? {} : { redirectedTo: redirect };
  if (kind === "script") return { ...rest, ...redirected, kind };
  const api = APIS[how];
  return { ...rest, ...redirected, kind: "connection", ...(api === undefined ? {} : { api }) };
}

/** WebSockets are none of them: their URLs say so. */
const APIS: Readonly<Record<string, ConnectionApi>> = {
  fetch: "fetch",
  fetchcors: "fetch",
  keepalive: "fetch",
  beacon: "beacon",
  xhr: "xhr",
  es: "eventsource",
  ping: "ping",
};

/**
 * The text of one of them.
 *
 * @param checks what is skipped without it, for the message that says so
 * @returns null where it is not at hand
 */
export function publishedText(name: Published, checks: string): string | null {
  const file = fileURLToPath(new URL(`../../../shared/${name}`, import.meta.url));
  if (existsSync(file)) return readFileSync(file, "utf8");
  console.warn(`SKIPPED: ${checks}; there is no ${file}`);
  return null;
}

/** The values of one that has a JSON value a line; none where it is not at hand. */
export function publishedLines(name: Published, checks: string): readonly Json[] {
  const text = publishedText(name, checks) ?? "";
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}
