import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { failed, ok, type Result } from "../model/problem.js";
import type { Paging } from "../model/read-api.js";
import type { Contents } from "./envelope.js";
import { type ApiProblem, apiProblem, type Failure } from "./problems.js";

export interface Page {
  readonly items: readonly Json[];
  /** `result_info`; null: the list has none. */
  readonly info: PageInfo | null;
}

/** null: the service does not give the value. */
export interface PageInfo {
  readonly perPage: number | null;
  readonly totalPages: number | null;
  readonly totalCount: number | null;
  readonly cursor: string | null;
}

export type ReadPage = (path: string) => Promise<Result<Page>>;

/** With this client's page sizes, room for more items than any list of the service may have. */
const MAX_PAGES = 1000;

/** The smallest `per_page` that any endpoint's published bounds allow. A shorter page is the last one. */
export const SMALLEST_PAGE = 5;

/**
 * All items of a list. A list may change while it is being paged, so an item that was on an earlier page is dropped.
 * The list ends where the service says so, otherwise at a page without new items. A list with fewer items than it
 * counts is an error: the missing items would be taken for absent.
 */
export async function allPages(
  read: ReadPage,
  path: string,
  { perPage, mostPages }: Paging = {},
): Promise<Result<readonly Json[]>> {
  const most = mostPages ?? MAX_PAGES;
  const list = new Gathered(perPage ?? null, isFiltered(path));
  let next = perPage === undefined ? path : pagePath(path, 1, perPage);
  for (let number = 1; number <= most; number++) {
    const page = await read(next);
    if (!page.ok) return page;
    const then = list.add(page.value, number);
    if (then.as === "page") next = withQuery(path, then.query);
    else if (then.lacks === null) return ok(list.items);
    else return failed(listProblem("incomplete_list", path, then.lacks));
  }
  return failed(
    listProblem(
      mostPages === undefined ? "too_many_pages" : "list_too_long",
      path,
      `has more than ${most === 1 ? "1 page" : `${most} pages`}`,
    ),
  );
}

/** Whether the query filters the list; sorting does not. */
function isFiltered(path: string): boolean {
  return /[?&](?!order=|direction=)/.test(path);
}

export function pagePath(path: string, page: number, perPage: number): string {
  return withQuery(path, `page=${page}&per_page=${perPage}`);
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

function listProblem(failure: Failure, path: string, detail: string): ApiProblem {
  return apiProblem(failure, { method: "GET", path }, { status: 200, codes: [], sent: true }, detail);
}

type Then =
  | { readonly as: "page"; readonly query: string }
  /** Evidence that items are missing, as the middle of a problem's detail; null: none. */
  | { readonly as: "end"; readonly lacks: string | null };

class Gathered {
  readonly items: Json[] = [];
  /** Items per page; null: the service decides. */
  readonly #perPage: number | null;
  readonly #isFiltered: boolean;
  readonly #identities = new Set<string>();
  readonly #cursors = new Set<string>();
  /** Including items that came twice. */
  #received = 0;
  /** The highest count on any page; null: no page had one. */
  #counted: number | null = null;

  constructor(perPage: number | null, isFiltered: boolean) {
    this.#perPage = perPage;
    this.#isFiltered = isFiltered;
  }

  /** What follows after this page. */
  add(page: Page, number: number): Then {
    const fresh = page.items.filter((item) => !this.#identities.has(identity(item)));
    for (const item of fresh) {
      this.#identities.add(identity(item));
      this.items.push(item);
    }
    this.#received += page.items.length;
    this.#count(page.info?.totalCount ?? null);
    const cursor = page.info?.cursor ?? null;
    if (cursor !== null) return this.#followed(cursor);
    const more = this.#cursors.size === 0 && this.#hasMore(page, number, fresh.length);
    if (!more) return { as: "end", lacks: this.#lacks(page, number) };
    const size = this.#perPage === null ? "" : `&per_page=${this.#perPage}`;
    return { as: "page", query: `page=${number + 1}${size}` };
  }

  /** The published description lets `total_count` count filtered items too. With a filter, it is ignored. */
  #count(total: number | null): void {
    if (total !== null && !this.#isFiltered) this.#counted = Math.max(total, this.#counted ?? 0);
  }

  #followed(cursor: string): Then {
    if (this.#cursors.has(cursor)) {
      const isAll = this.#counted !== null && this.items.length >= this.#counted;
      return { as: "end", lacks: isAll ? null : "was given the same cursor twice" };
    }
    this.#cursors.add(cursor);
    const size = this.#perPage === null ? "" : `per_page=${this.#perPage}&`;
    // A lone surrogate cannot be encoded. As bytes, it becomes the replacement character.
    return { as: "page", query: `${size}cursor=${encodeURIComponent(Buffer.from(cursor).toString())}` };
  }

  #hasMore({ items, info }: Page, number: number, fresh: number): boolean {
    // Zero pages or zero items contradict a page that has items: ignore them.
    const usable = (total: number | null = null) => (items.length > 0 ? total || null : total);
    const [totalPages, totalCount] = [usable(info?.totalPages), usable(info?.totalCount)];
    // A full page of known items: the endpoint ignores page numbers, whatever it says of pages.
    if (totalPages !== null && totalPages > number) return fresh > 0 || items.length === 0;
    if (fresh === 0) return false;
    if (totalCount !== null && (totalPages === null || !this.#isFiltered)) return totalCount > this.#received;
    return totalPages === null && items.length >= this.#fullPage(info);
  }

  /** A page with fewer items is the last one. A list that is not paged is complete. */
  #fullPage(info: PageInfo | null): number {
    return this.#perPage === null ? info?.perPage || Number.POSITIVE_INFINITY : SMALLEST_PAGE;
  }

  /** The count decides. Without one, the pages that are left decide, unless the items fill all of them. */
  #lacks({ info }: Page, number: number): string | null {
    const count = this.items.length;
    if (this.#counted !== null) {
      return count < this.#counted
        ? `was answered with ${count} items of a list that counts ${this.#counted}`
        : null;
    }
    const { totalPages = null, perPage = null } = info ?? {};
    if (this.#cursors.size > 0 || totalPages === null || totalPages <= number) return null;
    if (perPage !== null && count > (totalPages - 1) * perPage) return null;
    return `was answered with the same items again on page ${number} of ${totalPages}`;
  }
}

function identity(item: Json): string {
  const id = isObject(item) ? item.id : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : JSON.stringify(item);
}

/** A list's answer as a page. An empty list may be null. */
export function pageOf(path: string, { result, info }: Contents): Result<Page> {
  if (isList(result) || result === null)
    return ok({ items: result ?? [], info: info === null ? null : pageInfo(info) });
  const facts = { status: 200, codes: [], sent: true } as const;
  return failed(apiProblem("not_a_list", { method: "GET", path }, facts, "returned HTTP 200"));
}

function pageInfo(info: JsonObject): PageInfo {
  return {
    perPage: whole(info.per_page),
    totalPages: whole(info.total_pages),
    totalCount: whole(info.total_count),
    cursor: text(isObject(info.cursors) ? info.cursors.after : undefined) ?? text(info.cursor),
  };
}

/** Accepts a number written as text. */
function whole(value: Json | undefined): number | null {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 0 ? number : null;
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
