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
  const filtered = isFiltered(path);
  const size = perPage === undefined ? [] : [`per_page=${perPage}`];
  const items: Json[] = [];
  const identities = new Set<string>();
  const cursors = new Set<string>();
  // Including items that came twice.
  let received = 0;
  // The highest count on any page; null: no page had one.
  let counted: number | null = null;
  let query = perPage === undefined ? [] : ["page=1", ...size];
  for (let number = 1; number <= most; number++) {
    const page = await read(withQuery(path, query.join("&")));
    if (!page.ok) return page;
    const { info } = page.value;
    const fresh = page.value.items.filter((item) => !identities.has(identity(item)));
    for (const item of fresh) {
      identities.add(identity(item));
      items.push(item);
    }
    received += page.value.items.length;
    // The published description lets `total_count` count filtered items too. With a filter, it is ignored.
    const total = filtered ? null : (info?.totalCount ?? null);
    if (total !== null) counted = Math.max(total, counted ?? 0);
    const cursor = info?.cursor ?? null;
    if (cursor !== null && !cursors.has(cursor)) {
      cursors.add(cursor);
      // A lone surrogate cannot be encoded. As bytes, it becomes the replacement character.
      query = [...size, `cursor=${encodeURIComponent(Buffer.from(cursor).toString())}`];
      continue;
    }
    const isAll = counted !== null && items.length >= counted;
    if (cursor !== null) return isAll ? ok(items) : incomplete(path, "was given the same cursor twice");
    const seen = { number, fresh: fresh.length, received, filtered, isPaged: perPage !== undefined };
    if (cursors.size === 0 && hasMore(page.value, seen)) {
      query = [`page=${number + 1}`, ...size];
      continue;
    }
    if (counted !== null && !isAll)
      return incomplete(path, `was answered with ${items.length} items of a list that counts ${counted}`);
    const unread = isAll || cursors.size > 0 ? null : unreadPages(info, number, items.length);
    return unread === null ? ok(items) : incomplete(path, unread);
  }
  const failure = mostPages === undefined ? "too_many_pages" : "list_too_long";
  return failed(listProblem(failure, path, `has more than ${most === 1 ? "1 page" : `${most} pages`}`));
}

/** Whether the query filters the list; sorting does not. */
function isFiltered(path: string): boolean {
  return /[?&](?!order=|direction=)/.test(path);
}

export function pagePath(path: string, page: number, perPage: number): string {
  return withQuery(path, `page=${page}&per_page=${perPage}`);
}

function withQuery(path: string, query: string): string {
  return query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

/** @param lacks evidence that items are missing, as the middle of a problem's detail */
function incomplete(path: string, lacks: string): Result<never> {
  return failed(listProblem("incomplete_list", path, lacks));
}

function listProblem(failure: Failure, path: string, detail: string): ApiProblem {
  return apiProblem(failure, { method: "GET", path }, { status: 200, codes: [], sent: true }, detail);
}

/** What is known after a page. */
interface Seen {
  readonly number: number;
  /** The new items of the page. */
  readonly fresh: number;
  readonly received: number;
  readonly filtered: boolean;
  /** Whether pages of a certain size are asked for. */
  readonly isPaged: boolean;
}

function hasMore({ items, info }: Page, { number, fresh, received, filtered, isPaged }: Seen): boolean {
  // Zero pages or zero items contradict a page that has items: ignore them.
  const usable = (total: number | null = null) => (items.length > 0 ? total || null : total);
  const [totalPages, totalCount] = [usable(info?.totalPages), usable(info?.totalCount)];
  // A full page of known items: the endpoint ignores page numbers, whatever it says of pages.
  if (totalPages !== null && totalPages > number) return fresh > 0 || items.length === 0;
  if (fresh === 0) return false;
  if (totalCount !== null && (totalPages === null || !filtered)) return totalCount > received;
  // A page with fewer items is the last one. A list that is not paged is complete.
  const fullPage = isPaged ? SMALLEST_PAGE : info?.perPage || Number.POSITIVE_INFINITY;
  return totalPages === null && items.length >= fullPage;
}

/** Without a count, the pages that are left tell that items are missing, unless the items fill all of them. */
function unreadPages(info: PageInfo | null, number: number, items: number): string | null {
  const { totalPages = null, perPage = null } = info ?? {};
  if (totalPages === null || totalPages <= number) return null;
  if (perPage !== null && items > (totalPages - 1) * perPage) return null;
  return `was answered with the same items again on page ${number} of ${totalPages}`;
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
