import { isObject, type Json } from "../model/json.js";
import { type Answer, apiError, failure } from "./answer.js";
import type { Router } from "./router.js";
import { noSuchRoute, type World } from "./routes/route.js";

/** Where the API begins on its host; it ends in the version segment, as the service's own base address does. */
export const BASE_PATH = "/client/v4";

/** A request as the server has read it. */
export interface Received {
  readonly method: string;
  /** The whole path with its query, base included. */
  readonly target: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: Body;
}

export type Body =
  | { readonly as: "json"; readonly value: Json }
  /** Also: nothing at all. */
  | { readonly as: "not json" }
  | { readonly as: "too large" };

export interface Credentials {
  readonly token: string;
  readonly email: string;
  readonly key: string;
}

/** Answers a request: who asks, then what for, then with what body. The content type is never asked for. */
export function answerTo(request: Received, router: Router, credentials: Credentials, world: World): Answer {
  if (!isAuthentic(request.headers, credentials))
    return failure(403, apiError("Authentication error", 10000));
  const { path, query } = targetOf(request);
  const place = request.target.startsWith(`${BASE_PATH}/`) ? router(path) : null;
  if (place === null) return noSuchRoute(request.target);
  const route = place.routes.get(request.method);
  if (route === undefined) return failure(405, apiError(`${request.method} is not allowed for ${path}`));
  const call = { path, query: new URLSearchParams(query), parameters: place.parameters, body: {} };
  if (request.method === "GET" || request.method === "DELETE") return route.answer(call, world);
  if (request.body.as === "too large") return failure(413, apiError("the request body is too large"));
  if (request.body.as === "not json") return failure(400, apiError("the request body is not valid JSON"));
  if (!isObject(request.body.value)) return failure(400, apiError("the request body is not a JSON object"));
  return route.answer({ ...call, body: request.body.value }, world);
}

/** Both schemes are accepted everywhere; users see this code for a wrong token and for one without permission. */
function isAuthentic(headers: Received["headers"], { token, email, key }: Credentials): boolean {
  if (headers.authorization !== undefined) return headers.authorization === `Bearer ${token}`;
  return headers["x-auth-email"] === email && headers["x-auth-key"] === key;
}

/** The path and the query after the base. */
export function targetOf(request: Received): { readonly path: string; readonly query: string } {
  const { target } = request;
  const afterBase = target.startsWith(BASE_PATH) ? target.slice(BASE_PATH.length) : target;
  const mark = afterBase.indexOf("?");
  if (mark === -1) return { path: afterBase, query: "" };
  return { path: afterBase.slice(0, mark), query: afterBase.slice(mark + 1) };
}
