// Measures other tools at the same work: wall seconds, requests, processor seconds, and their behaviour when calls fail.
// Prints Markdown for docs/comparison.md. An argument selects the rows that contain it; --small is a trial with a few zones.
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { withEmulator } from "./emulator.mjs";
import { measureShell } from "./measure.mjs";
import { withSlowAnswers } from "./slow-answers.mjs";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: "boolean", default: false } },
});
const [asked = ""] = positionals;

const POLICIES = 10;

/** The tools are not dependencies: CONTRIBUTING.md says how to install them. */
const installed = path.resolve(".peers/bin");
const PATH = [installed, process.env.PATH].join(path.delimiter);

const program = [process.execPath, path.resolve("dist/cli.js")].map((each) => JSON.stringify(each)).join(" ");
const terraform = {
  needs: [/^terraform$/, /^terraform-provider-cloudflare/],
  plan: "terraform plan -input=false -detailed-exitcode -parallelism=10",
  apply: "terraform apply -input=false -auto-approve -parallelism=10",
};

/** Each tool with its files, written out zone by zone, and its number of parallel requests. A plan with changes exits with 2. */
const tools = {
  "zoneward 10": {
    needs: [],
    plan: `${program} plan --rate-limit off --concurrency 10 --detailed-exitcode`,
    apply: `${program} apply --rate-limit off --concurrency 10 --yes`,
    files: zonewardFiles,
  },
  "Terraform `for_each` 10": { ...terraform, files: (...given) => terraformFiles(oneResource, ...given) },
  "Terraform blocks 10": { ...terraform, files: (...given) => terraformFiles(manyResources, ...given) },
  ...Object.fromEntries([1, 4, 10].map((workers) => [`octorules ${workers}`, octorulesWith(workers)])),
};

/** octorules cannot plan policies alone: it needs at least one phase of rules. Its default is one worker. */
function octorulesWith(workers) {
  const command = "octorules --scope zones --phase cloudflare.log_custom_fields";
  return {
    needs: [/^octorules$/],
    plan: `${command} plan --exit-code`,
    apply: `${command} sync --doit`,
    files: (wanted) => octorulesFiles(wanted, workers),
  };
}

/** Terraform files with all policies by key: in one resource, or in one resource each. */
const oneResource = {
  blocks: (policies) => ({
    locals: { policies },
    resource: { cloudflare_page_shield_policy: { all: { for_each: "${local.policies}", ...eachValue } } },
  }),
  states: (policies) => [
    {
      name: "all",
      instances: Object.entries(policies).map(([key, attributes]) => ({
        index_key: key,
        ...instance(attributes),
      })),
    },
  ],
};
const manyResources = {
  blocks: (policies) => ({ resource: { cloudflare_page_shield_policy: policies } }),
  states: (policies) =>
    Object.entries(policies).map(([name, attributes]) => ({ name, instances: [instance(attributes)] })),
};
const eachValue = Object.fromEntries(
  ["zone_id", "description", "action", "enabled", "expression", "value"].map((key) => [
    key,
    `\${each.value.${key}}`,
  ]),
);

function instance(attributes) {
  return { schema_version: 500, attributes };
}

const places = PATH.split(path.delimiter).filter((place) => existsSync(place));
const isThere = (name) => places.some((place) => readdirSync(place).some((file) => name.test(file)));
const present = Object.entries(tools).filter(([, { needs }]) => needs.every(isThere));
for (const [name, { needs }] of Object.entries(tools))
  for (const each of needs.filter((need) => !isThere(need)))
    console.error(`${each.source} is not installed: ${name} is not measured.`);

const size = (zones) => (flags.small ? Math.min(zones, 3) : zones);
const rounds = (often) => (flags.small ? 1 : often);

const work = [
  ...[20, 100].map((answerMs) => ({ what: "first apply", zones: 50, command: "apply", answerMs, often: 2 })),
  ...[20, 100].map((answerMs) => ({
    what: "one policy changed in each",
    zones: 50,
    command: "apply",
    answerMs,
    often: 2,
    isLive: true,
    change: " changed.example.net",
  })),
  ...[1, 50, 300].map((zones) => ({
    what: "plan, no change",
    zones,
    command: "plan",
    answerMs: 100,
    often: zones === 300 ? 1 : 3,
    isLive: true,
  })),
].map((each) => ({ ...each, zones: size(each.zones), title: titleOf({ ...each, zones: size(each.zones) }) }));

const POLICIES_PATH = "/zones/*/page_shield/policies*";
const FIRST_ZONE = POLICIES_PATH.replace("*", idOf(0));

/** Failing calls in a fleet of two zones. */
const faults = [
  {
    title: "a create takes effect and answers 500",
    command: "apply",
    faults: { schedule: [{ method: "POST", path: FIRST_ZONE, nth: 3, fault: "500-after" }] },
  },
  {
    title: "a read answers 500 three times, a policy is to change",
    command: "apply",
    isLive: true,
    change: " changed.example.net",
    faults: {
      schedule: [1, 2, 3].map((nth) => ({ method: "GET", path: FIRST_ZONE, nth, fault: "500-before" })),
    },
  },
  {
    title: "all reads of policies answer 500",
    command: "plan",
    isLive: true,
    faults: { rates: [{ method: "GET", path: POLICIES_PATH, chance: 1, fault: "500-before" }] },
  },
].map((each) => ({ ...each, zones: 2, answerMs: 0 }));

/** The results of a plan, by its exit code. */
const PLANS = { 0: "sees no change", 2: "plans changes" };

const folder = await mkdtemp(path.join(tmpdir(), "zoneward-peers-"));
/** The tool that goes first rotates, because the machine may be warmer or busier for later ones. */
let first = 0;
try {
  await printAll();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function printAll() {
  const chosen = (list) => list.filter(({ title }) => title.includes(asked));
  console.log(await heading());
  const measured = [];
  for (const each of chosen(work)) {
    const best = await bestOf(each);
    // Printed at once, so that a later failure loses no row.
    console.error(each.title, best);
    measured.push({ ...each, best });
  }
  if (measured.length > 0) {
    printTable("wall seconds, the best of a row bold", measured, ({ best }, name) => secondsOf(best, name));
    printTable("requests · processor seconds", measured, ({ best }, name) =>
      [best[name].requests, (best[name].cpuMs / 1000).toFixed(1)].join(" · "),
    );
  }
  const struck = [];
  for (const each of chosen(faults))
    struck.push({ ...each, ends: await inTurn(each, (tool) => struckOnce(tool, each)) });
  if (struck.length > 0) printTable("when calls fail, two zones", struck, ({ ends }, name) => ends[name]);
}

function titleOf({ what, zones, answerMs }) {
  return `${what}, ${zones} ${zones === 1 ? "zone" : "zones"}, ${answerMs} ms`;
}

async function heading() {
  const versions = await Promise.all(
    [
      ["octorules", "octorules --version"],
      ["Terraform", "terraform version"],
    ]
      .filter(([name]) => present.some(([each]) => each.startsWith(name)))
      .map(async ([, command]) => firstLine(command)),
  );
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${availableParallelism()} cores, Node ${process.versions.node}${["", ...versions].join(", ")}. ${POLICIES} policies a zone. The number beside a name is how many requests or workers it has at once.`;
}

async function firstLine(command) {
  const file = path.join(folder, "version.txt");
  await measureShell(`${command} > ${JSON.stringify(file)} 2> /dev/null`, { PATH, TF_CLI_CONFIG_FILE: "" });
  return (await readFile(file, "utf8")).split("\n")[0];
}

function printTable(what, rows, cellOf) {
  const names = present.map(([name]) => name);
  console.log("");
  printLine(what, ...names);
  printLine("---", ...names.map(() => "---"));
  for (const row of rows) printLine(row.title, ...names.map((name) => cellOf(row, name)));
}

function printLine(...cells) {
  console.log(`| ${cells.join(" | ")} |`);
}

function secondsOf(best, name) {
  const wall = ({ wallMs }) => (wallMs / 1000).toFixed(1);
  const least = Math.min(...Object.values(best).map((each) => Number(wall(each))));
  return Number(wall(best[name])) === least ? `**${wall(best[name])}**` : wall(best[name]);
}

/** The least value of each number in all rounds, because other work of the machine only adds time. */
async function bestOf(each) {
  const samples = [];
  for (let round = 1; round <= rounds(each.often); round += 1) {
    console.error(`${each.title}: round ${round} of ${rounds(each.often)}`);
    samples.push(await inTurn(each, (tool) => measuredOnce(tool, each)));
  }
  const least = (name, key) => Math.min(...samples.map((sample) => sample[name][key]));
  return Object.fromEntries(
    present.map(([name]) => [
      name,
      Object.fromEntries(["wallMs", "cpuMs", "requests"].map((key) => [key, least(name, key)])),
    ]),
  );
}

/** The result of each tool. Each call starts with another tool. */
async function inTurn({ title }, use) {
  const order = [...present.slice(first % present.length), ...present.slice(0, first % present.length)];
  first += 1;
  const results = {};
  for (const [name, tool] of order) {
    console.error(`${title}: ${name}`);
    results[name] = await use(tool);
  }
  return results;
}

async function measuredOnce(tool, each) {
  const { code, said, live, wanted, ...times } = await runOnce(tool, each);
  if (code !== 0) throw new Error(`exited with ${code}:\n${said}`);
  if (JSON.stringify(live) !== JSON.stringify(wanted)) throw new Error(`another state than wanted:\n${said}`);
  return times;
}

async function struckOnce(tool, each) {
  const { code, live, wallMs } = await runOnce(tool, each);
  const seconds = `${(wallMs / 1000).toFixed(1)} s`;
  if (each.command === "plan") return `${PLANS[code] ?? `fails, exit ${code}`}, ${seconds}`;
  return `${live[0]?.length} policies, exit ${code}, ${seconds}`;
}

/** Each run has its own folder and emulator, because an apply changes both. */
async function runOnce(tool, { zones, command, answerMs, isLive = false, change = "", faults = {} }) {
  const cwd = await mkdtemp(path.join(folder, "run-"));
  const live = fleet(zones, isLive ? POLICIES : 0);
  const wanted = fleet(zones, POLICIES, change);
  const [seed, log, struck] = ["live.json", "log.jsonl", "faults.json"].map((name) => path.join(cwd, name));
  const seeded = Object.fromEntries(live.map(({ name, ...zone }) => [name, zone]));
  await writeFile(seed, JSON.stringify({ zones: seeded }));
  await writeFile(struck, JSON.stringify(faults));
  await mkdir(path.join(cwd, "rules"));
  for (const [name, value] of Object.entries(tool.files(wanted, live)))
    await writeFile(path.join(cwd, name), typeof value === "string" ? value : JSON.stringify(value));
  const environment = { PATH, TF_CLI_CONFIG_FILE: path.join(cwd, "terraform.rc"), CHECKPOINT_DISABLE: "1" };
  const run = (access) =>
    measureShell(`${tool[command]} > said.txt 2>&1`, { ...environment, ...access }, cwd);
  const ran = await withEmulator(["--seed", seed, "--log", log, "--faults", struck], async (access) => {
    const times = answerMs === 0 ? await run(access) : await withSlowAnswers(access, answerMs, run);
    return { ...times, live: await policiesIn(access, live) };
  });
  const sent = (await readFile(log, "utf8")).trim().split("\n").length;
  const said = await readFile(path.join(cwd, "said.txt"), "utf8");
  await rm(cwd, { recursive: true });
  return { ...ran, said, wanted: wanted.map(({ policies }) => essenceOf(policies)), requests: sent - zones };
}

/** The policies of each zone afterwards; null where reading them fails. */
function policiesIn({ CLOUDFLARE_BASE_URL: url, CLOUDFLARE_API_TOKEN: token }, zones) {
  const read = async ({ id }) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/zones/${id}/page_shield/policies`, { headers });
    const { result } = await answer.json();
    return answer.ok ? essenceOf(result) : null;
  };
  return Promise.all(zones.map(read));
}

/** Policies in a comparable form: octorules sorts the sources of a value. */
function essenceOf(policies) {
  return policies
    .map(({ value, description, action, enabled, expression }) => {
      const words = value.split(/[\s;]+/).sort();
      return JSON.stringify([description, action, enabled, expression, ...words]);
    })
    .sort();
}

/** Zones with their first policies. The fourth one has more sources in its value. */
function fleet(size, count, more = "") {
  return Array.from({ length: size }, (_, zone) => ({
    name: `shop-${String(zone).padStart(3, "0")}.example.com`,
    id: idOf(zone),
    policies: Array.from({ length: count }, (_, index) => ({
      id: idOf(zone * POLICIES + index),
      description: `Area ${index}`,
      action: index % 2 === 0 ? "log" : "allow",
      enabled: true,
      expression: `starts_with(http.request.uri.path, "/area-${index}/") and not http.host contains "internal"`,
      value: `script-src 'self' cdn-${index}.example.net https://js.payments.example/v3/${index === 3 ? more : ""}; connect-src 'self' wss://live.example.net`,
    })),
  }));
}

function idOf(number) {
  return number.toString(16).padStart(32, "0");
}

function zonewardFiles(wanted) {
  const zones = wanted.map(({ name, id, policies }) => [name, { id, policies: policies.map(withoutId) }]);
  return { "zoneward.yaml": { version: 1, zones: Object.fromEntries(zones) } };
}

function octorulesFiles(wanted, workers) {
  const zones = Object.fromEntries(wanted.map(({ name }) => [name, { sources: ["rules"] }]));
  const providers = { cloudflare: { token: "env/CLOUDFLARE_API_TOKEN" }, rules: { directory: "./rules" } };
  const rules = wanted.map(({ name, policies }) => [
    `rules/${name}.yaml`,
    { cloudflare: { page_shield_policies: policies.map(withoutId) } },
  ]);
  const manager = { max_workers: workers };
  return { "config.yaml": { manager, providers, zones }, ...Object.fromEntries(rules) };
}

function withoutId({ id: _, ...policy }) {
  return policy;
}

/** Includes the state that Terraform would have after creating the live objects. */
function terraformFiles({ blocks, states }, wanted, live) {
  const source = "cloudflare/cloudflare";
  return {
    "main.tf.json": {
      terraform: { required_providers: { cloudflare: { source } } },
      ...blocks(byKey(wanted, withoutId)),
    },
    "terraform.tfstate": {
      version: 4,
      terraform_version: "1.7.0",
      serial: 1,
      lineage: "peers",
      outputs: {},
      resources: states(byKey(live, (policy) => policy)).map((resource) => ({
        mode: "managed",
        type: "cloudflare_page_shield_policy",
        provider: `provider["registry.terraform.io/${source}"]`,
        ...resource,
      })),
    },
    "terraform.rc": `provider_installation {\n  dev_overrides { ${JSON.stringify(source)} = ${JSON.stringify(installed)} }\n}\n`,
  };
}

/** Policies as resource attributes, by key. */
function byKey(zones, shown) {
  return Object.fromEntries(
    zones.flatMap(({ id, policies }, zone) =>
      policies.map((policy, index) => [`shop_${zone}_${index}`, { zone_id: id, ...shown(policy) }]),
    ),
  );
}
