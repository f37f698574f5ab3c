import { allows } from "../../src/csp/match/allows.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";

/** The protecting parts of a zone in the emulator's state. */
export interface Zone {
  readonly settings?: { readonly enabled?: unknown };
  readonly policies?: readonly Policy[];
  readonly rulesets?: readonly { readonly phase?: string; readonly rules?: readonly Rule[] }[];
  readonly logpush_jobs?: readonly Job[];
}

interface Policy {
  readonly action: string;
  readonly enabled: unknown;
  readonly expression: string;
  readonly value: string;
}

interface Override {
  readonly category?: string;
  readonly id?: string;
  readonly enabled?: unknown;
  readonly score_threshold?: number;
  readonly action?: string;
}

interface Rule {
  readonly enabled?: unknown;
  readonly action_parameters?: {
    readonly overrides?: { readonly categories?: readonly Override[]; readonly rules?: readonly Override[] };
  };
}

interface Job {
  readonly dataset?: string;
  readonly enabled?: unknown;
  readonly logpull_options?: string;
  readonly output_options?: { readonly field_names?: readonly string[] };
}

/** Everything that the zone stops, reports or logs, of a sample of loads and requests, each as a sentence. */
export function stoppedIn(zone: Zone): ReadonlySet<string> {
  return new Set([
    ...(isOn(zone.settings?.enabled) ? ["the service is on"] : []),
    ...blockedIn(zone),
    ...loads.flatMap((load) =>
      (zone.policies ?? []).some((policy) => refuses(policy, load)) ? [`${wordsFor(load)} is reported`] : [],
    ),
    ...managedIn(zone),
    ...loggedIn(zone),
  ]);
}

/** The loads that some page of the zone refuses. */
export function blockedIn({ policies = [] }: Zone): ReadonlySet<string> {
  const blocking = policies.filter(({ action }) => action === "allow");
  const blocked = loads.filter((load) => blocking.some((policy) => refuses(policy, load)));
  return new Set(blocked.map((load) => `${wordsFor(load)} is blocked`));
}

interface Load {
  readonly host: string;
  readonly page: string;
  readonly kind: "script" | "connection";
  readonly from: string;
}

const loads: readonly Load[] = ["shop.example.com", "blog.example.com", "www.example.com"].flatMap((host) =>
  ["/", "/checkout/pay"].flatMap((page) =>
    (["script", "connection"] as const).flatMap((kind) =>
      [host, "cdn.example", "other.example"].map((from) => ({ host, page, kind, from })),
    ),
  ),
);

function wordsFor({ host, page, kind, from }: Load): string {
  return `a ${kind} of ${from} on ${host}${page}`;
}

function refuses({ enabled, expression, value: csp }: Policy, { host, page, kind, from }: Load): boolean {
  const request = { "http.host": host, "http.request.uri.path": page };
  if (!isOn(enabled) || evaluate(expression, request) !== true) return false;
  return allows({ csp, page: `https://${host}${page}`, kind, url: `https://${from}/x` }).allowed === false;
}

function isOn(flag: unknown): boolean {
  return flag === true || flag === "true";
}

/** The settings of the managed ruleset. Its levels are on unless switched off. */
function managedIn({ rulesets = [] }: Zone): readonly string[] {
  const list = rulesets.find(({ phase }) => phase === "http_request_firewall_managed");
  return (list?.rules ?? []).filter(({ enabled }) => isOn(enabled ?? true)).flatMap(doneBy);
}

function doneBy({ action_parameters: { overrides = {} } = {} }: Rule): readonly string[] {
  const { categories = [], rules = [] } = overrides;
  const isOff = (level: number) =>
    categories.some((each) => each.category === `paranoia-level-${level}` && each.enabled === false);
  const { score_threshold: threshold = 40, action = "block" } = rules[0] ?? {};
  return [
    "the managed ruleset runs",
    ...[1, 2, 3, 4].filter((level) => !isOff(level)).map((level) => `level ${level} runs`),
    ...[25, 40, 60].filter((score) => score >= threshold).map((score) => `a score of ${score} is enough`),
    ...(action === "block" ? ["requests are blocked"] : []),
    "requests are logged",
  ];
}

function loggedIn({ logpush_jobs: jobs = [] }: Zone): readonly string[] {
  return jobs
    .filter(({ enabled }) => isOn(enabled))
    .flatMap((job) => fieldsOf(job).map((field) => `${job.dataset} logs ${field}`));
}

function fieldsOf({ logpull_options: options = "", output_options: output }: Job): readonly string[] {
  return output?.field_names ?? (new URLSearchParams(options).get("fields") ?? "").split(",");
}
