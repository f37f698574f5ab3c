import { expect, test } from "vitest";
import { compile } from "../../src/csp/match/allows.js";
import type { Truth } from "../../src/expression/value.js";
import type { Csp, PageLayer, Where } from "../../src/impact/csp-layers.js";
import { answerTo } from "../../src/impact/impact-of.js";
import { fc } from "../support/random.js";

const wheres: readonly Where[] = [0, 1, 2].map(() => ({ text: "", tree: null }));
const csps: readonly Csp[] = [0, 1, 2].map((at) => ({
  at,
  text: "",
  compiled: compile(""),
  mayRefuseMore: false,
  upgrades: { script: false, connection: false },
}));

interface Drawn {
  readonly where: number;
  readonly csp: number;
}

interface World {
  readonly applies: readonly boolean[];
  readonly refuses: readonly boolean[];
}

const drawn = fc.record({ where: fc.nat(2), csp: fc.nat(2) });
const applies = fc.array(fc.constantFrom<Truth>(true, "unknown"), { minLength: 3, maxLength: 3 });
const refuses = fc.array(fc.constantFrom<Truth>(true, false, "unknown"), { minLength: 3, maxLength: 3 });

/** Every combination of outcomes of the unknown truths. */
function worlds(truths: readonly Truth[]): readonly (readonly boolean[])[] {
  return truths.reduce<readonly (readonly boolean[])[]>(
    (all, truth) =>
      all.flatMap((each) => (truth === "unknown" ? [true, false] : [truth]).map((one) => [...each, one])),
    [[]],
  );
}

function layer({ where, csp }: Drawn, change: number, truths: readonly Truth[]): PageLayer {
  const [there, value] = [wheres[where], csps[csp]];
  if (there === undefined || value === undefined) throw new Error("three of each are drawn");
  const known = truths[where] === true ? true : "unknown";
  return {
    mode: "enforce",
    where: there,
    csp: value,
    changes: [change],
    isBefore: false,
    isAfter: true,
    applies: known,
  };
}

test("an answer is certain exactly if all outcomes of the unknown agree", () => {
  fc.assert(
    fc.property(
      fc.array(drawn, { maxLength: 3 }),
      fc.array(drawn, { maxLength: 3 }),
      applies,
      refuses,
      (by, against, where, csp) => {
        const stops = (world: World) => (each: Drawn) =>
          world.applies[each.where] === true && world.refuses[each.csp] === true;
        const all = worlds(where).flatMap((a) => worlds(csp).map((r): World => ({ applies: a, refuses: r })));
        const happens = all.map((world) => by.some(stops(world)) && !against.some(stops(world)));
        const expected = happens.every(Boolean) ? true : happens.some(Boolean) ? "unknown" : null;
        const question = {
          happening: "newly_blocked",
          by: by.map((each, change) => layer(each, change, where)),
          against: against.map((each) => layer(each, 9, where)),
        } as const;
        const answer = answerTo(question, ({ at }) => csp[at] ?? "unknown");
        expect(answer?.happens ?? null).toBe(expected);
        if (answer?.happens !== true) return;
        // A change that causes the answer does so alone, for every outcome of the unknown.
        const sure = by.flatMap((each, change) => (all.every((world) => stops(world)(each)) ? [change] : []));
        expect(answer.changes).toEqual(sure);
      },
    ),
    { numRuns: 5_000 },
  );
});
