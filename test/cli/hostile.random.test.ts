import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, zoneward } from "../support/cli.js";
import { HOSTILE, harmIn, type Reader } from "../support/hostile.js";
import { refusing, serving } from "../support/hostile-service.js";
import { DESIRED, hostileState, PRUNING } from "../support/hostile-state.js";
import { some } from "../support/random.js";

/**
 * The long texts to try, because long texts in every field are slow. Other tests cover each long text
 * alone.
 */
const LONG: readonly string[] = ["a long word", "long lines", "long harm"];

const texts = some(
  Object.entries(HOSTILE).filter(([name, text]) => text.length < 1_000 || LONG.includes(name)),
);

/** Many runs per test take this long. */
const TIMEOUT = 120_000;

/** Long texts are tried without colours only, which makes no difference for them. */
function palettesFor(text: string): readonly boolean[] {
  return text.length < 1_000 ? [false, true] : [false];
}

/** The commands that show text from the service. */
const showing: readonly (readonly [args: string, reader: Reader])[] = [
  ["plan", "people"],
  ["plan --verbose", "people"],
  ["plan --format json", "programs"],
  ["scripts list", "people"],
  ["scripts list --format json", "programs"],
  ["scripts show e1", "people"],
  ["connections list --format json", "programs"],
];

describe("hostile text from the service is escaped in all output", () => {
  test.each(texts)(
    "%s",
    async (_, text) => {
      const { env } = await serving(hostileState(text));
      const cwd = await folderWith({ "zoneward.yaml": PRUNING });
      for (const [args, reader] of showing)
        for (const color of palettesFor(text)) {
          const { code, out, err } = await zoneward(args.split(" "), { cwd, env, color });
          const harm = [...harmIn(out, reader, color), ...harmIn(err, "people", color)];
          expect({ args, code, harm }, err.slice(-2_000)).toEqual({ args, code: 0, harm: [] });
        }
    },
    TIMEOUT,
  );
});

describe("hostile text from the service is escaped in the output and files of apply", () => {
  test.each(texts)(
    "%s",
    async (_, text) => {
      const { env } = await serving(hostileState(text), refusing(text));
      const cwd = await folderWith({ "zoneward.yaml": DESIRED });
      await harmless(text, cwd, env, ["plan", "-o", "plan.json"], 0);
      await harmless(text, cwd, env, ["apply", "plan.json", "--verbose"], 1);
    },
    TIMEOUT,
  );
});

describe("hostile answers of the service are escaped", () => {
  test.each(texts)(
    "%s",
    async (_, text) => {
      const { env } = await serving(hostileState("usual"), refusing(text));
      const cwd = await folderWith({ "zoneward.yaml": DESIRED });
      await harmless(text, cwd, env, ["apply", "--yes", "--format", "json"], 1);
      const broken = await serving({}, refusing(text, 403));
      await harmless(text, cwd, broken.env, ["plan"], 1);
      await harmless(text, cwd, broken.env, ["scripts", "list", "--format", "json"], 1);
    },
    TIMEOUT,
  );
});

async function harmless(
  text: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  code: number,
) {
  for (const color of palettesFor(text)) {
    const ran = await zoneward(args, { cwd, env, color });
    const reader = args.includes("json") ? "programs" : "people";
    const harm = [...harmIn(ran.out, reader, color), ...harmIn(ran.err, "people", color)];
    expect({ args, code: ran.code, harm }, ran.err.slice(-2_000)).toEqual({ args, code, harm: [] });
  }
  for (const file of await readdir(cwd, { recursive: true })) {
    if (!/\.jsonl?$/.test(file)) continue;
    const left = await readFile(path.join(cwd, file), "utf8");
    expect({ file, harm: harmIn(left, "programs") }).toEqual({ file, harm: [] });
    if (file.endsWith("l")) for (const line of left.trimEnd().split("\n")) JSON.parse(line);
    else JSON.parse(left);
  }
}
