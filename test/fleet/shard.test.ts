import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type PlanDocument } from "../../src/index.js";
import { digestOf } from "../../src/plan/digest.js";
import { merged, type ShardPlan } from "../../src/plan/merge.js";
import { mergeFiles } from "../../src/run/merge.js";
import { isInShard, readShard } from "../../src/run/shard.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const NAMES = Array.from({ length: 12 }, (_, index) => `zone-${index}.example.com`);

/** In which of three they are. */
const OF_THREE: readonly number[] = [1, 1, 3, 3, 2, 2, 1, 2, 3, 1, 3, 3];

function config(guardrails = ""): string {
  return [
    "version: 1",
    ...(guardrails === "" ? [] : [`guardrails: ${guardrails}`]),
    "templates: { t: { settings: { enabled: true } } }",
    "zones:",
    ...NAMES.map((name) => `  ${name}: { extends: [t] }`),
    "",
  ].join("\n");
}

async function start(guardrails?: string) {
  const emulator = await createEmulator({
    seed: { zones: Object.fromEntries(NAMES.map((name) => [name, { settings: { enabled: false } }])) },
  });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": config(guardrails) });
  const env = reaching(emulator);
  const run = (...args: string[]) => zoneward(args, { cwd, env });
  const planned = async (of: number, ...flags: string[]) => {
    const files = Array.from({ length: of }, (_, index) => `plan-${index + 1}.json`);
    for (const [index, file] of files.entries())
      await run("plan", "-q", "-o", file, "--shard", `${index + 1}/${of}`, ...flags);
    return files;
  };
  return { emulator, cwd, env, run, planned };
}

describe("a shard", () => {
  test("has the zones whose names hash there: each zone one, and the same one when others come and go", () => {
    for (const of of [1, 2, 3, 8, 100])
      for (const name of NAMES) {
        const shards = Array.from({ length: of }, (_, index) => ({ index: index + 1, of }));
        expect(shards.filter((each) => isInShard(name, each))).toHaveLength(1);
      }
    // Plans that are under way have it so: it must not change from one version to another.
    expect(NAMES.map((name) => [1, 2, 3].find((index) => isInShard(name, { index, of: 3 })))).toEqual(
      OF_THREE,
    );
  });

  test.each([
    ["0/4", "there is no shard 0 of 4"],
    ["5/4", "there is no shard 5 of 4"],
    ["1/0", "N is from 1 to 256"],
    ["1/257", "N is from 1 to 256"],
    ["2", "takes I/N"],
    ["-1/2", "takes I/N"],
    ["1/2/3", "takes I/N"],
    ["\u001b[31m/2", "takes I/N"],
  ])("is not %j", (written, why) => {
    expect(readShard(written, {})).toMatchObject({ ok: false, problems: [{ code: "bad_flag" }] });
    const read = readShard(written, {});
    expect(read.ok ? "" : read.problems[0]?.detail).toContain(why);
    expect(read.ok ? "" : read.problems[0]?.detail).not.toContain("\u001b");
  });

  test("of an Indexed Job has its index from where Kubernetes has it, counted from 0", () => {
    expect(readShard("job/4", { JOB_COMPLETION_INDEX: "0" })).toMatchObject({ value: { index: 1, of: 4 } });
    expect(readShard("job/4", { JOB_COMPLETION_INDEX: "3" })).toMatchObject({ value: { index: 4, of: 4 } });
    expect(readShard("job/4", { JOB_COMPLETION_INDEX: "4" }).ok).toBe(false);
    expect(readShard("job/4", {})).toMatchObject({
      problems: [{ detail: expect.stringContaining("completionMode: Indexed") }],
    });
  });

  test("says first what it is, and reads no other zone", async () => {
    const { emulator, run } = await start();
    const { code, out } = await run("plan", "--shard", "2/3");
    expect(code).toBe(0);
    const own = OF_THREE.filter((shard) => shard === 2).length;
    expect(out.split("\n")[0]).toContain(`Only shard 2/3: ${own} of 12 zones. What all shards come to,`);
    const read = new Set(emulator.log.flatMap(({ path: at }) => /^\/zones\/([^/?]+)\//.exec(at)?.[1] ?? []));
    expect(read.size).toBe(own);
  });

  test("leaves a plan of all as it is: nothing of shards is in its document", async () => {
    const { run } = await start();
    const document = JSON.parse((await run("plan", "--format", "json")).out) as PlanDocument;
    expect(document.whole).toBeUndefined();
    expect(document.inputs.shard).toBeUndefined();
  });

  test("without a zone is a plan without changes", async () => {
    const { run, planned } = await start();
    await planned(40);
    const empty = Array.from({ length: 40 }, (_, index) => index + 1).find((index) =>
      NAMES.every((name) => !isInShard(name, { index, of: 40 })),
    );
    const { code, out } = await run("plan", "--shard", `${empty}/40`);
    expect([code, out]).toEqual([0, expect.stringContaining(`Only shard ${empty}/40: 0 of 12 zones.`)]);
  });

  test("is also of drift, and by its environment", async () => {
    const { cwd, env } = await start();
    const args = ["drift", "--shard", "job/3", "--format", "json"];
    const { out } = await zoneward(args, { cwd, env: { ...env, JOB_COMPLETION_INDEX: "1" } });
    expect((JSON.parse(out) as PlanDocument).inputs).toMatchObject({ about: "drift", shard: "2/3" });
  });
});

describe("guardrails that count", () => {
  const share = "{ max_changed_share: 0.5, max_changes: 12 }";

  test("do not fail the plan of a shard: what all come to, the merged plan says", async () => {
    const { run, planned } = await start(share);
    const alone = await run("plan", "--shard", "1/3", "--fail-on", "max_changed_share");
    expect(alone.code).toBe(0);
    const files = await planned(3);
    const made = await run("merge", ...files, "-o", "merged.json", "--fail-on", "max_changed_share");
    expect(made.code).toBe(3);
    expect(made.err).toContain("The run would change 12 of the 12 objects that the files manage");
    expect(made.err).not.toContain("max_changes");
    expect((await run("merge", ...files, "--fail-on", "max_changes")).code).toBe(0);
  });

  test("refuse the apply of a shard by itself, saved or not: what is not known counts as the worst", async () => {
    const { emulator, run, planned } = await start("{ max_changes: 1000 }");
    await planned(3);
    for (const args of [
      ["plan-1.json"],
      ["plan-1.json", "--zone", NAMES[OF_THREE.indexOf(1)] ?? ""],
      ["--shard", "1/3", "--yes"],
      ["plan-1.json", "--shard", "1/3"],
    ]) {
      const { code, err } = await run("apply", ...args);
      expect([code, err]).toEqual([3, expect.stringContaining("this is shard 1 of 3 alone")]);
    }
    expect(emulator.writes()).toEqual([]);
    expect((await run("apply", "plan-1.json", "--allow", "max_changes")).code).toBe(0);
  });

  test("of the merged plan hold in each shard's apply, whatever its own part comes to", async () => {
    const { emulator, run, planned } = await start("{ max_changes: 11 }");
    await run("merge", ...(await planned(3)), "-q", "-o", "merged.json");
    const refused = await run("apply", "merged.json", "--shard", "1/3");
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining("The run would change 12 objects; max_changes is 11."),
    ]);
    expect(emulator.writes()).toEqual([]);
  });

  test("of single zones refuse every shard's apply, as they would refuse all in one", async () => {
    const { emulator, cwd, run, planned } = await start("{ forbid: [service_off] }");
    const off = config("{ forbid: [service_off] }").replace(
      `${NAMES[0]}: { extends: [t] }`,
      `${NAMES[0]}: { settings: { enabled: false, use_connection_url_path: true } }`,
    );
    await run("apply", "--yes", "-q");
    await writeFile(
      path.join(cwd, "zoneward.yaml"),
      off.replace("enabled: true", "enabled: true, use_connection_url_path: true"),
    );
    const before = emulator.writes().length;
    await run("merge", ...(await planned(3)), "-q", "-o", "merged.json");
    const elsewhere = await run("apply", "merged.json", "--shard", "2/3");
    expect([elsewhere.code, elsewhere.err]).toEqual([
      3,
      expect.stringContaining(`service_off says no to what the plan has for ${NAMES[0]}, in other shards`),
    ]);
    expect((await run("apply", "merged.json", "--shard", "1/3")).code).toBe(3);
    expect(emulator.writes()).toHaveLength(before);
    expect((await run("apply", "merged.json", "--shard", "2/3", "--allow", "service_off")).code).toBe(0);
  });

  test("that the plans were not held against are not taken for kept", async () => {
    const { run, planned } = await start();
    const { code, err } = await run("merge", ...(await planned(2)), "--fail-on", "weakens");
    expect([code, err]).toEqual([1, expect.stringContaining("were not held against weakens")]);
    const files = await planned(2, "--fail-on", "weakens");
    expect((await run("merge", ...files, "--fail-on", "weakens", "--fail-on", "prune_all")).code).toBe(0);
  });

  test("and let each shard's apply go on where all of them keep the limit", async () => {
    const { emulator, run, planned } = await start("{ max_changes: 12, max_changed_share: 1 }");
    await run("merge", ...(await planned(2)), "-q", "-o", "merged.json");
    for (const index of [1, 2, 3]) {
      const { code, out } = await run("apply", "merged.json", "--shard", `${index}/3`);
      expect(code).toBe(0);
      expect(out.split("\n")[0]).toMatch(
        /^Only shard \d\/3 of the plan sha256:[0-9a-f]+; \d other zones left out\.$/,
      );
    }
    expect(emulator.writes()).toHaveLength(12);
    expect((await run("plan", "--detailed-exitcode")).code).toBe(0);
  });
});

describe("the digest that was approved", () => {
  test("lets the plan that has it be applied, in whatever parts, and no other", async () => {
    const { emulator, cwd, run, planned } = await start();
    await run("merge", ...(await planned(2)), "-q", "-o", "merged.json");
    const { digest } = JSON.parse(await readFile(path.join(cwd, "merged.json"), "utf8")) as PlanDocument;
    const apply = (...args: string[]) => run("apply", ...args, "--shard", "1/2");
    const other = await apply(
      "merged.json",
      "--digest",
      digest.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    );
    expect([other.code, other.err]).toEqual([
      1,
      expect.stringContaining("is not the plan that was approved"),
    ]);
    for (const [args, why] of [
      [["merged.json", "--digest", "latest"], "it takes the digest of a plan"],
      [["--digest", digest, "--yes"], "Name its file"],
    ] as const) {
      const wrong = await apply(...args);
      expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining(why)]);
    }
    expect(emulator.writes()).toEqual([]);
    expect((await apply("merged.json", "--digest", digest.toUpperCase().replace("SHA", "sha"))).code).toBe(0);
    expect(emulator.writes()).toHaveLength(
      NAMES.filter((name) => isInShard(name, { index: 1, of: 2 })).length,
    );
  });
});

describe("plans that are not those of all shards of one run", () => {
  const refusal = (text: string) => [1, expect.stringContaining(text)];

  test("one is missing, there twice, of another number, or no shard's", async () => {
    const { run, planned } = await start();
    const files = await planned(3);
    await run("plan", "-q", "-o", "other.json", "--shard", "1/2");
    await run("plan", "-q", "-o", "all.json");
    const merged = async (...names: string[]) => {
      const { code, err } = await run("merge", ...names);
      return [code, err];
    };
    expect(await merged("plan-1.json")).toEqual(refusal("The shards 2/3, 3/3 are missing."));
    expect(await merged("plan-1.json", "plan-3.json")).toEqual(refusal("Shard 2/3 is missing."));
    expect(await merged(...files, "plan-2.json")).toEqual(
      refusal("plan-2.json and plan-2.json are both shard 2/3."),
    );
    expect(await merged("other.json", "plan-2.json")).toEqual(
      refusal("other.json is shard 1/2, and plan-2.json is 2/3."),
    );
    expect(await merged("all.json")).toEqual(refusal("all.json is no plan of a shard."));
    expect(await merged("nowhere.json")).toEqual(refusal("nowhere.json"));
    expect(await merged()).toEqual(refusal("Name the plans of all shards"));
  });

  test.each([
    ["of files that say something else", { file: "{ max_changes: 3 }" }],
    ["one for drift, the other not", { command: "drift" }],
    ["with another --zone", { flags: ["--zone", "zone-*"] }],
    ["with another --only", { flags: ["--only", "settings"] }],
    ["with another --impact-pages or --no-impact", { flags: ["--no-impact"] }],
    ["with other guardrails, --fail-on or --allow", { flags: ["--fail-on", "weakens"] }],
    ["with other guardrails, --fail-on or --allow", { flags: ["--allow", "max_changes"] }],
    ["with another --base", { flags: ["--base", "."] }],
  ])("one was made %s", async (text, { command = "plan", flags = [], file }: Otherwise) => {
    const { cwd, run } = await start();
    await run("plan", "-q", "-o", "one.json", "--shard", "1/2");
    if (file !== undefined) await writeFile(path.join(cwd, "zoneward.yaml"), config(file));
    await run(command, "-q", "-o", "two.json", "--shard", "2/2", ...flags);
    const { code, err } = await run("merge", "one.json", "two.json");
    expect([code, err]).toEqual(refusal(`one.json and two.json were made ${text}.`));
  });

  test("together they are larger than one plan may be", async () => {
    const { cwd, planned } = await start();
    const files = await planned(2);
    const sizes = await Promise.all(files.map(async (file) => (await readFile(path.join(cwd, file))).length));
    const all = sizes.reduce((sum, each) => sum + each, 0);
    expect((await mergeFiles(files, cwd, [], all)).ok).toBe(true);
    expect(await mergeFiles(files, cwd, [], all - 1)).toMatchObject({
      ok: false,
      problems: [{ code: "bad_plan", detail: "plan-2.json: it is too large." }],
    });
  });

  test("one has more changes in a zone than can be handed over as arguments, and is merged all the same", async () => {
    const { cwd, planned } = await start();
    const files = await planned(2);
    const texts = await Promise.all(files.map((file) => readFile(path.join(cwd, file), "utf8")));
    const [one, two] = texts.map((text) => JSON.parse(text) as ShardPlan); // as written above
    const [change] = one?.changes ?? [];
    const [call] = one?.calls ?? [];
    if (one === undefined || two === undefined || change === undefined || call === undefined)
      throw new Error("there are two, with a change");
    const many = 200_000;
    const grown = { ...one, changes: Array(many).fill(change), calls: Array(many).fill(call) };
    expect(merged([grown, two], () => []).changes).toHaveLength(many + two.changes.length);
  });

  test("one was edited, whether or not its digest is made to fit", async () => {
    const { cwd, run, planned } = await start("{ max_changes: 5 }");
    await planned(2);
    const file = path.join(cwd, "plan-1.json");
    const text = await readFile(file, "utf8");
    const edited = async (edit: (document: PlanDocument) => void) => {
      const document = JSON.parse(text) as PlanDocument;
      edit(document);
      await writeFile(file, JSON.stringify(document));
      const { code, err } = await run("merge", "plan-1.json", "plan-2.json");
      return [code, err];
    };
    const wholeOf = ({ whole }: PlanDocument) => {
      if (whole === undefined) throw new Error("it is a shard's");
      return whole;
    };
    expect(
      await edited((document) => {
        wholeOf(document).guardrails.limits.max_changes = 100;
      }),
    ).toEqual(refusal("was changed after it was written"));
    expect(
      await edited((document) => {
        wholeOf(document).places[0] = 4_000_000_000;
      }),
    ).toEqual(refusal("was changed after it was written"));
    const fitting = (document: PlanDocument) => {
      const digests = document.zones.flatMap(({ digest }) => digest ?? []);
      const { shard, zones } = document.inputs;
      document.digest = digestOf({
        format_version: "1",
        zones: digests,
        narrowing: {
          ...(zones.length === 0 ? {} : { zones }),
          shard: { named: shard, whole: wholeOf(document) },
        },
      });
    };
    expect(
      await edited((document) => {
        wholeOf(document).zones = 4_000_000_000;
        wholeOf(document).places.splice(-1, 1, 3_999_999_999);
        fitting(document);
      }),
    ).toEqual(refusal("were made of other zones"));
    expect(
      await edited((document) => {
        const places = wholeOf(document).places;
        const free = Array.from({ length: 12 }, (_, place) => place).filter((each) => !places.includes(each));
        places[0] = Math.min(...free);
        places.sort((a, b) => a - b);
        fitting(document);
      }),
    ).toEqual(refusal("has a zone in the place of another"));
  });
});

interface Otherwise {
  readonly command?: string;
  readonly flags?: readonly string[];
  readonly file?: string;
}

test("the plan of one shard is not applied as another's", async () => {
  const { run, planned } = await start();
  await planned(2);
  const { code, err } = await run("apply", "plan-1.json", "--shard", "2/2");
  expect([code, err]).toEqual([1, expect.stringContaining("plan-1.json is the plan of shard 1/2.")]);
  expect((await run("apply", "plan-1.json", "--shard", "1/2")).code).toBe(0);
});

test("the plan of one shard is applied at that shard's part of the limit of requests, named again or not", async () => {
  const { run, planned } = await start();
  const [, second = ""] = await planned(3);
  for (const flags of [[], ["--shard", "2/3"]]) {
    const { code, err } = await run("apply", second, "--yes", "--rate-limit", "2/1", ...flags);
    expect([code, err]).toEqual([1, expect.stringContaining("has 2 requests for 3 shards")]);
  }
});

test("what is merged can be applied only as long as the first of them", async () => {
  const { cwd, run } = await start();
  await run("plan", "-q", "-o", "one.json", "--shard", "1/2", "--max-age", "30");
  await run("plan", "-q", "-o", "two.json", "--shard", "2/2");
  await run("merge", "-q", "-o", "merged.json", "one.json", "two.json");
  const [one, merged] = await Promise.all(
    ["one.json", "merged.json"].map(async (name) => JSON.parse(await readFile(path.join(cwd, name), "utf8"))),
  );
  expect(merged.expires_at).toBe(one.expires_at);
});
