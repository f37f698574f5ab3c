import type { Ask, evaluator, Missing } from "../expression/evaluate/asking.js";
import type { Request } from "../expression/evaluate/evaluate.js";
import { parseFieldValue, requestOf } from "../expression/evaluate/request.js";
import { readExpression } from "../expression/parse/parse.js";
import type { Truth } from "../expression/value.js";
import type { Path } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import { charged } from "../model/work-budget.js";

/** The request of a test: the request for its page, or a request of its own. */
export interface Question {
  /** In words: `https://shop.example.com/checkout`, `POST https://shop.example.com/search`. */
  readonly subject: string;
  /** Null: the test is about a request. */
  readonly page: string | null;
  /** Whether the request matches an expression. If undecided, the missing facts. */
  matches(expression: string): Match;
}

export interface Match {
  readonly truth: Truth;
  /** Empty unless the truth is unknown. */
  readonly why: string;
}

/** The result of one check of a test. */
export type Answer =
  | { readonly as: "passes" }
  /** The reason, as sentences. `misasked`: the check makes no sense, whatever the zone contains. */
  | { readonly as: "fails" | "undecided" | "misasked"; readonly why: string };

export const PASSES = { as: "passes" } as const;

/** The answer where the objects that decide are not known. */
export function undeclared(objects: string): Answer {
  return {
    as: "undecided",
    why: `The live ${objects} are unknown. Declare the section, even if empty: the files do not declare it, or it could not be planned.`,
  };
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A mistake in a test that keeps it from running. */
export interface Mistake {
  readonly path: Path;
  readonly detail: string;
}

/**
 * The question that a test asks, or the mistakes in it.
 *
 * @param ask shared by the requests of all tests
 */
export function readQuestion(
  body: JsonObject,
  zone: string,
  ask: ReturnType<typeof evaluator>,
): { readonly question: Question | null; readonly mistakes: readonly Mistake[] } {
  const { page, request } = body;
  const parts = isObject(request) ? request : {};
  const mistakes: Mistake[] = [];
  if (page === undefined && request === undefined)
    return {
      question: null,
      mistakes: [{ path: [], detail: "The test has no page and no request. Add one of them." }],
    };
  for (const key of ["path", "host"])
    if (page !== undefined && parts[key] !== undefined)
      mistakes.push({
        path: ["request", key],
        detail: `The page already sets the ${key}. Remove ${key} or page.`,
      });
  const pageUrl = typeof page === "string" ? page : null;
  const url = pageUrl ?? `https://${text(parts.host, zone)}${text(parts.path, "/")}`;
  const method = text(parts.method, "GET");
  const fields = fieldsOf(parts, mistakes);
  const host = pageUrl === null ? text(parts.host, zone) : null;
  const built = requestOf(url, { method, ...headersOf(parts.headers, host), ...fields });
  if (!built.ok)
    mistakes.push({
      path: page === undefined ? ["request"] : ["page"],
      detail: built.problems.map(({ detail }) => detail).join(" "),
    });
  else if (!isIn(zone, built.value["http.host"]))
    mistakes.push({
      path: page === undefined ? ["request", "host"] : ["page"],
      detail: `The host is outside ${zone}. Write \${zone} for the zone's name, or move the test to the zone of the host.`,
    });
  if (!built.ok || mistakes.length > 0) return { question: null, mistakes };
  const subject = pageUrl ?? `${method} ${url}`;
  return { question: { subject, page: pageUrl, matches: matchingOf(ask(built.value), subject) }, mistakes };
}

/** Whether a host is in the zone, whatever its port. */
function isIn(zone: string, host: unknown): boolean {
  const name = typeof host === "string" ? host.replace(/:\d*$/, "") : "";
  return name === zone || name.endsWith(`.${zone}`);
}

function text(value: Json | undefined, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

function fieldsOf({ fields }: JsonObject, mistakes: Mistake[]): Request {
  return Object.fromEntries(
    Object.entries(isObject(fields) ? fields : {}).flatMap(([name, value]) => {
      const parsed = parseFieldValue(name, typeof value === "string" ? value : JSON.stringify(value));
      if (parsed.ok) return [[name, parsed.value] as const];
      mistakes.push({ path: ["request", "fields", name], detail: parsed.why });
      return [];
    }),
  );
}

/** All headers of the request, in the forms that expressions ask for. Without headers in the test, they are unknown. */
function headersOf(parts: Json | undefined, host: string | null): Request {
  if (!isObject(parts)) return {};
  const entries = Object.entries(parts).map(
    ([name, value]) => [name.toLowerCase(), isList(value) ? textsIn(value) : [String(value)]] as const,
  );
  const headers: Record<string, readonly string[]> = Object.fromEntries([
    ...(host === null ? [] : [["host", [host]] as const]),
    ...entries,
  ]);
  const first = (name: string) => headers[name]?.[0] ?? "";
  return {
    "http.request.headers": headers,
    "http.request.headers.names": Object.keys(headers),
    "http.request.headers.values": Object.values(headers).flat(),
    "http.user_agent": first("user-agent"),
    "http.referer": first("referer"),
    "http.cookie": first("cookie"),
    "http.x_forwarded_for": first("x-forwarded-for"),
  };
}

/** Evaluates each expression once. */
function matchingOf(ask: Ask, subject: string): Question["matches"] {
  const matches = new Map<string, Match>();
  return (expression) => {
    const answer = () => {
      const known = matches.get(expression);
      if (known !== undefined) return { value: known, work: LOOK_WORK };
      const asked = matchedBy(expression, ask);
      matches.set(expression, asked.value);
      return asked;
    };
    return charged(() => ["test", expression, subject], answer, TOO_MUCH_WORK);
  };
}

export const TOO_MUCH_WORK = {
  truth: "unknown",
  why: "the tests of the zone exceed the work limit",
} as const;

function matchedBy(expression: string, ask: Ask): { readonly value: Match; readonly work: number } {
  const parsed = readExpression(expression);
  if (!parsed.ok)
    return { value: { truth: "unknown", why: "the expression cannot be read" }, work: ASK_WORK };
  const { answer, work } = ask(parsed.tree);
  const value: Match =
    typeof answer === "boolean" ? { truth: answer, why: "" } : { truth: "unknown", why: whyOpen(answer) };
  return { value, work: ASK_WORK + work };
}

/** The cost of a known answer, and of a new one besides the work of its expression. */
const LOOK_WORK = 20;
const ASK_WORK = 200;

function whyOpen(missing: readonly Missing[]): string {
  const fields = missing.flatMap((each) => (each.as === "field" ? [fieldText(each)] : []));
  const lists = missing.flatMap((each) => (each.as === "list" ? [`$${each.name}`] : []));
  const unknown = missing.flatMap((each) => (each.as === "unknown" ? [each.name] : []));
  const parts = [
    ...(fields.length === 0
      ? []
      : [`the test lacks ${listText(fields)} (add to request.headers or request.fields)`]),
    ...(lists.length === 0 ? [] : [`the contents of the account's ${listText(lists)} are unknown`]),
    ...(unknown.length === 0 ? [] : [`unknown to this version: ${listText(unknown)}`]),
  ];
  return parts.length === 0 ? "the expression cannot be evaluated here" : parts.join(", and ");
}

function fieldText({ name, key }: Extract<Missing, { as: "field" }>): string {
  return key === null ? name : `${name}[${JSON.stringify(key)}]`;
}

function listText(names: readonly string[]): string {
  return [...new Set(names)].join(", ");
}
