import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { failed, ok, type Result } from "../model/problem.js";
import type { Paging } from "../model/read-api.js";
import type { Contents } from "./envelope.js";
import { type ApiProblem, apiProblem, type Failure } from "./problems.js";

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
export const SMALLEST_PAGE = 5;

/**
 * All items of a list. A list may move while it is being paged, so an item that an earlier page had is dropped.
 * The list ends where the service says; where it does not say, at a page that brings nothing new. One that has fewer
 * items than it says is no list: what it lacks would be taken for absent.
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
      `was answered with ${most === 1 ? "1 page" : `${most} pages`}, and there are more`,
    ),
  );
}

/** Whether a path asks for a part of the list; an order does not. */
function isFiltered(path: string): boolean {
  return /[?&](?!order=|direction=)/.test(path);
}

export function pagePath(path: string, page: number, perPage: number): string {
  return withQuery(path, `page=${page}&per_page=${perPage}`);
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

function listProblem(failure: Failure, path: string, what: string): ApiProblem {
  return apiProblem(failure, { method: "GET", path }, { status: 200, codes: [], sent: true }, what);
}

type Then =
  | { readonly as: "page"; readonly query: string }
  /** What shows that not all items have come, as the middle of a problem's detail; null: nothing. */
  | { readonly as: "end"; readonly lacks: string | null };

/** The pages so far. */
class Gathered {
  readonly items: Json[] = [];
  /** Items a page. Null: as the service likes. */
  readonly #perPage: number | null;
  readonly #isFiltered: boolean;
  readonly #known = new Set<string>();
  readonly #cursors = new Set<string>();
  /** With items that came twice. */
  #received = 0;
  /** The most items that any page has said there are; null: none has. */
  #counted: number | null = null;

  constructor(perPage: number | null, isFiltered: boolean) {
    this.#perPage = perPage;
    this.#isFiltered = isFiltered;
  }

  /** What follows after this page. */
  add(page: Page, number: number): Then {
    const fresh = page.items.filter((item) => !this.#known.has(identity(item)));
    for (const item of fresh) {
      this.#known.add(identity(item));
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

  /** The published description of `total_count` lets it count what a filter leaves out: then it says nothing. */
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
    // Half a character cannot be encoded; as bytes it is what stands for one.
    return { as: "page", query: `${size}cursor=${encodeURIComponent(Buffer.from(cursor).toString())}` };
  }

  #hasMore({ items, info }: Page, number: number, fresh: number): boolean {
    // None, of a list that has items, is no number of pages, and no count.
    const usable = (total: number | null = null) => (items.length > 0 ? total || null : total);
    const [totalPages, totalCount] = [usable(info?.totalPages), usable(info?.totalCount)];
    // A full page of known items: the endpoint takes no page number, whatever it says of pages.
    if (totalPages !== null && totalPages > number) return fresh > 0 || items.length === 0;
    if (fresh === 0) return false;
    if (totalCount !== null && (totalPages === null || !this.#isFiltered)) return totalCount > this.#received;
    return totalPages === null && items.length >= this.#fullPage(info);
  }

  /** As many items as may be all that fit. A list that nobody pages is whole. */
  #fullPage(info: PageInfo | null): number {
    return this.#perPage === null ? info?.perPage || Number.POSITIVE_INFINITY : SMALLEST_PAGE;
  }

  /** A count decides; without one, the pages that are left do, unless what has come needs them all. */
  #lacks({ info }: Page, number: number): string | null {
    const has = this.items.length;
    if (this.#counted !== null) {
      return has < this.#counted
        ? `was answered with ${has} items of a list that counts ${this.#counted}`
        : null;
    }
    const { totalPages = null, perPage = null } = info ?? {};
    if (this.#cursors.size > 0 || totalPages === null || totalPages <= number) return null;
    if (perPage !== null && has > (totalPages - 1) * perPage) return null;
    return `was answered with the same items again on page ${number} of ${totalPages}`;
  }
}

function identity(item: Json): string {
  const id = isObject(item) ? item.id : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : JSON.stringify(item);
}

/** A list's answer as a page. Where there is nothing in it, the service may answer null. */
export function pageOf(path: string, { result, info }: Contents): Result<Page> {
  if (isList(result) || result === null)
    return ok({ items: result ?? [], info: info === null ? null : pageInfo(info) });
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

/** A number as text is that number. */
function whole(value: Json | undefined): number | null {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 0 ? number : null;
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
