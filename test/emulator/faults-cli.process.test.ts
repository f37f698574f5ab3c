import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { checkFaults } from "../../src/emulator/index.js";
import { createEmulator, type Faults, faultNames, type Seed } from "../../src/index.js";
import { CLI, folderWith, ROOT, zoneward } from "../support/cli.js";

describe("zoneward emulator", () => {
  test("takes faults from a file and from flags, prints each hit and logs it", async () => {
    const faults =
      "seed: 3\nschedule:\n  - { nth: 2, fault: 500-before }\n  - before: { edit: settings, zone: example.com, set: { enabled: true } }\n";
    const cwd = await folderWith({ "faults.yaml": faults });
    const emulator = await begun(cwd, [
      "--faults",
      "faults.yaml",
      "--fault",
      "PUT: 503-after 9",
      "--fault",
      "2 write: 502-before",
      "--log",
      "log.jsonl",
    ]);
    const at = `/zones/${emulator.ready.zones["example.com"]}/page_shield`;
    const ask = async (method: string) => {
      const headers = { authorization: `Bearer ${emulator.ready.token}` };
      const body = method === "GET" ? null : '{"use_connection_url_path":true}';
      return (await fetch(emulator.ready.url + at, { method, headers, body })).status;
    };
    const statuses = [
      await ask("GET"),
      await ask("GET"),
      await ask("PUT"),
      await ask("PUT"),
      await ask("GET"),
    ];
    expect(statuses).toEqual([200, 500, 503, 502, 200]);
    expect(await emulator.stopped()).toBe(
      [
        `GET ${at}: before it, an edit of settings in example.com (1 changed)`,
        `GET ${at}: 500-before`,
        `PUT ${at}: 503-after (took effect)`,
        `PUT ${at}: 502-before (no effect)`,
        "",
      ].join("\n"),
    );
    const log = (await readFile(path.join(cwd, "log.jsonl"), "utf8")).trim().split("\n");
    expect(log.map((line) => JSON.parse(line))).toMatchObject([
      { edits: [{ when: "before" }], tookEffect: false, response: { result: { enabled: true } } },
      { fault: "500-before", tookEffect: false },
      { fault: "503-after", tookEffect: true, status: 503 },
      { fault: "502-before", tookEffect: false, status: 502 },
      { response: { result: { use_connection_url_path: true } } },
    ]);
  });

  test.each([
    [["--log", "no/such/log.jsonl"], "log.jsonl failed with ENOENT. Does its folder exist?"],
    [["--faults", "none.yaml"], "The faults none.yaml cannot be read: the file does not exist"],
    [["--faults", "torn.yaml"], "The faults torn.yaml cannot be read: "],
    [["--faults", "bad.yaml"], "In bad.yaml: At /schedule/0/fault: unknown fault. Did you mean drip?"],
    [["--faults", "lost.yaml"], "An edit names the unknown zone a.example."],
    [["--fault", "2: drap"], '"2: drap": unknown fault. Did you mean drip?'],
    [
      ["--fault", "sometimes: drip"],
      '"sometimes: drip" does not have the form [WHEN] [METHOD] [PATH]: FAULT [SECONDS].',
    ],
  ])("refuses %j", async (flags, detail) => {
    const cwd = await folderWith({
      "torn.yaml": "schedule: [",
      "bad.yaml": "schedule: [{ fault: drap }]\n",
      "lost.yaml": "schedule: [{ after: { edit: settings, zone: a.example, set: {} } }]\n",
    });
    const { code, out, err } = await zoneward(["emulator", ...flags], { cwd });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(detail);
  });

  test("reports all errors in a file and in flags together", async () => {
    const cwd = await folderWith({ "bad.yaml": "seed: x\nrates: [{ fault: drip }]\n" });
    const { err } = await zoneward(["emulator", "--faults", "bad.yaml", "--fault", "drap"], { cwd });
    for (const place of ["At /seed: ", "At /rates/0: ", '"drap": ']) expect(err).toContain(place);
  });
});

test("the edits of the faults example are accepted by the live state example", async () => {
  const read = async (name: string) => parse(await readFile(path.join(ROOT, "examples", name), "utf8"));
  const faults = (await read("faults.yaml")) as Faults; // checked below
  const seed = (await read("complete.live.yaml")) as Seed; // createEmulator checks it
  expect(checkFaults(await read("faults.yaml"))).toEqual({ ok: true, value: faults });
  const emulator = await createEmulator({ seed, faults });
  onTestFinished(() => emulator.close());
  const edits = (faults.schedule ?? []).flatMap((each) => {
    if ("before" in each) return [each.before];
    return "after" in each ? [each.after] : [];
  });
  expect(edits.flatMap((edit) => emulator.edit(edit))).toMatchObject([{ status: 200 }, { status: 200 }]);
});

test("the library exports the names of all faults", () => {
  expect(faultNames).toContain("reset-after");
  expect(new Set(faultNames).size).toBe(faultNames.length);
});

/** Starts the emulator as a process and waits until it is ready. */
async function begun(cwd: string, flags: readonly string[]) {
  const child = spawn(process.execPath, [CLI, "emulator", ...flags], { cwd, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (data) => resolve(String(data)));
    child.once("close", () => reject(new Error(err)));
  });
  return {
    ready: JSON.parse(line),
    /** Everything that the process has printed on stderr when it ends. */
    stopped: () =>
      new Promise<string>((resolve) => {
        child.once("close", () => resolve(err));
        child.kill("SIGTERM");
      }),
  };
}
