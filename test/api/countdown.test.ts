import { describe, expect, test } from "vitest";
import { type Countdown, countdownsIn } from "../../src/api/wire.js";

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const own = (remaining: string, reset: string, date?: string) => ({
  "x-ratelimit-remaining": remaining,
  "x-ratelimit-reset": reset,
  ...(date === undefined ? {} : { date }),
});
const IN_5_S = "Sat, 21 Nov 2026 12:00:05 GMT";

type Row = readonly [sentence: string, headers: Record<string, string | string[]>, readonly Countdown[]];

const rows: readonly Row[] = [
  ["in a list", { ratelimit: '"default";r=50;t=30' }, [{ remaining: 50, forMs: 31_000 }]],
  [
    "in a list, in another order",
    { ratelimit: '"default";t=30; pk=:Y2Y=:; r=50' },
    [{ remaining: 50, forMs: 31_000 }],
  ],
  [
    "of several limits",
    { ratelimit: '"burst";r=4;t=1, "default";r=0;t=30' },
    [
      { remaining: 4, forMs: 2000 },
      { remaining: 0, forMs: 31_000 },
    ],
  ],
  [
    "of several limits, each in a header",
    { ratelimit: ['"burst";r=4;t=1', '"default";r=0;t=30'] },
    [
      { remaining: 4, forMs: 2000 },
      { remaining: 0, forMs: 31_000 },
    ],
  ],
  ["in headers of their own", own("7", IN_5_S), [{ remaining: 7, forMs: 6000 }]],
  [
    "by the service's clock",
    own("7", "Sat, 21 Nov 2026 15:00:05 GMT", "Sat, 21 Nov 2026 15:00:00 GMT"),
    [{ remaining: 7, forMs: 6000 }],
  ],
  [
    "in both ways",
    { ratelimit: '"default";r=8;t=6', ...own("7", IN_5_S) },
    [
      { remaining: 8, forMs: 7000 },
      { remaining: 7, forMs: 6000 },
    ],
  ],
  ["below zero, which is nothing", { ratelimit: '"default";r=-3;t=30' }, [{ remaining: 0, forMs: 31_000 }]],
  ["below zero, in headers of their own", own("-1", IN_5_S), [{ remaining: 0, forMs: 6000 }]],
  ["for no time any more", { ratelimit: '"default";r=0;t=0' }, [{ remaining: 0, forMs: 1000 }]],
  ["for a day", { ratelimit: '"default";r=0;t=86400' }, [{ remaining: 0, forMs: 86_401_000 }]],
];

const senseless: readonly Row[] = [
  ["nothing", {}, []],
  ["no time", { ratelimit: '"default";r=0' }, []],
  ["no number", { ratelimit: '"default";t=30' }, []],
  ["a time in the past", { ratelimit: '"default";r=0;t=-30' }, []],
  ["a time beyond a day", { ratelimit: '"default";r=0;t=86401' }, []],
  ["a time beyond all bounds", { ratelimit: `"default";r=0;t=${"9".repeat(40)}` }, []],
  ["text", { ratelimit: "soon", ...own("few", "later") }, []],
  ["other parameters", { ratelimit: '"default";rr=0;tt=30' }, []],
  ["broken numbers", { ratelimit: '"default";r=0.5;t=1e3, "b";r=;t=, ;=;' }, []],
  ["what remains without an end", { "x-ratelimit-remaining": "0" }, []],
  ["an end without what remains", { "x-ratelimit-reset": IN_5_S }, []],
  ["seconds where a date is documented", own("0", "5"), []],
  ["an end in the past", own("0", "Sat, 21 Nov 2026 11:59:59 GMT"), []],
  ["an end in another year", own("0", "Sun, 21 Nov 2027 12:00:05 GMT"), []],
];

describe("an answer that says what remains", () => {
  test.each(rows)("is understood %s", (_sentence, headers, expected) => {
    expect(countdownsIn(headers, NOW)).toEqual(expected);
  });

  test.each(senseless)("is not believed with %s", (_sentence, headers, expected) => {
    expect(countdownsIn(headers, NOW)).toEqual(expected);
  });

  test("is read only so far", () => {
    const headers = { ratelimit: Array(10_000).fill('"a";r=1;t=1').join(",") };
    expect(countdownsIn(headers, NOW).length).toBe(20);
  });
});
