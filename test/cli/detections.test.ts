import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type DetectionSeed, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { checkRequest } from "../support/openapi.js";

const id = (digit: number) => String(digit).repeat(32);

const good: DetectionSeed = { id: id(1), url: "https://cdn.example/a.js", js_integrity_score: 90 };
const evil: DetectionSeed = {
  id: id(2),
  url: "https://evil.example/x.js",
  host: "blog.shop.example",
  js_integrity_score: 30,
  url_reported_malicious: true,
  malicious_url_categories: ["Malware"],
  page_urls: ["https://blog.shop.example/post"],
  versions: [{ hash: "f".repeat(64), js_integrity_score: 30 }],
};
const rare: DetectionSeed = { id: id(3), url: "https://rare.example/r.js", status: "infrequent" };
const socket: DetectionSeed = { id: id(4), url: "wss://chat.example/", domain_reported_malicious: false };
const many = Array.from({ length: 230 }, (_, n) => ({
  url: `https://cdn.example/${String(n).padStart(3, "0")}.js`,
}));

const seed: Seed = {
  zones: {
    "shop.example": { scripts: [good, evil, rare], connections: [socket] },
    "news.example": { scripts: many },
  },
};

const BOTH = "version: 1\nzones: { shop.example: {}, news.example: {} }\n";

async function start(files: Readonly<Record<string, string>> = {}, live: Seed = seed) {
  const emulator = await createEmulator({ seed: live });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith(files);
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const list = async (...args: string[]) => {
    const { code, out, err } = await run(...args, "--format", "json");
    return { code, err, document: JSON.parse(out) };
  };
  return { emulator, run, list };
}

interface Listed {
  readonly id: string;
  readonly url: string;
  readonly zone: string;
}

const ids = (listed: readonly Listed[]) => listed.map((each) => each.id.slice(0, 1)).join("");

describe("scripts list", () => {
  test("needs no file, only a token and a zone's name", async () => {
    const { run, emulator } = await start();
    expect(await run("scripts", "list", "--zone", "shop.example")).toEqual({
      code: 0,
      err: "",
      out: expect.stringMatching(
        /^ID .*\n2{32} +active +yes: score below 50, URL reported \(Malware\) +30 .*\n1{32} +active +no +90 .*\n2 scripts in 1 zone, 1 malicious\.\n$/,
      ),
    });
    expect(emulator.log.flatMap(({ method, path }) => checkRequest(method, path, null))).toEqual([]);
    expect(emulator.log).toHaveLength(2);
  });

  test("reads all pages", async () => {
    const { emulator, list } = await start();
    const { document } = await list("scripts", "list", "--zone", "news.example");
    expect(document.scripts.map((each: Listed) => each.url)).toEqual(many.map((each) => each.url));
    expect(emulator.log.filter((each) => each.path.includes("/scripts?"))).toHaveLength(3);
  });

  test.each([
    ["active scripts", [], "21"],
    ["scripts with a given status", ["--status", "infrequent", "--status", "active"], "213"],
    ["scripts with statuses in a list", ["--status", "inactive,infrequent"], "3"],
    ["scripts of given hosts", ["--host", "blog.*", "--host", "x.example"], "2"],
    ["malicious scripts", ["--malicious"], "2"],
  ])("shows %s", async (_, flags, expected) => {
    const { list } = await start();
    const { code, document } = await list("scripts", "list", "--zone", "shop.example", ...flags);
    expect([code, ids(document.scripts)]).toEqual([0, expected]);
  });

  test("shows what the service reports of each script and whether the script is malicious", async () => {
    const { list } = await start();
    const { document } = await list("scripts", "list", "--zone", "shop.example", "--malicious");
    const { page_urls: _, versions: __, ...shown } = evil;
    expect(document.scripts).toEqual([
      {
        ...shown,
        zone: "shop.example",
        zone_id: expect.any(String),
        status: "active",
        added_at: expect.any(String),
        first_seen_at: expect.any(String),
        last_seen_at: expect.any(String),
        url_contains_cdn_cgi_path: false,
        verdict: {
          malicious: true,
          reasons: ["score_below_threshold", "url_reported"],
          categories: ["Malware"],
        },
      },
    ]);
    expect(document.summary).toEqual({ zones: 1, zones_failed: 0, count: 1, malicious: 1, unknown: 0 });
  });

  test("shows the declared zones that --zone selects, with a threshold from the files", async () => {
    const { list } = await start({
      "zoneward.yaml": `${BOTH}service: { limits: { malicious_score_below: 10 } }\n`,
    });
    const both = await list("scripts", "list");
    expect(both.document.zones.map(({ zone, count }: Record<string, unknown>) => [zone, count])).toEqual([
      ["shop.example", 2],
      ["news.example", 230],
    ]);
    expect(both.document.malicious_score_below).toBe(10);
    const picked = await list("scripts", "list", "--zone", "shop.*");
    expect(picked.document.scripts[0].verdict.reasons).toEqual(["url_reported"]);
    expect(ids(picked.document.scripts)).toBe("21");
  });

  test("shows the other zones if one is unreadable, and exits with 1", async () => {
    const { run } = await start({ "all.yaml": `${BOTH.replace(" }", ", gone.example: {} }")}` });
    const { code, out, err } = await run("scripts", "list", "-c", "all.yaml", "--host", "blog*");
    expect(code).toBe(1);
    expect(err).toContain("all.yaml:2:");
    expect(err).toContain("gone.example is not visible to this token");
    expect(out).toContain("1 script in 2 zones, 1 malicious, 1 zone could not be read.");
    expect(out).toMatch(/^ZONE +ID/);
  });

  test("names an unreadable zone without a file", async () => {
    const { list } = await start();
    const { code, err, document } = await list(
      "scripts",
      "list",
      "--zone",
      "gone.example",
      "--zone",
      "SHOP.example.",
    );
    expect([code, ids(document.scripts)]).toEqual([1, "21"]);
    expect(err).toContain("gone.example is not visible to this token");
    expect(document.zones[0]).toMatchObject({ zone: "gone.example", zone_id: null, status: "failed" });
  });

  test.each([
    [["scripts"], "Run zoneward scripts list or zoneward scripts show."],
    [["scripts", "lst"], "zoneward scripts has no lst. Did you mean list?"],
    [
      ["scripts", "delete"],
      "zoneward scripts has no delete. Run zoneward scripts list or zoneward scripts show.",
    ],
    [["connections", "show"], "Run zoneward connections show ID."],
    [["connections", "show", "../x"], "../x is not an id"],
    [["scripts", "show", "a", "--host", "b"], "--host belongs to zoneward scripts list."],
    [["scripts", "list", "a.example"], "For a zone, pass --zone a.example."],
    [
      ["scripts", "show", "a", "b"],
      "Unexpected argument b. zoneward scripts takes 2 arguments: list|show [ID].",
    ],
    [["scripts", "list", "--status", "infreqent"], "not infreqent. Did you mean infrequent?"],
    [["scripts", "list", "--format", "yaml"], "--format must be text, table or json, not yaml."],
    [["scripts", "list"], "No zoneward.yaml found. Name a zone with --zone"],
    [["scripts", "list", "--zone", "*.example"], "--zone *.example is not a zone name."],
    [["scripts", "list", "-c", "none.yaml"], "none.yaml does not exist."],
  ])("%j is refused without a request", async (args, message) => {
    const { run, emulator } = await start();
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
    expect(emulator.log).toEqual([]);
  });

  test("is refused if the files are invalid", async () => {
    const { run, emulator } = await start({ "zoneward.yaml": "version: 2\n" });
    const { code, out } = await run("scripts", "list", "--zone", "shop.example", "--format", "json");
    expect([code, JSON.parse(out).ok, emulator.log]).toEqual([1, false, []]);
  });
});

describe("scripts show", () => {
  test("shows pages and versions of a script from the zone that has it", async () => {
    const { run, list, emulator } = await start({ "zoneward.yaml": BOTH });
    const { code, out, err } = await run("scripts", "show", id(2));
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("  page_urls:\n    https://blog.shop.example/post\n");
    expect(out).toContain(`  versions:\n    hash ${"f".repeat(64)}, js_integrity_score 30\n`);
    const { document } = await list("scripts", "show", id(2));
    expect(document.scripts).toMatchObject([{ ...evil, zone: "shop.example" }]);
    expect(document.zones.map(({ count }: Record<string, unknown>) => count)).toEqual([1, 0]);
    expect(emulator.log.flatMap(({ method, path }) => checkRequest(method, path, null))).toEqual([]);
  });

  test("exits with 1 for an unknown script", async () => {
    const { run } = await start({ "zoneward.yaml": BOTH });
    const nowhere = await run("scripts", "show", id(9));
    expect([nowhere.code, nowhere.out]).toEqual([1, ""]);
    expect(nowhere.err).toContain(`None of the 2 zones has script ${id(9)}.`);
    const one = await run("scripts", "show", id(9), "--zone", "shop.example");
    expect([one.code, one.out]).toEqual([1, ""]);
    expect(one.err).toMatch(/GET \/zones\/\w+\/page_shield\/scripts\/9{32} returned HTTP 404/);
  });

  test("names a zone that could not be searched", async () => {
    const { run } = await start({ "zoneward.yaml": BOTH.replace(" }", ", gone.example: {} }") });
    const found = await run("scripts", "show", id(1));
    expect([found.code, found.out.split("\n")[0]]).toEqual([1, "https://cdn.example/a.js"]);
    expect(found.err).toContain("gone.example");
    const missing = await run("scripts", "show", id(9));
    expect([missing.code, missing.out]).toEqual([1, ""]);
    expect(missing.err).toContain("gone.example");
  });
});

describe("connections", () => {
  test("are listed and shown without a score", async () => {
    const { run, list } = await start();
    const { out } = await run("connections", "list", "--zone", "shop.example");
    expect(out).toMatch(
      /^ID +STATUS +MALICIOUS +LAST SEEN +HOST +URL\n4{32} +active +no .* wss:\/\/chat.example\/\n/,
    );
    const { document } = await list("connections", "show", id(4), "--zone", "shop.example");
    expect(document.connections).toMatchObject([{ ...socket, verdict: { malicious: false } }]);
  });
});
