import { describe, expect, test } from "vitest";
import { allPages, type Page } from "../../src/api/pages.js";
import { apiProblem } from "../../src/api/problems.js";
import { findZones, idMismatches, type SoughtZone, type ZoneList } from "../../src/api/zones.js";
import type { Json } from "../../src/model/json.js";
import { failed, ok, problem, type Result } from "../../src/model/problem.js";
import { fc } from "../support/random.js";

interface Zone {
  readonly id: string;
  readonly name: string;
  readonly accountId?: string;
}

interface Habits {
  readonly sorts: boolean;
  readonly filters: boolean;
  readonly says: "pages" | "items" | "nothing";
}

const USUAL: Habits = { sorts: true, filters: true, says: "pages" };

/** A zone list in memory that records its requests. */
function zoneList(zones: readonly Zone[], habits: Habits = USUAL): ZoneList & { readonly asked: string[] } {
  const asked: string[] = [];
  const page = async (path: string): Promise<Result<Page>> => {
    asked.push(path);
    const query = new URLSearchParams(path.split("?")[1]);
    const perPage = Number(query.get("per_page"));
    const number = Number(query.get("page"));
    const named = query.get("name");
    const kept = named === null || !habits.filters ? zones : zones.filter(({ name }) => name === named);
    const sorted =
      habits.sorts && query.get("order") === "name"
        ? [...kept].sort((a, b) => (a.name < b.name ? -1 : 1))
        : kept;
    const items = sorted.slice((number - 1) * perPage, number * perPage).map(card);
    const totalPages = habits.says === "pages" ? Math.ceil(kept.length / perPage) : null;
    const info = { perPage, totalPages, totalCount: kept.length, cursor: null };
    return ok({ items, info: habits.says === "nothing" ? null : info });
  };
  return { asked, page, list: (path, paging) => allPages(page, path, paging) };
}

function card({ id, name, accountId }: Zone): Json {
  return accountId === undefined ? { id, name } : { id, name, account: { id: accountId } };
}

const sought = (...names: readonly string[]): readonly SoughtZone[] =>
  names.map((name) => ({ name, accountId: null }));
const many = (count: number): readonly Zone[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `id${n}`,
    name: `zone-${String(n).padStart(5, "0")}.example`,
    accountId: "acc",
  }));
const outcome = (result: Result<{ id: string }> | undefined) =>
  result?.ok === true ? result.value.id : result?.problems[0]?.code;

async function found(list: ZoneList, zones: readonly SoughtZone[]): Promise<readonly unknown[]> {
  const map = await findZones(list, zones);
  return zones.map(({ name }) => outcome(map.get(name)));
}

describe("finding zones", () => {
  test("asks for one zone by name", async () => {
    const list = zoneList(many(500));
    const map = await findZones(list, sought("zone-00499.example"));
    expect(map.get("zone-00499.example")).toEqual({
      ok: true,
      value: { id: "id499", name: "zone-00499.example", accountId: "acc", idle: null, plan: null },
    });
    expect(list.asked).toEqual(["/zones?name=zone-00499.example&page=1&per_page=50"]);
  });

  test("sends no request for no zones", async () => {
    const list = zoneList(many(3));
    expect((await findZones(list, [])).size).toBe(0);
    expect(list.asked).toEqual([]);
  });

  test("sends one request if all zones fit on a page", async () => {
    const list = zoneList(many(50));
    expect(await found(list, sought("zone-00007.example", "zone-00049.example", "missing.example"))).toEqual([
      "id7",
      "id49",
      "zone_not_found",
    ]);
    expect(list.asked.length).toBe(1);
  });

  test("asks by name for a few zones that are not on the first page", async () => {
    const list = zoneList(many(5000));
    expect(await found(list, sought("zone-00001.example", "zone-04000.example"))).toEqual(["id1", "id4000"]);
    expect(list.asked.length).toBe(2);
  });

  test("reads all pages if that takes fewer requests", async () => {
    const list = zoneList(many(300));
    expect(await found(list, sought(...many(300).map(({ name }) => name)))).toEqual(
      many(300).map(({ id }) => id),
    );
    expect(list.asked.length).toBe(6);
  });

  test("sends at most one request, plus one for each remaining name or page", async () => {
    const habits = fc.record({
      sorts: fc.constant(true),
      filters: fc.constant(true),
      says: fc.constantFrom("pages" as const, "items" as const),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 400 }),
        fc.uniqueArray(fc.integer({ min: 0, max: 450 }), { minLength: 2, maxLength: 40 }),
        habits,
        async (count, numbers, each) => {
          const list = zoneList(many(count), each);
          const names = many(451)
            .filter((_, n) => numbers.includes(n))
            .map(({ name }) => name);
          const expected = numbers
            .sort((a, b) => a - b)
            .map((n) => (n < count ? `id${n}` : "zone_not_found"));
          expect(await found(list, sought(...names))).toEqual(expected);
          // A second zone of the last name may be on the next page, so that name counts as remaining.
          const namesLeft = numbers.filter((n) => n >= 49).length;
          const pagesLeft = Math.max(0, Math.ceil(count / 50) - 1);
          expect(list.asked.length).toBeLessThanOrEqual(1 + Math.min(namesLeft, pagesLeft));
        },
      ),
      { numRuns: 60 },
    );
  });

  const uncounted: Habits = { ...USUAL, says: "nothing" };

  test.each([
    [300, 300, 7], // Only an empty page ends this list.
    [299, 299, 6],
    [300, 100, 3],
    [20, 20, 2],
    [3, 3, 1],
  ])("in a list of %i without totals, finds %i by pages in %i requests", async (count, names, most) => {
    const list = zoneList(many(count), uncounted);
    const wanted = many(names);
    expect(await found(list, sought(...wanted.map(({ name }) => name)))).toEqual(wanted.map(({ id }) => id));
    expect(list.asked.length).toBe(most);
    expect(list.asked.every((each) => !each.includes("name="))).toBe(true);
  });

  test("asks by name for a few remaining zones of a long list without totals", async () => {
    const list = zoneList(many(5000), uncounted);
    const names = ["zone-00001.example", "zone-03000.example", "zone-04000.example"];
    expect(await found(list, sought(...names))).toEqual(["id1", "id3000", "id4000"]);
    expect(list.asked.length).toBeLessThanOrEqual(1 + 2 * names.length);
  });

  test("keeps what earlier pages found if a later page fails", async () => {
    const whole = zoneList(many(200), uncounted);
    const list: ZoneList = {
      list: whole.list,
      page: async (path) =>
        path.includes("page=3") ? failed(problem("server_error", "No", "no")) : whole.page(path),
    };
    const results = await found(list, sought(...many(200).map(({ name }) => name)));
    expect(results.slice(0, 99)).toEqual(many(99).map(({ id }) => id));
    expect(new Set(results.slice(99))).toEqual(new Set(["server_error"]));
  });

  test("does not rely on the service's filter, order or totals", async () => {
    for (const filters of [true, false]) {
      for (const sorts of [true, false]) {
        for (const says of ["pages", "items", "nothing"] as const) {
          const zones = [...many(120)].reverse();
          expect(
            await found(
              zoneList(zones, { filters, sorts, says }),
              sought("zone-00119.example", "zone-00002.example", "no.example"),
            ),
          ).toEqual(["id119", "id2", "zone_not_found"]);
          expect(
            await found(zoneList(zones, { filters, sorts, says }), sought("zone-00060.example")),
          ).toEqual(["id60"]);
        }
      }
    }
  });
});

describe("a zone name", () => {
  test.each([
    ["in capitals", "SHOP.Example.com"],
    ["with its last dot", "shop.example.com."],
  ])("%s finds the same zone", async (_how, name) => {
    const list = zoneList([{ id: "a", name: "shop.example.com" }]);
    expect(await found(list, sought(name))).toEqual(["a"]);
    expect(list.asked[0]).toContain("name=shop.example.com&");
  });

  test("in Unicode equals its punycode form", async () => {
    expect(
      await found(zoneList([{ id: "a", name: "xn--bcher-kva.example" }]), sought("bücher.example")),
    ).toEqual(["a"]);
    expect(
      await found(
        zoneList([{ id: "a", name: "bücher.example" }], { ...USUAL, filters: false }),
        sought("xn--bcher-kva.example"),
      ),
    ).toEqual(["a"]);
  });

  test("is not found as a part of another name", async () => {
    const list = zoneList(
      [
        { id: "a", name: "myshop.example.com" },
        { id: "b", name: "example.com" },
      ],
      { ...USUAL, filters: false },
    );
    expect(await found(list, sought("shop.example.com"))).toEqual(["zone_not_found"]);
  });

  test("cannot add parameters to the query", async () => {
    const list = zoneList([{ id: "a", name: "x.example" }]);
    expect(await found(list, sought("x.example&account.id=1"))).toEqual(["zone_not_found"]);
    expect(list.asked[0]).toMatch(/^\/zones\?name=x\.example%26account\.id%3D1&page/);
  });
});

describe("a name with several zones", () => {
  const twins = [
    { id: "one", name: "x.example", accountId: "acc1" },
    { id: "two", name: "x.example", accountId: "acc2" },
  ];

  test("is a problem that lists the zones", async () => {
    const result = (await findZones(zoneList(twins), sought("x.example"))).get("x.example");
    expect(outcome(result)).toBe("zone_ambiguous");
    expect(result?.ok === false && result.problems[0]?.detail).toMatch(
      /zone one in account acc1, zone two in account acc2/,
    );
  });

  test("is resolved by the account", async () => {
    expect(await found(zoneList(twins), [{ name: "x.example", accountId: "acc2" }])).toEqual(["two"]);
  });

  test("is noticed across pages and in an unordered list", async () => {
    const last = { id: "far", name: "zone-00049.example", accountId: "other" };
    expect(
      await found(zoneList([...many(80), last]), sought("zone-00001.example", "zone-00049.example")),
    ).toEqual(["id1", "zone_ambiguous"]);
    const early = { id: "far", name: "zone-00001.example", accountId: "other" };
    expect(
      await found(
        zoneList([...[...many(50)].reverse(), ...many(80).slice(50), early], { ...USUAL, sorts: false }),
        sought("zone-00001.example", "zone-00002.example"),
      ),
    ).toEqual(["zone_ambiguous", "id2"]);
  });

  test("in other accounts than the given one is a problem that lists the zones", async () => {
    const result = (await findZones(zoneList(twins), [{ name: "x.example", accountId: "acc3" }])).get(
      "x.example",
    );
    expect(outcome(result)).toBe("zone_in_other_account");
    expect(result?.ok === false && result.problems[0]?.detail).toMatch(
      /account acc3 .* zone one in account acc1/,
    );
  });
});

describe("an unusable answer", () => {
  test("is an id that is unsafe in a path", async () => {
    for (const id of ["../accounts", "a/b", "", "a".repeat(65), "a?b"]) {
      expect(await found(zoneList([{ id, name: "x.example" }]), sought("x.example"))).toEqual([
        "unexpected_answer",
      ]);
    }
  });

  test("is an unreadable list, which makes no zone absent", async () => {
    const read = async () =>
      failed(
        apiProblem(
          "unauthorized",
          { method: "GET", path: "/zones" },
          { status: 403, codes: [], sent: true },
          "returned HTTP 403",
        ),
      );
    const list: ZoneList = { page: read, list: read };
    expect(await found(list, sought("a.example"))).toEqual(["unauthorized"]);
    expect(await found(list, sought("a.example", "b.example"))).toEqual(["unauthorized", "unauthorized"]);
    const result = (await findZones(list, sought("a.example"))).get("a.example");
    expect(result?.ok === false && result.problems[0]?.detail).toMatch(/Zone Read/);
  });

  test("is an unreadable later page, only for zones that are not found yet", async () => {
    const whole = zoneList(many(200));
    const list: ZoneList = {
      page: async (path) =>
        path.includes("page=3")
          ? failed(
              apiProblem(
                "server_error",
                { method: "GET", path },
                { status: 500, codes: [], sent: true },
                "failed",
              ),
            )
          : whole.page(path),
      list: whole.list,
    };
    const names = many(200).map(({ name }) => name);
    const results = await found(list, sought(...names));
    expect(results.slice(0, 99)).toEqual(many(99).map(({ id }) => id));
    expect(new Set(results.slice(99))).toEqual(new Set(["server_error"]));
  });
});

describe("an id that is compared with its name", () => {
  const zones = [
    { id: "id1", name: "shop.example", accountId: "acc" },
    { id: "id2", name: "sandbox.example", accountId: "acc" },
    { id: "id3", name: "sandbox.example", accountId: "other" },
  ];
  const sandbox = { name: "sandbox.example", accountId: null };
  const heldAgainstList = async (zone: SoughtZone & { readonly id: string }, habits: Habits = USUAL) => {
    const list = zoneList(zones, habits);
    const problems = (await idMismatches(list, [zone])).get(zone.name) ?? [];
    return { codes: problems.map(({ code }) => code), text: problems[0]?.detail ?? "", asked: list.asked };
  };

  test.each([true, false])(
    "is correct for any zone of that name, in one request (filter: %s)",
    async (filters) => {
      for (const id of ["id2", "id3"]) {
        const { codes, asked } = await heldAgainstList({ ...sandbox, id }, { ...USUAL, filters });
        expect([codes, asked.length]).toEqual([[], 1]);
      }
    },
  );

  test.each([true, false])(
    "is wrong for another zone, and the problem names both (filter: %s)",
    async (filters) => {
      const { codes, text } = await heldAgainstList({ ...sandbox, id: "id1" }, { ...USUAL, filters });
      expect(codes).toEqual(["zone_id_mismatch"]);
      expect(text).toContain("gives sandbox.example the id id1, which is the zone shop.example there");
      expect(text).toContain("sandbox.example is zone id2 in account acc, zone id3 in account other");
    },
  );

  test("is wrong if no zone has the name, or the zone is in another account", async () => {
    expect((await heldAgainstList({ name: "x.example", accountId: null, id: "id1" })).text).toContain(
      "gives x.example the id id1, which is the zone shop.example",
    );
    expect((await heldAgainstList({ name: "x.example", accountId: null, id: "id9" })).codes).toEqual([
      "zone_not_found",
    ]);
    expect((await heldAgainstList({ ...sandbox, accountId: "acc", id: "id3" })).codes).toEqual([
      "zone_in_other_account",
    ]);
  });

  test("is a problem if the list cannot be read", async () => {
    const read = async () => failed(problem("unauthorized", "No", "no"));
    const held = await idMismatches({ page: read, list: read }, [{ ...sandbox, id: "id2" }]);
    expect(held.get(sandbox.name)?.map(({ code }) => code)).toEqual(["unauthorized"]);
  });

  test("is checked together with names, whichever requests are made", async () => {
    const all = [...many(120).map((each) => ({ ...each, id: `m-${each.id}` })), ...zones];
    const results = await found(zoneList(all), [
      ...sought("zone-00001.example", "zone-00100.example"),
      { ...sandbox, id: "id3" },
      { name: "shop.example", accountId: null, id: "id2" },
    ]);
    expect(results).toEqual(["m-id1", "m-id100", "id3", "zone_id_mismatch"]);
  });
});

describe("a pinned zone", () => {
  const zones = [...many(3), { id: "id9", name: "pinned.example", accountId: "acc" }];
  const names = ["zone-00000.example", "zone-00001.example"];

  test.each([
    ["in agreement with the list is found", { id: "id9", name: "pinned.example", accountId: "acc" }, "id9"],
    ["missing from the list is left open", { id: "id8", name: "other.example", accountId: null }, undefined],
    [
      "with another zone's id is a problem",
      { id: "id2", name: "pinned.example", accountId: null },
      "zone_id_mismatch",
    ],
    [
      "in another account is a problem",
      { id: "id9", name: "pinned.example", accountId: "else" },
      "zone_in_other_account",
    ],
  ])("%s", async (_, pinned, expected) => {
    const found = await findZones(zoneList(zones), sought(...names), [pinned]);
    expect(outcome(found.get(pinned.name))).toBe(expected);
    expect(outcome(found.get("zone-00001.example"))).toBe("id1");
  });

  test("causes no request of its own", async () => {
    const list = zoneList(zones);
    await findZones(list, [], [{ id: "id9", name: "x.example", accountId: null }]);
    expect(list.asked).toEqual([]);
  });
});
