import { describe, expect, test } from "vitest";
import { faultNames } from "../../src/emulator/index.js";
import { createEmulator, type Dialect, type EmulatorOptions } from "../../src/index.js";
import { isAll } from "../support/random.js";
import { applyIn, quickFolder } from "./run.js";
import { difference, inTurns, type Story, stories, usualIn } from "./stories.js";

/**
 * After any fault at any request of an apply, a second apply without faults must lead to the same state as
 * an undisturbed one, without duplicates or changes to foreign objects. One story tries each fault at each
 * request. The other stories try each third fault, unless DEEP asks for all.
 */
const dialects: readonly Dialect[] = ["service", "interface"];
const cases = dialects.flatMap((dialect) =>
  // The first story covers the differences between the dialects.
  stories
    .slice(0, dialect === "service" ? undefined : 1)
    .map((story) => [story.title, dialect, story] as const),
);

/** Shortens the wait for missing answers, because the emulator answers within milliseconds. */
const HANG_TIMEOUT_MS = 400;
const AT_ONCE = 8;
const COMPLETE = "all objects changed";

describe.each(cases)("%s (%s)", (title, dialect, story) => {
  test("survives each fault at each request of the apply", async () => {
    const usual = await undisturbed(story, dialect);
    const faults = usual.requests.flatMap(({ method }, index) =>
      // For a read, a fault after its effect equals one before.
      faultNames
        .filter((fault) => method !== "GET" || !fault.endsWith("-after"))
        // Another third of the faults at each request.
        .filter((_, each) => title === COMPLETE || isAll || (index + each) % 3 === 0)
        .map((fault) => ({ method, fault, nth: index + 1, ...(fault === "drip" ? { seconds: 0.05 } : {}) })),
    );
    const survived: string[] = [];
    const others: string[] = [];
    const stopping: string[] = [];
    let alone = 0;
    await inTurns(AT_ONCE, faults, async ({ method, ...fault }) => {
      const name = `${fault.fault} at request ${fault.nth}, a ${method}`;
      const { wrong, isAlone } = await disturbed(story, dialect, { schedule: [fault] }, usual);
      if (method !== "GET" && fault.fault !== "redirect" && !isAlone) stopping.push(name);
      if (wrong === null) survived.push(name);
      else others.push(`${name}: ${wrong}`);
      if (isAlone) alone += 1;
    });
    console.log(
      `${title} (${dialect}): ${survived.length} of ${faults.length} faults survived, ${alone} of them by the same apply`,
    );
    expect(others).toEqual([]);
    expect(survived.length).toBe(faults.length);
    expect(stopping, "after a fault at a write, the same apply must finish").toEqual([]);
  }, 300_000);

  test("survives an outage from any request on", async () => {
    const usual = await undisturbed(story, dialect);
    const broken: string[] = [];
    await inTurns(AT_ONCE, [...usual.requests.keys()], async (index) => {
      const schedule = Array.from({ length: 400 }, (_, each) => ({
        fault: "reset-before" as const,
        nth: index + 1 + each,
      }));
      const { wrong } = await disturbed(story, dialect, { schedule }, usual);
      if (wrong !== null) broken.push(`from request ${index + 1} on: ${wrong}`);
    });
    expect(broken).toEqual([]);
  }, 300_000);
});

type Usual = Awaited<ReturnType<typeof undisturbed>>;

async function undisturbed(story: Story, dialect: Dialect) {
  const { emulator, cwd } = await begin(story, dialect);
  const { report } = await applyIn(cwd, emulator);
  const usual = { requests: [...emulator.log], ...usualIn(emulator.state()) };
  await emulator.close();
  expect(report?.zones).toEqual([{ zone: "shop.example.com", converged: true, problems: [] }]);
  expect(usual.foreign.length).toBeGreaterThan(0);
  return usual;
}

/** @returns what is wrong after a second apply; null if nothing is */
async function disturbed(
  story: Story,
  dialect: Dialect,
  faults: NonNullable<EmulatorOptions["faults"]>,
  usual: Usual,
): Promise<{ readonly wrong: string | null; readonly isAlone: boolean }> {
  const { emulator, cwd } = await begin(story, dialect);
  try {
    emulator.arm(faults);
    const hangs = faults.schedule?.some((each) => "fault" in each && each.fault.startsWith("hang")) === true;
    const { report } = await applyIn(cwd, emulator, hangs ? { timeoutMs: HANG_TIMEOUT_MS } : {});
    emulator.arm({});
    const isAlone = report?.converged === true;
    if (isAlone && difference(emulator.state(), usual) !== null)
      return { wrong: "the report says that all is as declared, and it is not", isAlone };
    const second = await applyIn(cwd, emulator);
    if (second.report?.converged !== true) {
      const why = second.report?.zones.flatMap((zone) => zone.problems.map(({ detail }) => detail));
      return { wrong: `the second apply does not finish the work: ${why?.join(" ")}`, isAlone };
    }
    return { wrong: difference(emulator.state(), usual), isAlone };
  } finally {
    await emulator.close();
  }
}

async function begin({ seed, config }: Story, dialect: Dialect) {
  const emulator = await createEmulator({ seed, dialect, now: () => new Date(0) });
  // The interface dialect cannot list jobs, so an apply with jobs never converges.
  const text = dialect === "service" ? config : config.replace(/^ {4}logpush_jobs:\n(?: {5,}.*\n)*/m, "");
  return { emulator, cwd: await quickFolder(text) };
}
