import { describe, expect, test } from "vitest";
import { striking } from "../../src/emulator/faults/striking.js";
import type { Emulator, Faults } from "../../src/emulator/index.js";
import { call, newPolicy, policyId, seed, shield, start } from "./call.js";

const policies = `${shield}/policies`;

/** What a run of requests is, and which fault struck each. */
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

describe("the schedule strikes", () => {
  const rows: readonly [what: string, faults: Faults, struck: readonly number[]][] = [
    ["the nth request of all", { schedule: [{ nth: 2, fault: "500-before" }] }, [1]],
    ["the first one where nothing is said", { schedule: [{ fault: "500-before" }] }, [0]],
    ["the nth of a method", { schedule: [{ nth: 2, method: "POST", fault: "500-before" }] }, [5]],
    ["the nth write", { schedule: [{ nth: 2, method: "write", fault: "500-before" }] }, [4]],
    ["the nth of a path", { schedule: [{ nth: 3, path: policies, fault: "500-before" }] }, [3]],
    ["the nth of a pattern", { schedule: [{ nth: 4, path: "*/policies*", fault: "500-before" }] }, [4]],
    ["the nth of both", { schedule: [{ nth: 2, method: "GET", path: "*/pol*s", fault: "500-before" }] }, [2]],
    [
      "nothing that a pattern does not fit whole",
      { schedule: [{ path: "/zones", fault: "500-before" }] },
      [],
    ],
    ["no character as if it were a pattern's", { schedule: [{ path: "/zones.*", fault: "500-before" }] }, []],
    ["nothing after the last request", { schedule: [{ nth: 7, fault: "500-before" }] }, []],
    ["all that is listed", { schedule: [2, 5].map((nth) => ({ nth, fault: "500-before" })) }, [1, 4]],
    ["each request with the chance 1", { rates: [{ chance: 1, fault: "500-before" }] }, [0, 1, 2, 3, 4, 5]],
    ["none with the chance 0", { rates: [{ chance: 0, fault: "500-before" }] }, []],
    [
      "with a rate only what fits",
      { rates: [{ chance: 1, method: "write", path: policies, fault: "500-before" }] },
      [3, 5],
    ],
  ];
  test.each(rows)("%s", async (_, faults, indexes) => {
    const emulator = await start({ seed, faults });
    const hits = (await struck(emulator, RUN)).flatMap((fault, index) => (fault === null ? [] : [index]));
    expect(hits).toEqual(indexes);
  });

  test("with what stands first, and before any rate; what was passed over does not come later", async () => {
    const schedule = (["500-before", "503-before"] as const).map((fault) => ({ fault }));
    const faults: Faults = { schedule, rates: [{ chance: 1, fault: "429-plain" }] };
    const emulator = await start({ seed, faults });
    expect(await struck(emulator, [GET, GET, GET])).toEqual(["500-before", "429-plain", "429-plain"]);
  });

  test("requests that are refused, too", async () => {
    const emulator = await start({ seed, faults: { schedule: [{ nth: 2, fault: "500-before" }] } });
    expect(await struck(emulator, ["GET /nowhere", "GET /nowhere"])).toEqual([null, "500-before"]);
  });
});

describe("arming", () => {
  test("counts anew, in place of what was armed before", async () => {
    const emulator = await start({ seed, faults: { schedule: [{ nth: 3, fault: "500-before" }] } });
    expect(await struck(emulator, [GET, GET])).toEqual([null, null]);
    emulator.arm({ schedule: [{ nth: 2, fault: "503-before" }] });
    expect(await struck(emulator, [GET, GET, GET])).toEqual([null, "503-before", null]);
    emulator.arm({});
    expect(await struck(emulator, [GET, GET])).toEqual([null, null]);
  });

  test("with a mistake throws, says where, and leaves armed what was", async () => {
    const emulator = await start({ seed, faults: { rates: [{ chance: 1, fault: "500-before" }] } });
    const bad: Faults = { schedule: [{ nth: 0, fault: "500-before" }] };
    expect(() => emulator.arm(bad)).toThrow("The emulator cannot be armed.\nAt /schedule/0/nth: ");
    expect(await struck(emulator, [GET])).toEqual(["500-before"]);
  });

  test("at the start with a mistake keeps the emulator from starting", async () => {
    const bad: Faults = { rates: [{ chance: 2, fault: "500-before" }] };
    await expect(start({ faults: bad })).rejects.toThrow("The emulator cannot start.\nAt /rates/0/chance: ");
  });

  test("names a zone that is not there", async () => {
    const edit = { edit: "settings", zone: "shop.exmple", set: {} } as const;
    const said = "An edit names the zone shop.exmple, and there is none of that name.";
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

  test("is the same with the same seed, and another with another", () => {
    const first = run({ seed: 7, rates });
    expect(run({ seed: 7, rates })).toEqual(first);
    expect(run({ seed: 8, rates })).not.toEqual(first);
    expect(run({ rates })).toEqual(run({ seed: 1, rates }));
  });

  test("strikes about as often as it says", () => {
    const hits = run({ rates }).filter((fault) => fault !== null).length;
    expect(hits).toBeGreaterThan(200);
    expect(hits).toBeLessThan(300);
  });

  test("is the same for each path although requests overtake each other", () => {
    const byPath = (requests: readonly string[]) => {
      const hits = run({ seed: 7, rates }, requests);
      return [GET, LIST].map((path) => hits.filter((_, index) => requests[index] === path));
    };
    expect(byPath([...many].sort())).toEqual(byPath(many));
  });

  test("of one rate has nothing to do with that of another", () => {
    const [one] = rates;
    const twice = run({ seed: 7, rates: [one, { chance: 0.25, fault: "503-before" }] });
    expect(twice.filter((fault) => fault === "503-before").length).toBeGreaterThan(50);
    expect(twice.map((fault) => (fault === "500-before" ? fault : null))).toEqual(run({ seed: 7, rates }));
  });
});
