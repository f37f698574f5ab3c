import { expect, test } from "vitest";
import { folderWith } from "../support/cli.js";
import { fc } from "../support/random.js";
import { type Calls, prefixProperty, withoutBridges } from "./order-prefix.js";

const METHODS = ["POST", "PATCH", "PUT", "DELETE"];

test.each<[string, (calls: Calls) => Calls]>([
  [
    "in the order of the files",
    (calls) => calls.toSorted((a, b) => (a.changes[0] ?? 0) - (b.changes[0] ?? 0)),
  ],
  [
    "with creates, then updates, then deletes",
    (calls) => calls.toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method)),
  ],
  ["without intermediate calls", (calls) => calls],
])("protection has gaps %s", async (_, naive) => {
  const property = prefixProperty(await folderWith({}), (calls) => naive(withoutBridges(calls)));
  const { failed, counterexample } = await fc.check(property, { numRuns: 1_000, endOnFailure: true });
  expect({ failed, counterexample }).toEqual({ failed: true, counterexample: expect.anything() });
});
