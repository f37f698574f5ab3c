import { describe, expect, test } from "vitest";
import { allPages, type Page, type PageInfo, pageOf } from "../../src/api/pages.js";
import type { Json } from "../../src/model/json.js";
import { failed, ok, problem } from "../../src/model/problem.js";
import type { Paging } from "../../src/model/read-api.js";

const NOTHING_SAID: PageInfo = { perPage: null, totalPages: null, totalCount: null, cursor: null };

function page(ids: readonly (string | number)[], info: Partial<PageInfo> | null = null): Page {
  return { items: ids.map((id) => ({ id })), info: info === null ? null : { ...NOTHING_SAID, ...info } };
}

/** Reads all pages of a list. Each request gets the next answer, and the last answer repeats. */
async function paged(paging: Paging, answers: readonly Page[], path = "/list") {
  const asked: string[] = [];
  const read = async (each: string) => {
    asked.push(each);
    return ok(answers[Math.min(asked.length, answers.length) - 1] ?? page([]));
  };
  return { result: await allPages(read, path, paging), asked };
}

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const items = (from: number, to: number): Json => ids(from, to).map((id) => ({ id }));

type Case = readonly [
  sentence: string,
  paging: Paging,
  answers: readonly Page[],
  value: Json,
  asked: readonly string[],
];

const WHOLE = {};
const TWENTY = { perPage: 20 } as const;

const cases: readonly Case[] = [
  ["without result_info, a whole list is complete", WHOLE, [page(ids(1, 30))], items(1, 30), ["/list"]],
  [
    "a whole list of one page is complete",
    WHOLE,
    [page(ids(1, 3), { totalPages: 1, totalCount: 3 })],
    items(1, 3),
    ["/list"],
  ],
  [
    "a whole list that reports more pages is read on",
    WHOLE,
    [page(ids(1, 5), { totalPages: 2 }), page(ids(6, 7), { totalPages: 2 })],
    items(1, 7),
    ["/list", "/list?page=2"],
  ],
  [
    "a whole list that reports more items is read on",
    WHOLE,
    [page(ids(1, 5), { totalPages: 1, totalCount: 7 }), page(ids(6, 7), { totalCount: 7 })],
    items(1, 7),
    ["/list", "/list?page=2"],
  ],
  [
    "a whole list that ignores the page number is complete at its reported number of items",
    WHOLE,
    [page(ids(1, 5), { totalPages: 3, totalCount: 5 })],
    items(1, 5),
    ["/list", "/list?page=2"],
  ],
  [
    "a whole list that ignores the page number is complete if its items fill all its pages",
    WHOLE,
    [page(ids(1, 5), { perPage: 2, totalPages: 3 })],
    items(1, 5),
    ["/list", "/list?page=2"],
  ],
  ...[{ totalPages: 0, totalCount: 0 }, {}].map(
    (totals): Case => [
      `a whole list whose first page is full, with totals ${JSON.stringify(totals)}, is read on`,
      WHOLE,
      [
        page(ids(1, 2), { perPage: 2, ...totals }),
        page(ids(3, 4), { perPage: 2, ...totals }),
        page([5], totals),
      ],
      items(1, 5),
      ["/list", "/list?page=2", "/list?page=3"],
    ],
  ),
  [
    "a whole list without totals ends with a page that is not full",
    WHOLE,
    [page(ids(1, 3), { perPage: 20 })],
    items(1, 3),
    ["/list"],
  ],
  ["an empty whole list is empty", WHOLE, [page([], { totalPages: 0, totalCount: 0 })], [], ["/list"]],
  [
    "pages are read up to the total",
    TWENTY,
    [page(ids(1, 20), { totalPages: 2 }), page(ids(21, 40), { totalPages: 2 })],
    items(1, 40),
    ["/list?page=1&per_page=20", "/list?page=2&per_page=20"],
  ],
  [
    "a growing number of pages is followed",
    TWENTY,
    [
      page(ids(1, 20), { totalPages: 1 + 1 }),
      page(ids(21, 40), { totalPages: 3 }),
      page([41], { totalPages: 3 }),
    ],
    items(1, 41),
    [1, 2, 3].map((n) => `/list?page=${n}&per_page=20`),
  ],
  [
    "an empty page before the last is not the end",
    TWENTY,
    [page(ids(1, 20), { totalPages: 3 }), page([], { totalPages: 3 }), page([41], { totalPages: 3 })],
    [...ids(1, 20), 41].map((id) => ({ id })),
    [1, 2, 3].map((n) => `/list?page=${n}&per_page=20`),
  ],
  [
    "a number of items is enough",
    TWENTY,
    [page(ids(1, 20), { totalCount: 21 }), page([21], { totalCount: 21 })],
    items(1, 21),
    [1, 2].map((n) => `/list?page=${n}&per_page=20`),
  ],
  [
    "a server with a smaller page size is read to the end",
    { perPage: 100 },
    [
      page(ids(1, 10), { perPage: 10, totalCount: 25 }),
      page(ids(11, 20), { perPage: 10, totalCount: 25 }),
      page(ids(21, 25), { perPage: 10, totalCount: 25 }),
    ],
    items(1, 25),
    [1, 2, 3].map((n) => `/list?page=${n}&per_page=100`),
  ],
  [
    "a number of items beyond the number of pages is read for",
    TWENTY,
    [page([1], { totalPages: 1, totalCount: 2 }), page([2], { totalPages: 1, totalCount: 2 })],
    items(1, 2),
    [1, 2].map((n) => `/list?page=${n}&per_page=20`),
  ],
  [
    "without result_info, a very short page is the last",
    TWENTY,
    [page(ids(1, 4))],
    items(1, 4),
    ["/list?page=1&per_page=20"],
  ],
  [
    "without result_info, a page of a smaller size may have a next page",
    TWENTY,
    [page(ids(1, 5)), page(ids(6, 7))],
    items(1, 7),
    [1, 2].map((n) => `/list?page=${n}&per_page=20`),
  ],
  [
    "without result_info, a repeated page is the end",
    TWENTY,
    [page(ids(1, 20))],
    items(1, 20),
    [1, 2].map((n) => `/list?page=${n}&per_page=20`),
  ],
  [
    "items that move to the next page are listed once",
    TWENTY,
    [page(ids(1, 20), { totalPages: 2 }), page([20, 21], { totalPages: 2 })],
    items(1, 21),
    [1, 2].map((n) => `/list?page=${n}&per_page=20`),
  ],
  [
    "cursors are followed",
    WHOLE,
    [page([1], { cursor: "a&b" }), page([2], { cursor: "c" }), page([3], {})],
    items(1, 3),
    ["/list", "/list?cursor=a%26b", "/list?cursor=c"],
  ],
  [
    "an empty page with a cursor is not the end",
    WHOLE,
    [page([], { cursor: "a" }), page([1], {})],
    items(1, 1),
    ["/list", "/list?cursor=a"],
  ],
  [
    "cursors keep the page size",
    TWENTY,
    [page([1], { cursor: "a", totalPages: 9 }), page([2], { totalPages: 9 })],
    items(1, 2),
    ["/list?page=1&per_page=20", "/list?per_page=20&cursor=a"],
  ],
  [
    "a repeated cursor is the end if all reported items are there",
    WHOLE,
    [page([1], { cursor: "a", totalCount: 1 })],
    items(1, 1),
    ["/list", "/list?cursor=a"],
  ],
];

type ShortCase = readonly [sentence: string, paging: Paging, answers: readonly Page[], what: RegExp];

const short: readonly ShortCase[] = [
  [
    "that reports more items and repeats itself",
    WHOLE,
    [page([1], { perPage: 1, totalPages: 3, totalCount: 3 })],
    /1 items? of a list that counts 3/,
  ],
  ["that reports more items than its only page has", WHOLE, [page([1], { totalCount: 3 })], /counts 3/],
  [
    "that reports more items before an empty page",
    TWENTY,
    [page([1], { totalCount: 50 }), page([], { totalCount: 50 })],
    /counts 50/,
  ],
  [
    "that reports fewer items after its last page",
    WHOLE,
    [page([1], { totalPages: 1, totalCount: 3 }), page([], { totalCount: 0 })],
    /counts 3/,
  ],
  [
    "that changes between pages and repeats an item",
    TWENTY,
    [page(ids(1, 20), { totalCount: 21 }), page([20, 21], { totalCount: 22 })],
    /21 items of a list that counts 22/,
  ],
  [
    "that reports more pages and repeats the first",
    TWENTY,
    [page(ids(1, 20), { perPage: 20, totalPages: 3 })],
    /same items again on page 2 of 3/,
  ],
  ["that repeats its cursor and items", WHOLE, [page([1], { cursor: "a" })], /same cursor twice/],
  [
    "that repeats its cursor with other items",
    WHOLE,
    [page([1], { cursor: "a" }), page([2], { cursor: "a" })],
    /same cursor twice/,
  ],
  [
    "whose cursors end before its reported number of items",
    WHOLE,
    [page([1], { cursor: "a", totalCount: 3 }), page([2], { totalCount: 3 })],
    /counts 3/,
  ],
];

describe("a list", () => {
  test.each(cases)("%s", async (_sentence, paging, answers, value, asked) => {
    expect(await paged(paging, answers)).toEqual({ result: { ok: true, value }, asked });
  });

  test.each(short)("%s is reported as incomplete", async (_sentence, paging, answers, what) => {
    const { result } = await paged(paging, answers);
    const problems = result.ok ? [] : result.problems;
    expect(problems.map(({ code }) => code)).toEqual(["incomplete_list"]);
    expect(problems[0]?.detail).toMatch(what);
  });

  test("with a filter is read on if it reports zero pages and still has items", async () => {
    const none = { totalPages: 0, totalCount: 25 };
    const answers = [page(ids(1, 20), none), page(ids(21, 25), none)];
    const { result } = await paged(TWENTY, answers, "/list?status=active");
    expect(result).toEqual(ok(items(1, 25)));
  });

  test("with a filter may report a number of items that ignores the filter", async () => {
    const answers = [page([1], { totalPages: 1, totalCount: 2000 })];
    const { result } = await paged(TWENTY, answers, "/list?status=active");
    expect(result).toEqual({ ok: true, value: items(1, 1) });
    const ordered = await paged(TWENTY, answers, "/list?order=name&direction=asc");
    expect(ordered.result.ok).toBe(false);
  });

  test("may report its numbers as text", () => {
    const info = { per_page: "2", total_pages: "3", total_count: "5" };
    expect(pageOf("/list", { result: [], info } as never)).toMatchObject({
      value: { info: { perPage: 2, totalPages: 3, totalCount: 5 } },
    });
  });

  test("keeps its own query parameters", async () => {
    const { asked } = await paged({ perPage: 50 }, [page([1])], "/zones?name=a");
    expect(asked).toEqual(["/zones?name=a&page=1&per_page=50"]);
  });

  test("without an end is a problem after 1,000 pages", async () => {
    let reads = 0;
    const read = async () => ok(page([++reads], { totalPages: 1_000_000 }));
    const result = await allPages(read, "/list", { perPage: 5 });
    expect(result.ok ? "" : result.problems[0]?.code).toBe("too_many_pages");
    expect(reads).toBe(1000);
  });

  test("beyond the requested length is another problem", async () => {
    const result = await allPages(async () => ok(page([1], { totalPages: 3 })), "/list", { mostPages: 1 });
    expect(result.ok ? [] : result.problems).toMatchObject([
      {
        code: "list_too_long",
        detail: expect.stringContaining("has more than 1 page"),
      },
    ]);
  });

  test("with one unreadable page is a problem, not a shorter list", async () => {
    const read = async (path: string) =>
      path.includes("page=1")
        ? ok(page(ids(1, 20), { totalPages: 2 }))
        : failed(problem("server_error", "s", "d"));
    const result = await allPages(read, "/list", { perPage: 20 });
    expect(result.ok ? "" : result.problems[0]?.code).toBe("server_error");
  });

  test("of items without ids keeps equal items", async () => {
    const twins = { items: [{ name: "a" }, { name: "a" }], info: null };
    expect((await paged(WHOLE, [twins])).result).toEqual({ ok: true, value: twins.items });
  });
});
