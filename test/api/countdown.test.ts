import { describe, expect, test } from "vitest";
import { type Countdown, countdownsIn } from "../../src/api/transport.js";

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const ratelimitHeaders = (remaining: string, reset: string, date?: string) => ({
  "x-ratelimit-remaining": remaining,
  "x-ratelimit-reset": reset,
  ...(date === undefined ? {} : { date }),
});
const IN_5_S = "Sat, 21 Nov 2026 12:00:05 GMT";

type Row = readonly [sentence: string, headers: Record<string, string | string[]>, readonly Countdown[]];

const rows: readonly Row[] = [
  ["in one list header", { ratelimit: '"default";r=50;t=30' }, [{ remaining: 50, forMs: 31_000 }]],
  [
    "in one list header with parameters in another order",
    { ratelimit: '"default";t=30; pk=:Y2Y=:; r=50' },
    [{ remaining: 50, forMs: 31_000 }],
  ],
  [
    "with several limits",
    { ratelimit: '"burst";r=4;t=1, "default";r=0;t=30' },
    [
      { remaining: 4, forMs: 2000 },
      { remaining: 0, forMs: 31_000 },
    ],
  ],
  [
    "with several limits in separate headers",
    { ratelimit: ['"burst";r=4;t=1', '"default";r=0;t=30'] },
    [
      { remaining: 4, forMs: 2000 },
      { remaining: 0, forMs: 31_000 },
    ],
  ],
  ["in x-ratelimit headers", ratelimitHeaders("7", IN_5_S), [{ remaining: 7, forMs: 6000 }]],
  [
    "relative to the service's clock",
    ratelimitHeaders("7", "Sat, 21 Nov 2026 15:00:05 GMT", "Sat, 21 Nov 2026 15:00:00 GMT"),
    [{ remaining: 7, forMs: 6000 }],
  ],
  [
    "in both forms",
    { ratelimit: '"default";r=8;t=6', ...ratelimitHeaders("7", IN_5_S) },
    [
      { remaining: 8, forMs: 7000 },
      { remaining: 7, forMs: 6000 },
    ],
  ],
  [
    "with a negative remainder, read as 0",
    { ratelimit: '"default";r=-3;t=30' },
    [{ remaining: 0, forMs: 31_000 }],
  ],
  [
    "with a negative remainder in x-ratelimit headers",
    ratelimitHeaders("-1", IN_5_S),
    [{ remaining: 0, forMs: 6000 }],
  ],
  ["with no time left", { ratelimit: '"default";r=0;t=0' }, [{ remaining: 0, forMs: 1000 }]],
  ["with a day left", { ratelimit: '"default";r=0;t=86400' }, [{ remaining: 0, forMs: 86_401_000 }]],
];

const senseless: readonly Row[] = [
  ["nothing", {}, []],
  ["a missing time", { ratelimit: '"default";r=0' }, []],
  ["a missing number", { ratelimit: '"default";t=30' }, []],
  ["a time in the past", { ratelimit: '"default";r=0;t=-30' }, []],
  ["a time of more than a day", { ratelimit: '"default";r=0;t=86401' }, []],
  ["a time out of range", { ratelimit: `"default";r=0;t=${"9".repeat(40)}` }, []],
  ["text", { ratelimit: "soon", ...ratelimitHeaders("few", "later") }, []],
  ["unknown parameters", { ratelimit: '"default";rr=0;tt=30' }, []],
  ["malformed numbers", { ratelimit: '"default";r=0.5;t=1e3, "b";r=;t=, ;=;' }, []],
  ["a remainder without a reset", { "x-ratelimit-remaining": "0" }, []],
  ["a reset without a remainder", { "x-ratelimit-reset": IN_5_S }, []],
  ["seconds instead of the documented date", ratelimitHeaders("0", "5"), []],
  ["a reset in the past", ratelimitHeaders("0", "Sat, 21 Nov 2026 11:59:59 GMT"), []],
  ["a reset in another year", ratelimitHeaders("0", "Sun, 21 Nov 2027 12:00:05 GMT"), []],
];

describe("the remaining requests in an answer", () => {
  test.each(rows)("are read %s", (_sentence, headers, expected) => {
    expect(countdownsIn(headers, NOW)).toEqual(expected);
  });

  test.each(senseless)("are ignored with %s", (_sentence, headers, expected) => {
    expect(countdownsIn(headers, NOW)).toEqual(expected);
  });

  test("are limited to 20 entries", () => {
    const headers = { ratelimit: Array(10_000).fill('"a";r=1;t=1').join(",") };
    expect(countdownsIn(headers, NOW).length).toBe(20);
  });
});
