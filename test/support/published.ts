import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Attempt, ConnectionApi } from "../../src/csp/match/allows.js";
import type { Json } from "../../src/model/json.js";

/** Descriptions of the service, and verdicts of a browser and of the service's engine. They are not part of this repository. */
type Published =
  | "api/openapi.json"
  | "api/interface.md"
  | `data/csp/${(typeof CSP_VERDICTS)[number]}.jsonl`
  | `data/expression/${"valid" | "invalid" | "equivalence" | "eval"}.jsonl`
  | `data/expression/${"fields" | "functions" | "requests"}.json`;

/** Files with a browser's verdicts on values and loads. */
const CSP_VERDICTS = [
  "truth",
  "csp-hash-padding",
  "csp-vertical-tab",
  "csp-upgrade-apis",
  "csp-url-hash",
] as const;

/** One verdict, with the fields described in the README beside the files. */
export interface CspVerdict extends Omit<Attempt, "kind" | "redirectedTo" | "api"> {
  readonly id: string;
  readonly kind: "script" | "connect";
  readonly redirect?: string;
  /** The API that made the load. In the older files, connections are made by `fetch`. */
  readonly how?: string;
  readonly allowed: boolean;
  readonly directive?: string;
}

/** All verdicts; empty if the files are not available. */
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

/** Without WebSockets, which have their own URL schemes. */
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
 * The text of a published file.
 *
 * @param checks the checks that are skipped without the file, for the message
 * @returns null if the file is not available
 */
export function publishedText(name: Published, checks: string): string | null {
  const file = fileURLToPath(new URL(`../../../shared/${name}`, import.meta.url));
  if (existsSync(file)) return readFileSync(file, "utf8");
  console.warn(`SKIPPED: ${checks}; there is no ${file}`);
  return null;
}

/** The values of a file with one JSON value a line; empty if the file is not available. */
export function publishedLines(name: Published, checks: string): readonly Json[] {
  const text = publishedText(name, checks) ?? "";
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}
