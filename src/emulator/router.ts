import type { Route } from "./routes/route.js";

/** What stands under a path: a route for each method, and the values of the path's parameters. */
interface Place {
  readonly routes: ReadonlyMap<string, Route>;
  readonly parameters: ReadonlyMap<string, string>;
}

export type Router = (path: string) => Place | null;

/** Finds routes by walking a tree of segments, so that the number of endpoints does not matter. */
export function createRouter(routes: readonly Route[]): Router {
  const root = branch();
  for (const route of routes) plant(root, route);
  return (path) => find(root, path);
}

interface Branch {
  readonly literal: Map<string, Branch>;
  /** For a segment that is no literal: its name, and what follows. */
  parameter: { readonly name: string; readonly next: Branch } | null;
  readonly routes: Map<string, Route>;
}

function branch(): Branch {
  return { literal: new Map(), parameter: null, routes: new Map() };
}

function plant(root: Branch, route: Route): void {
  let at = root;
  for (const segment of segments(route.path)) {
    at = segment.startsWith("{") ? parameterOf(at, segment.slice(1, -1)) : literalOf(at, segment);
  }
  at.routes.set(route.method, route);
}

function parameterOf(at: Branch, name: string): Branch {
  at.parameter ??= { name, next: branch() };
  return at.parameter.next;
}

function literalOf(at: Branch, segment: string): Branch {
  const next = at.literal.get(segment) ?? branch();
  at.literal.set(segment, next);
  return next;
}

function find(root: Branch, path: string): Place | null {
  const parameters = new Map<string, string>();
  let at = root;
  for (const segment of segments(path)) {
    const literal = at.literal.get(segment);
    if (literal !== undefined) {
      at = literal;
    } else if (at.parameter !== null) {
      parameters.set(at.parameter.name, segment);
      at = at.parameter.next;
    } else {
      return null;
    }
  }
  return at.routes.size === 0 ? null : { routes: at.routes, parameters };
}

function segments(path: string): readonly string[] {
  return path.split("/").slice(1);
}
