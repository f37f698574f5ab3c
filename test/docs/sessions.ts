import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { writeLogs } from "../../src/cli/made-up-logs.js";
import { createEmulator, type EmulatorOptions, type Seed } from "../../src/index.js";
import { ROOT, reaching, zoneward } from "../support/cli.js";
import { commandLines } from "../support/command-lines.js";

/** The situation of a reader: the live state, and a folder that is copied for each session. */
export interface World {
  readonly service: EmulatorOptions;
  readonly folder: string;
}

/**
 * newcomer: an empty folder. beginner: live zones, the package's examples and logs. at work: files, git history and drift.
 * bad day: a service with faults.
 */
export type Worlds = Readonly<Record<"newcomer" | "beginner" | "at work" | "bad day", World>>;

/** The output of a session, and the exit codes of the lines that did not exit 0. */
export interface Transcript {
  readonly shown: string;
  readonly others: readonly { readonly line: string; readonly code: number }[];
  /** The bodies sent to the reader's webhook. */
  readonly posted: readonly string[];
}

/** Programs that readers have but some machines lack. */
export function missingPrograms(): readonly string[] {
  const works = (name: string, ...args: readonly string[]) => spawnSync(name, args).status === 0;
  return [
    ...(works("script", "-qefc", "true", "/dev/null") ? [] : ["script of util-linux"]),
    ...["jq", "curl"].filter((name) => !works(name, "--version")),
  ];
}

const DAY_MS = 86_400_000;
const ID = "023e105f4ecef8ad9ca31a8372d0c353";
const OTHER_ID = "c9ef84a6bf5e47138c75d95e2f933e01";
const detected = {
  id: ID,
  host: "shop.example.com",
  status: "active",
  first_page_url: "https://shop.example.com/checkout/pay",
  first_seen_at: new Date(Date.now() - 20 * DAY_MS).toISOString(),
};

/** The zones that the documents mention, with the scripts and connections that the service saw there. */
const LIVE = {
  zones: {
    "shop.example.com": {
      settings: { enabled: true },
      scripts: [
        { ...detected, url: "https://js.payments.example/v3.js", js_integrity_score: 90 },
        { ...detected, id: OTHER_ID, url: "https://cdn.example.net/app.js", js_integrity_score: 90 },
      ],
      connections: [{ ...detected, url: "https://api.payments.example/pay" }],
    },
    "blog.example.com": { settings: { enabled: true } },
  },
} satisfies Seed;

/** The same zones with a policy that browsers have reported on. */
const REPORTED: Seed = {
  zones: {
    "shop.example.com": {
      ...LIVE.zones["shop.example.com"],
      policies: [
        {
          description: "Checkout",
          action: "log",
          enabled: true,
          expression: "true",
          value: "script-src 'self'",
        },
      ],
    },
  },
};

const BEFORE = `version: 1
zones:
  shop.example.com:
    settings: { enabled: true }
    policies:
      - description: Checkout
        action: log
        expression: starts_with(http.request.uri.path, "/checkout")
        value: script-src 'self' https://cdn.example.net
    logpush_jobs:
      - name: http-requests-to-bucket
        dataset: http_requests
        destination_conf: \${secret:LOGPUSH_DESTINATION}
        fields: [ClientIP, RayID]
      - name: logs
        dataset: dns_logs
        destination_conf: \${secret:LOGPUSH_DESTINATION}
        fields: [QueryName, Timestamp]
`;
const AFTER = `guardrails: { max_changes: 20 }
${BEFORE}  blog.example.com:
    settings: { enabled: true, use_connection_url_path: true }
`;
const BY_HAND = { value: "script-src 'self' https://cdn.example.net https://unknown.example" };

const yamlIn = (file: string) => parse(readFileSync(path.join(ROOT, file), "utf8"));

/**
 * Makes each world in a subfolder of `root`. The caller removes `root`.
 *
 * @param installed the folder where the package is installed
 * @param bin the folder of the command
 */
export async function makeWorlds(root: string, installed: string, bin: string): Promise<Worlds> {
  const folder = path.join(root, "beginner");
  const from = path.join(installed, "node_modules/zoneward/examples");
  cpSync(from, path.join(folder, "examples"), { recursive: true });
  writeFileSync(path.join(folder, "live.yaml"), JSON.stringify(LIVE));
  for (const each of ["node_exporter", "zones"]) mkdirSync(path.join(folder, each));
  const logs = path.join(folder, "logs");
  await writeLogs(logs, REPORTED, new Date());
  const reports = path.join(logs, "page_shield_events");
  cpSync(path.join(logs, "shop.example.com/page_shield_events"), reports, { recursive: true });
  const beginner = { service: { seed: LIVE }, folder };
  const seed = yamlIn("examples/complete.live.yaml");
  const badDay = { service: { seed, faults: yamlIn("examples/faults.yaml") }, folder };
  const empty = path.join(root, "newcomer");
  mkdirSync(empty);
  return {
    newcomer: { service: {}, folder: empty },
    beginner,
    "at work": await worldAtWork(path.join(root, "work"), beginner, bin),
    "bad day": badDay,
  };
}

/** The first files are applied. Then one object is changed by hand and the files are edited. */
async function worldAtWork(folder: string, before: World, bin: string): Promise<World> {
  cpSync(before.folder, folder, { recursive: true });
  const emulator = await createEmulator(before.service);
  const go = async (text: string) => {
    const { code, shown } = await inShell(`set -e\n${text}`, folder, {
      ...environmentOf(bin),
      ...reaching(emulator),
    });
    if (code !== 0) throw new Error(shown);
  };
  try {
    writeFileSync(path.join(folder, "zones/shop.yaml"), BEFORE);
    writeFileSync(path.join(folder, "zoneward.yaml"), BEFORE);
    await go(`git init -q --template= -b main; git add zoneward.yaml; git commit -qm before; git update-ref refs/remotes/origin/main HEAD
      zoneward apply --yes
      mkdir more; cp "$(find logs -name '*.log.gz' | head -1)" more/
      cp .zoneward/journal/*.jsonl JOURNAL
      mv .zoneward/journal/*.jsonl .zoneward/journal/20261121T175459000Z-1c5a99f0.jsonl`);
    emulator.edit({ edit: "policy", zone: "shop.example.com", set: BY_HAND });
    writeFileSync(path.join(folder, "zoneward.yaml"), AFTER);
    await go(`git commit -qam after; zoneward plan -o plan.json`);
    return { service: { seed: emulator.state() }, folder };
  } finally {
    await emulator.close();
  }
}

/**
 * Runs the lines in a copy of the world, with somebody at the terminal who types yes. Lines that need a shell run the command
 * in `bin`. The others run in this process at once.
 */
export async function session(
  lines: readonly string[],
  { service, folder }: World,
  bin: string,
): Promise<Transcript> {
  const root = await mkdtemp(path.join(tmpdir(), "zoneward-session-"));
  const cwd = path.join(root, "folder");
  cpSync(folder, cwd, { recursive: true });
  const [emulator, webhook] = await Promise.all([createEmulator(service), listen()]);
  try {
    const env = {
      ...environmentOf(bin),
      ...reaching(emulator),
      WEBHOOK_URL: webhook.url,
      CODES: path.join(root, "codes"),
    };
    const { shown, ends } = lines.every(needsNoShell)
      ? await here(lines, cwd, env)
      : await allInShell(lines, cwd, env);
    const others = lines.flatMap((line, index) => {
      const code = ends.get(index) ?? Number.NaN; // NaN: the shell stopped before this line
      return code === 0 ? [] : [{ line, code }];
    });
    return { shown, others, posted: webhook.posted };
  } finally {
    webhook.close();
    await emulator.close();
    await rm(root, { recursive: true, force: true });
  }
}

interface Ended {
  readonly shown: string;
  /** The exit code of each line, by index. */
  readonly ends: ReadonlyMap<number, number>;
}

type Variables = Readonly<Record<string, string>>;

/** Only runs of zoneward joined by `&&`, without anything that a shell would expand. */
function needsNoShell(line: string): boolean {
  const words = line.replace(/'[^']*'|"[^"$`\\]*"/g, "").replace(/ #.*/, "");
  return words.split(" && ").every((each) => /^zoneward[\w\s./:=,-]*$/.test(each));
}

async function here(lines: readonly string[], cwd: string, env: Variables): Promise<Ended> {
  let shown = "";
  const ends = new Map<number, number>();
  for (const [index, line] of lines.entries())
    for (const words of commandLines(line)) {
      if ((ends.get(index) ?? 0) !== 0) break;
      const { code, out, err } = await zoneward(words, { cwd, env, answer: "yes" });
      shown += out + err;
      ends.set(index, code ?? Number.NaN);
    }
  return { shown, ends };
}

async function allInShell(lines: readonly string[], cwd: string, env: Variables): Promise<Ended> {
  const script = lines.map((line, index) => `${line}\ntell ${index}\n`).join("");
  const { shown } = await inShell(`${TELL}\n${script}`, cwd, env);
  const codes = (await readFile(env.CODES ?? "", "utf8")).trimEnd().split("\n");
  return { shown, ends: new Map(codes.map((each) => each.split(" ").map(Number) as [number, number])) };
}

/** Keeps the exit code, because a later line may read it. */
const TELL = `set -o pipefail
: > "$CODES"
tell() { local code=$?; echo "$1 $code" >> "$CODES"; return $code; }`;

function environmentOf(bin: string): Readonly<Record<string, string>> {
  const git = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "a"],
    [`GIT_${who}_EMAIL`, "a@example.com"],
  ]);
  return {
    ...Object.fromEntries(git),
    PATH: `${bin}:${process.env.PATH}`,
    TERM: "dumb",
    GIT_PAGER: "cat",
    GIT_CONFIG_GLOBAL: "/dev/null",
    LOGPUSH_DESTINATION: "https://logs.example/http_requests",
    LOGPUSH_OWNERSHIP: "token",
    BASE: "origin/main",
  };
}

/** Runs in a terminal of its own, because programs ask for confirmation only in a terminal. */
function inShell(text: string, cwd: string, env: Readonly<Record<string, string>>) {
  return new Promise<{ readonly code: number | null; readonly shown: string }>((resolve, reject) => {
    writeFileSync(path.join(cwd, ".session"), text);
    const shell = spawn("script", ["-qefc", "bash .session", "/dev/null"], {
      cwd,
      env: { ...env, HOME: cwd },
    });
    let shown = "";
    const hear = (piece: string) => {
      shown += piece;
      if (/Type yes to continue: $/.test(shown)) shell.stdin.write("yes\n");
    };
    shell.stdin.on("error", () => {}); // the shell may have exited
    shell.stdout.setEncoding("utf8").on("data", hear);
    shell.stderr.setEncoding("utf8").on("data", hear);
    shell.on("error", reject);
    shell.on("close", (code) =>
      resolve({ code, shown: shown.replace(SHORT_LIVED, "").replaceAll("\r\n", "\n") }),
    );
  });
}

/** Progress lines, which the program erases. */
const SHORT_LIVED = /[^\n]*\r\u001b\[K/g;

/** Stands in for the reader's webhook. */
async function listen() {
  const posted: string[] = [];
  const server = createServer(async (request, response) => {
    posted.push(Buffer.concat(await request.toArray()).toString());
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return { posted, url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}
