import { describe, expect, onTestFinished, test, vi } from "vitest";
import { httpDateMs } from "../../src/api/transport.js";
import { fc } from "../support/random.js";

const EXAMPLE = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("an HTTP date", () => {
  test.each([
    ["in the usual form", "Sun, 06 Nov 1994 08:49:37 GMT", EXAMPLE],
    ["in the obsolete RFC 850 form", "Sunday, 06-Nov-94 08:49:37 GMT", EXAMPLE],
    ["on a leap day", "Thu, 29 Feb 2024 00:00:00 GMT", Date.UTC(2024, 1, 29)],
    ["with a two-digit year of this century", "Saturday, 21-Nov-26 00:00:00 GMT", Date.UTC(2026, 10, 21)],
  ])("is accepted %s", (_form, text, ms) => {
    expect(httpDateMs(text)).toBe(ms);
  });

  test.each([
    [""],
    [" GMT"],
    ["1994"],
    ["784111777"],
    ["1994-11-06T08:49:37Z"],
    ["Sun, 06 Nov 1994 08:49:37"],
    ["Sun, 06 Nov 1994 08:49:37 UTC"],
    ["Sun, 06 Nov 1994 08:49:37 +0100"],
    ["Sun, 06 Foo 1994 08:49:37 GMT"],
    ["Sun, 00 Nov 1994 08:49:37 GMT"],
    ["Sun, 06 Nov 1994 08:60:00 GMT"],
    ["Sun Nov  6 08:49:37 1994 CET"],
    ["Sun Nov  6 08:49:37 1994"],
  ])("is never %j", (text) => {
    expect(httpDateMs(text)).toBeNull();
  });

  test("matches the platform's own text for each second", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        expect(httpDateMs(new Date(seconds * 1000).toUTCString())).toBe(seconds * 1000);
      }),
    );
  });

  test.each(["Asia/Kolkata", "America/St_Johns", "Pacific/Auckland"])(
    "means the same in the time zone %s",
    (zone) => {
      vi.stubEnv("TZ", zone);
      onTestFinished(() => {
        vi.unstubAllEnvs();
      });
      expect(new Date(EXAMPLE).getTimezoneOffset()).not.toBe(0);
      expect(httpDateMs("Sun, 06 Nov 1994 08:49:37 GMT")).toBe(EXAMPLE);
      expect(httpDateMs("Sunday, 06-Nov-94 08:49:37 GMT")).toBe(EXAMPLE);
    },
  );
});
