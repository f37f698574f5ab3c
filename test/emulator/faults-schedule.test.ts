import { describe, expect, test } from "vitest";
import { striking } from "../../src/emulator/faults/striking.js";
import type { Emulator, Faults } from "../../src/emulator/index.js";
import { call, newPolicy, policyId, seed, shield, start } from "./call.js";

const policies = `${shield}/policies`;

/** Sends the requests and returns the fault that hit each of them. */
async function struck(emulator: Emulator, requests: readonly string[]): Promise<readonly (string | null)[]> {
  const before = emulator.log.length;
  for (const each of requests) {
    const [method = "", path = ""] = each.split(" ");
    await call(emulator, method, path, method === "GET" ? undefined : newPolicy);
  }
  return emulator.log.slice(before).map(({ fault }) => fault ?? null);
}

const GET = `GET ${shield}`;
const LIST = `GET ${policies}`;
const POST = `POST ${policies}`;
const PUT = `PUT ${policies}/${policyId}`;
const RUN = [GET, LIST, `${LIST}?page=1`, POST, PUT, POST];

describe("faults hit", () => {
  const rows: readonly [what: string, faults: Faults, struck: readonly number[]][] = [
    ["the nth request of all", { schedule: [{ nth: 2, fault: "500-before" }] }, [1]],
    ["the first request by default", { schedule: [{ fault: "500-before" }] }, [0]],
    ["the nth request with a method", { schedule: [{ nth: 2, method: "POST", fault: "500-before" }] }, [5]],
    ["the nth write", { schedule: [{ nth: 2, method: "write", fault: "500-before" }] }, [4]],
    ["the nth request for a path", { schedule: [{ nth: 3, path: policies, fault: "500-before" }] }, [3]],
    [
      "the nth request that matches a pattern",
      { schedule: [{ nth: 4, path: "*/policies*", fault: "500-before" }] },
      [4],
    ],
    [
      "the nth request with a method and a pattern",
      { schedule: [{ nth: 2, method: "GET", path: "*/pol*s", fault: "500-before" }] },
      [2],
    ],
    ["nothing if a pattern matches only a part", { schedule: [{ path: "/zones", fault: "500-before" }] }, []],
    [
      "nothing by a dot, which matches only itself",
      { schedule: [{ path: "/zones.*", fault: "500-before" }] },
      [],
    ],
    ["nothing after the last request", { schedule: [{ nth: 7, fault: "500-before" }] }, []],
    ["every listed request", { schedule: [2, 5].map((nth) => ({ nth, fault: "500-before" })) }, [1, 4]],
    ["every request with chance 1", { rates: [{ chance: 1, fault: "500-before" }] }, [0, 1, 2, 3, 4, 5]],
    ["no request with chance 0", { rates: [{ chance: 0, fault: "500-before" }] }, []],
    [
      "only matching requests with a rate",
      { rates: [{ chance: 1, method: "write", path: policies, fault: "500-before" }] },
      [3, 5],
    ],
  ];
  test.each(rows)("%s", async (_, faults, indexes) => {
    const emulator = await start({ seed, faults });
    const hits = (await struck(emulator, RUN)).flatMap((fault, index) => (fault === null ? [] : [index]));
    expect(hits).toEqual(indexes);
  });

  test("in schedule order, before any rate, and a skipped entry does not hit later", async () => {
    const schedule = (["500-before", "503-before"] as const).map((fault) => ({ fault }));
    const faults: Faults = { schedule, rates: [{ chance: 1, fault: "429-plain" }] };
    const emulator = await start({ seed, faults });
    expect(await struck(emulator, [GET, GET, GET])).toEqual(["500-before", "429-plain", "429-plain"]);
  });

  test("refused requests too", async () => {
    const emulator = await start({ seed, faults: { schedule: [{ nth: 2, fault: "500-before" }] } });
    expect(await struck(emulator, ["GET /nowhere", "GET /nowhere"])).toEqual([null, "500-before"]);
  });
});

describe("arming", () => {
  test("replaces earlier faults and restarts the count", async () => {
    const emulator = await start({ seed, faults: { schedule: [{ nth: 3, fault: "500-before" }] } });
    expect(await struck(emulator, [GET, GET])).toEqual([null, null]);
    emulator.arm({ schedule: [{ nth: 2, fault: "503-before" }] });
    expect(await struck(emulator, [GET, GET, GET])).toEqual([null, "503-before", null]);
    emulator.arm({});
    expect(await struck(emulator, [GET, GET])).toEqual([null, null]);
  });

  test("throws on invalid faults, names the place, and keeps the earlier faults", async () => {
    const emulator = await start({ seed, faults: { rates: [{ chance: 1, fault: "500-before" }] } });
    const bad: Faults = { schedule: [{ nth: 0, fault: "500-before" }] };
    expect(() => emulator.arm(bad)).toThrow("The emulator cannot be armed.\nAt /schedule/0/nth: ");
    expect(await struck(emulator, [GET])).toEqual(["500-before"]);
  });

  test("keeps the emulator from starting with invalid faults", async () => {
    const bad: Faults = { rates: [{ chance: 2, fault: "500-before" }] };
    await expect(start({ faults: bad })).rejects.toThrow("The emulator cannot start.\nAt /rates/0/chance: ");
  });

  test("names a zone that does not exist", async () => {
    const edit = { edit: "settings", zone: "shop.exmple", set: {} } as const;
    const said = "An edit names the unknown zone shop.exmple.";
    const faults: readonly Faults[] = [
      { schedule: [{ before: edit }] },
      { rates: [{ chance: 0.5, after: edit }] },
    ];
    for (const each of faults) await expect(start({ seed, faults: each })).rejects.toThrow(said);
  });
});

describe("chance", () => {
  const many = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? GET : LIST));
  const rates = [{ chance: 0.25, fault: "500-before" }] as const;
  const run = (faults: Faults, requests: readonly string[] = many) => {
    const strike = striking(faults);
    return requests.map((each) => {
      const [method = "", path = ""] = each.split(" ");
      return strike(method, path).fault?.name ?? null;
    });
  };

  test("repeats for the same seed and differs for another", () => {
    const first = run({ seed: 7, rates });
    expect(run({ seed: 7, rates })).toEqual(first);
    expect(run({ seed: 8, rates })).not.toEqual(first);
    expect(run({ rates })).toEqual(run({ seed: 1, rates }));
  });

  test("hits about as often as configured", () => {
    const hits = run({ rates }).filter((fault) => fault !== null).length;
    expect(hits).toBeGreaterThan(200);
    expect(hits).toBeLessThan(300);
  });

  test("gives each path the same hits in any order of requests", () => {
    const byPath = (requests: readonly string[]) => {
      const hits = run({ seed: 7, rates }, requests);
      return [GET, LIST].map((path) => hits.filter((_, index) => requests[index] === path));
    };
    expect(byPath([...many].sort())).toEqual(byPath(many));
  });

  test("of one rate is independent of another rate", () => {
    const [one] = rates;
    const twice = run({ seed: 7, rates: [one, { chance: 0.25, fault: "503-before" }] });
    expect(twice.filter((fault) => fault === "503-before").length).toBeGreaterThan(50);
    expect(twice.map((fault) => (fault === "500-before" ? fault : null))).toEqual(run({ seed: 7, rates }));
  });
});
