import { requireObject, requireOneOf, requireText } from "../../model/arguments.js";
import { readUrl } from "../../model/url.js";
import { EFFECTIVE, type LoadKind } from "../directives.js";
import { integrityHashes } from "../source.js";
import { decodePath, isLoopback, type Origin, originOf, type Target, upgradeOrigin } from "./match-source.js";

/** Something that a page loads, or tries to. */
export interface Attempt {
  /** The URL of the page. Where it is none, `'self'` and hosts without a scheme match nothing. */
  readonly page: string;
  readonly csp: string;
  readonly kind: LoadKind;
  /** Relative to the page. Where it is none, nothing is loaded. */
  readonly url: string;
  /** Where the server sends the browser instead, relative to `url`. */
  readonly redirectedTo?: string;
  /** The script element's attributes. */
  readonly nonce?: string;
  readonly integrity?: string;
  /** Who put the script element there: the page's HTML, or a script of the page. */
  readonly inserted?: "parser" | "script";
}

/** A parsed attempt without its value, to be judged under many values. */
export interface Load {
  readonly kind: LoadKind;
  /** Null where the page has no origin. */
  readonly page: Origin | null;
  /** The URL, then what it redirects to; null where one of them is no URL. */
  readonly steps: readonly Step[] | null;
  readonly nonce: string | null;
  readonly hashes: readonly (string | null)[];
  readonly inserted: "parser" | "script";
}

export interface Step {
  readonly url: string;
  readonly target: Target;
  /** What is judged under a value that upgrades insecure requests. */
  readonly upgraded: Target;
  readonly afterRedirect: boolean;
}

/** @throws TypeError for an attempt that the types do not allow */
export function requireAttempt(attempt: Attempt): void {
  requireObject(attempt, "An attempt");
  const { page, csp, kind, url, redirectedTo, nonce, integrity, inserted } = attempt;
  requireOneOf(kind, Object.keys(EFFECTIVE), "kind");
  for (const [name, text] of Object.entries({ page, csp, url })) requireText(text, name);
  for (const [name, text] of Object.entries({ redirectedTo, nonce, integrity }))
    if (text !== undefined) requireText(text, name);
  if (inserted !== undefined) requireOneOf(inserted, ["parser", "script"], "inserted");
}

export function prepare(attempt: Omit<Attempt, "csp">): Load {
  const { kind, nonce, integrity, inserted = "parser" } = attempt;
  const page = readUrl(attempt.page);
  return {
    kind,
    page: page && pageOrigin(page),
    steps: steps(attempt, page),
    nonce: nonce === undefined ? null : nonce.replace(OUTER_SPACE, ""),
    hashes: integrity === undefined ? [] : integrityHashes(integrity),
    inserted,
  };
}

/** A blob: page has the origin of the page that made it, others without a host have none. */
function pageOrigin(page: URL): Origin | null {
  if (page.protocol !== "blob:") return page.protocol === "data:" ? null : originOf(page);
  const inner = readUrl(page.pathname);
  return inner && originOf(inner);
}

function steps({ kind, url, redirectedTo }: Omit<Attempt, "csp">, page: URL | null): Step[] | null {
  const asked = readUrl(url, page ?? undefined);
  if (asked === null) return null;
  // Chromium checks what `fetch` asks for before it upgrades it, a script and a WebSocket after that.
  const first = step(asked, kind === "script" || asked.protocol === "ws:", false);
  if (redirectedTo === undefined) return [first];
  const redirected = readUrl(redirectedTo, asked);
  return redirected && [first, step(redirected, true, true)];
}

function step(url: URL, isUpgraded: boolean, afterRedirect: boolean): Step {
  const target = { ...originOf(url), path: decodePath(url.pathname) };
  // Loopback hosts count as secure and are not upgraded.
  const upgraded = isUpgraded && !isLoopback(target.host) ? upgradeOrigin(target) : target;
  return { url: url.href, target, upgraded, afterRedirect };
}

/** What Chromium trims around the attribute: spaces by their direction in Unicode, so no no-break space. */
const OUTER_SPACE =
  /^[\t-\r \u1680\u2000-\u200a\u2028\u205f\u3000]+|[\t-\r \u1680\u2000-\u200a\u2028\u205f\u3000]+$/g;
