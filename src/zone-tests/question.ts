import type { asking, Untold } from "../expression/evaluate/asking.js";
import type { Request } from "../expression/evaluate/evaluate.js";
import { givenValue, requestOf } from "../expression/evaluate/request.js";
import { readExpression } from "../expression/parse/parse.js";
import type { Truth } from "../expression/value.js";
import type { Path } from "../model/item.js";
import { isList, isObject, type Json, type JsonObject, textsIn } from "../model/json.js";

/** The request that a test is about: the one for its page, or one by itself. */
export interface Question {
  /** In words: `https://shop.example.com/checkout`, `POST https://shop.example.com/search`. */
  readonly subject: string;
  /** The page; null: the test is of a request. */
  readonly page: string | null;
  /** Whether the request matches an expression, and if that is open, what it is that the test does not tell. */
  matches(expression: string): Match;
}

export interface Match {
  readonly truth: Truth;
  /** Empty unless it is unknown. */
  readonly why: string;
}

/** What came of one thing that a test asks. */
export type Answer =
  | { readonly as: "passes" }
  /** Why, as sentences. `misasked`: it makes no sense, whatever there is in the zone. */
  | { readonly as: "fails" | "undecided" | "misasked"; readonly why: string };

/** What keeps a test from being run. */
export interface Misasked {
  readonly path: Path;
  readonly detail: string;
}

/**
 * What a test is about; or why it is about nothing.
 *
 * @param ask what is asked of the requests of all tests
 */
export function readQuestion(
  body: JsonObject,
  zone: string,
  ask: ReturnType<typeof asking>,
): { readonly question: Question | null; readonly wrong: readonly Misasked[] } {
  const { page, request } = body;
  const said = isObject(request) ? request : {};
  const wrong: Misasked[] = [];
  if (page === undefined && request === undefined)
    return {
      question: null,
      wrong: [{ path: [], detail: "It is about nothing. Give it a page or a request." }],
    };
  for (const key of ["path", "host"])
    if (page !== undefined && said[key] !== undefined)
      wrong.push({ path: ["request", key], detail: `The page says it already. Remove ${key}, or page.` });
  const url = typeof page === "string" ? page : `https://${text(said.host, zone)}${text(said.path, "/")}`;
  const method = text(said.method, "GET");
  const fields = fieldsOf(said, wrong);
  const host = typeof page === "string" ? null : text(said.host, zone);
  const made = requestOf(url, { method, ...headersOf(said.headers, host), ...fields });
  if (!made.ok)
    wrong.push({
      path: page === undefined ? ["request"] : ["page"],
      detail: made.problems.map(({ detail }) => detail).join(" "),
    });
  else if (!isIn(zone, made.value["http.host"]))
    wrong.push({
      path: page === undefined ? ["request", "host"] : ["page"],
      detail: `It is not in ${zone}, so nothing that the zone has is asked. Write \${zone} for the zone's name, or put the test into the zone that it is about.`,
    });
  if (!made.ok || wrong.length > 0) return { question: null, wrong };
  const subject = typeof page === "string" ? page : `${method} ${url}`;
  const isPage = typeof page === "string";
  return { question: { subject, page: isPage ? page : null, matches: matchingOf(ask(made.value)) }, wrong };
}

/** Whether a host is the zone's, whatever its port. */
function isIn(zone: string, host: unknown): boolean {
  const name = typeof host === "string" ? host.replace(/:\d*$/, "") : "";
  return name === zone || name.endsWith(`.${zone}`);
}

function text(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function fieldsOf({ fields }: JsonObject, wrong: Misasked[]): Request {
  return Object.fromEntries(
    Object.entries(isObject(fields) ? fields : {}).flatMap(([name, value]) => {
      const given = givenValue(name, typeof value === "string" ? value : JSON.stringify(value));
      if (given.ok) return [[name, given.value] as const];
      wrong.push({ path: ["request", "fields", name], detail: given.why });
      return [];
    }),
  );
}

/** All headers that it has, in the forms in which expressions ask for them. Where they are not said, nothing is known. */
function headersOf(written: Json | undefined, host: string | null): Request {
  if (!isObject(written)) return {};
  const said = Object.entries(written).map(
    ([name, value]) => [name.toLowerCase(), isList(value) ? textsIn(value) : [String(value)]] as const,
  );
  const headers: Record<string, readonly string[]> = Object.fromEntries([
    ...(host === null ? [] : [["host", [host]] as const]),
    ...said,
  ]);
  const one = (name: string) => headers[name]?.[0] ?? "";
  return {
    "http.request.headers": headers,
    "http.request.headers.names": Object.keys(headers),
    "http.request.headers.values": Object.values(headers).flat(),
    "http.user_agent": one("user-agent"),
    "http.referer": one("referer"),
    "http.cookie": one("cookie"),
    "http.x_forwarded_for": one("x-forwarded-for"),
  };
}

/** Each expression is asked once. */
function matchingOf(ask: ReturnType<ReturnType<typeof asking>>): Question["matches"] {
  const known = new Map<string, Match>();
  return (expression) => {
    const found = known.get(expression) ?? match(expression, ask);
    known.set(expression, found);
    return found;
  };
}

function match(expression: string, ask: ReturnType<ReturnType<typeof asking>>): Match {
  const parsed = readExpression(expression);
  if (!parsed.ok) return { truth: "unknown", why: "its expression cannot be read" };
  const answer = ask(parsed.tree);
  if (typeof answer === "boolean") return { truth: answer, why: "" };
  return { truth: "unknown", why: whyOpen(answer) };
}

function whyOpen(untold: readonly Untold[]): string {
  const fields = untold.flatMap((each) => (each.as === "field" ? [fieldText(each)] : []));
  const lists = untold.flatMap((each) => (each.as === "list" ? [`$${each.name}`] : []));
  const unknown = untold.flatMap((each) => (each.as === "unknown" ? [each.name] : []));
  const parts = [
    ...(fields.length === 0
      ? []
      : [`the test does not tell ${listed(fields)} (say it under request, in headers or fields)`]),
    ...(lists.length === 0 ? [] : [`what the account's ${listed(lists)} has is not known`]),
    ...(unknown.length === 0 ? [] : [`this version does not know ${listed(unknown)}`]),
  ];
  return parts.length === 0 ? "its expression asks what cannot be worked out here" : parts.join(", and ");
}

function fieldText({ name, key }: Extract<Untold, { as: "field" }>): string {
  return key === null ? name : `${name}[${JSON.stringify(key)}]`;
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].join(", ");
}
