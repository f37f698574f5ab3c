import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { failed, ok, type Result } from "../model/problem.js";
import type { Paging } from "../model/read-api.js";
import type { Contents } from "./envelope.js";
import { type ApiProblem, apiProblem } from "./problems.js";

/** One answer of a list. */
export interface Page {
  readonly items: readonly Json[];
  /** `result_info`; null: the list has none. */
  readonly info: PageInfo | null;
}

/** Each of them is null where the service does not say. */
export interface PageInfo {
  readonly perPage: number | null;
  readonly totalPages: number | null;
  readonly totalCount: number | null;
  /** For the next page. */
  readonly cursor: string | null;
}

/** Reads one page. */
export type ReadPage = (path: string) => Promise<Result<Page>>;

/** With the pages that are asked for here, room for more items than any list of the service may have. */
const MAX_PAGES = 1000;

/** The smallest `per_page` that any endpoint's published bounds allow: a page shorter than it is the last. */
const SMALLEST_PAGE = 5;

/**
 * All items of a list. A list may move while it is being paged, so an item that an earlier page had is dropped.
 * The list ends where the service says; where it does not say, at a page that brings nothing new.
 */
export async function allPages(
  read: ReadPage,
  path: string,
  paging: Paging,
): Promise<Result<readonly Json[]>> {
  const list = new Gathered(paging);
  let next = paging === "whole" ? path : pagePath(path, 1, paging.perPage);
  for (let number = 1; number <= MAX_PAGES; number++) {
    const page = await read(next);
    if (!page.ok) return page;
    const then = list.add(page.value, number);
    if (then === "end") return ok(list.items);
    if (then === "circle") return failed(endless(path, "was given the same cursor twice"));
    next = withQuery(path, then);
  }
  return failed(endless(path, `was answered with ${MAX_PAGES} pages, and there are more`));
}

export function pagePath(path: string, page: number, perPage: number): string {
  return withQuery(path, pageQuery(page, perPage));
}

function pageQuery(page: number, perPage: number): string {
  return `page=${page}&per_page=${perPage}`;
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

function endless(path: string, what: string): ApiProblem {
  return apiProblem("too_many_pages", { method: "GET", path }, { status: 200, codes: [], sent: true }, what);
}

/** The pages so far. */
class Gathered {
  readonly items: Json[] = [];
  readonly #paging: Paging;
  readonly #known = new Set<string>();
  readonly #cursors = new Set<string>();
  /** With items that came twice. */
  #received = 0;

  constructor(paging: Paging) {
    this.#paging = paging;
  }

  /** The query of the page after this one, or why there is none. */
  add(page: Page, number: number): string | "end" | "circle" {
    const fresh = page.items.filter((item) => !this.#known.has(identity(item)));
    for (const item of fresh) {
      this.#known.add(identity(item));
      this.items.push(item);
    }
    this.#received += page.items.length;
    const cursor = page.info?.cursor ?? null;
    if (cursor !== null) return this.#followed(cursor, fresh.length);
    const more = this.#cursors.size === 0 && this.#hasMore(page, number, fresh.length);
    if (!more) return "end";
    return this.#paging === "whole" ? `page=${number + 1}` : pageQuery(number + 1, this.#paging.perPage);
  }

  #followed(cursor: string, fresh: number): string {
    if (this.#cursors.has(cursor)) return fresh === 0 ? "end" : "circle";
    this.#cursors.add(cursor);
    const size = this.#paging === "whole" ? "" : `per_page=${this.#paging.perPage}&`;
    // Half a character cannot be encoded; as bytes it is what stands for one.
    return `${size}cursor=${encodeURIComponent(Buffer.from(cursor).toString())}`;
  }

  #hasMore({ items, info }: Page, number: number, fresh: number): boolean {
    const { totalPages = null, totalCount = null } = info ?? {};
    // A full page of known items: the endpoint takes no page number, whatever it says of pages.
    if (totalPages !== null && totalPages > number) return fresh > 0 || items.length === 0;
    if (fresh === 0) return false;
    // The published description of `total_count` lets it count what a filter leaves out, so pages go first.
    if (totalCount !== null && (totalPages === null || this.#paging === "whole"))
      return totalCount > this.#received;
    return totalPages === null && this.#paging !== "whole" && items.length >= SMALLEST_PAGE;
  }
}

function identity(item: Json): string {
  const id = isObject(item) ? item.id : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : JSON.stringify(item);
}

/** A list's answer as a page. */
export function pageOf(path: string, { result, info }: Contents): Result<Page> {
  if (isList(result)) return ok({ items: result, info: info === null ? null : pageInfo(info) });
  const facts = { status: 200, codes: [], sent: true } as const;
  return failed(apiProblem("not_a_list", { method: "GET", path }, facts, "was answered with HTTP 200"));
}

function pageInfo(info: JsonObject): PageInfo {
  return {
    perPage: whole(info.per_page),
    totalPages: whole(info.total_pages),
    totalCount: whole(info.total_count),
    cursor: text(isObject(info.cursors) ? info.cursors.after : undefined) ?? text(info.cursor),
  };
}

function whole(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
