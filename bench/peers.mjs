// Measures other tools at the same work: ratios of their processor and wall time to zoneward's, and the number of requests
// that each tool sends.
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { withEmulator } from "./emulator.mjs";
import { measureShell } from "./measure.mjs";
import { withSlowAnswers } from "./slow-answers.mjs";

const POLICIES = 10;
/** The rounds for each size. The least time counts. */
const ROUNDS = { 1: 5, 50: 2, 300: 1 };

/** The tools are not dependencies: CONTRIBUTING.md says how to install them. */
const installed = path.resolve(".peers/bin");
const PATH = [installed, process.env.PATH].join(path.delimiter);

const program = [process.execPath, path.resolve("dist/cli.js")].map((each) => JSON.stringify(each)).join(" ");
const terraform = {
  missing:
    missing(/^terraform$/, "terraform") ?? missing(/^terraform-provider-cloudflare/, "Cloudflare's provider"),
  plan: "terraform plan -input=false -detailed-exitcode",
  apply: "terraform apply -input=false -auto-approve",
};
/** octorules cannot plan policies alone: it needs at least one phase of rules. */
const octorules = "octorules --scope zones --phase cloudflare.log_custom_fields";

/** Each tool with its files, written out zone by zone. A plan with changes exits with 2. */
const tools = {
  zoneward: {
    missing: null,
    plan: `${program} plan --rate-limit off --detailed-exitcode`,
    apply: `${program} apply --rate-limit off --yes`,
    files: zonewardFiles,
  },
  "Terraform, `for_each`": { ...terraform, files: (...given) => terraformFiles(oneResource, ...given) },
  "Terraform, a block each": { ...terraform, files: (...given) => terraformFiles(manyResources, ...given) },
  octorules: {
    missing: missing(/^octorules$/, "octorules"),
    plan: `${octorules} plan --exit-code`,
    apply: `${octorules} sync --doit`,
    files: octorulesFiles,
  },
};

/** All policies of a fleet by key: in one resource, and in one resource each. */
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

function missing(name, what) {
  const there = PATH.split(path.delimiter).some(
    (place) => existsSync(place) && readdirSync(place).some((file) => name.test(file)),
  );
  return there ? null : what;
}

const present = Object.entries(tools).filter(([, tool]) => tool.missing === null);
for (const what of new Set(Object.values(tools).flatMap((tool) => tool.missing ?? [])))
  console.error(`${what} is not installed: skipping the measurements that need it.`);
const work = [
  ...[1, 50, 300].map((size) => ({ what: "plan, no change", size, command: "plan", exit: 0 })),
  { what: "plan, a policy changed in each", size: 50, command: "plan", exit: 2, changed: true },
  ...[0, 20, 100].map((answerMs) => ({
    what: `first apply, ${answerMs} ms an answer`,
    size: 50,
    command: "apply",
    exit: 0,
    answerMs,
  })),
];
const [asked = ""] = process.argv.slice(2);
const folder = await mkdtemp(path.join(tmpdir(), "zoneward-peers-"));
try {
  const names = present.map(([name]) => name);
  printLine(`zones × ${POLICIES} policies`, ...names.slice(1), `requests: ${names.join(" / ")}`);
  printLine(...names.map(() => "---"), "---");
  const toDo = names.length === 1 ? [] : work.filter(({ what }) => what.includes(asked));
  for (const each of toDo) await printCompared(each);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** One kind of work by all tools in turn: ratios of the least times, because other work of the machine only adds time. */
async function printCompared(each) {
  const title = `${each.what}, ${each.size} × ${POLICIES}`;
  const samples = present.map(() => []);
  for (let round = 0; round < ROUNDS[each.size]; round += 1) {
    console.error(`${title}, round ${round + 1} of ${ROUNDS[each.size]}`);
    for (const [index, [, tool]] of present.entries()) samples[index].push(await runOnce(tool, each));
  }
  const [own, ...others] = samples;
  const ratios = others.map((other) =>
    ["cpuMs", "wallMs"].map((key) => rounded(least(other, key) / least(own, key))).join(" · "),
  );
  printLine(title, ...ratios, samples.map((taken) => least(taken, "requests")).join(" / "));
}

function rounded(ratio) {
  return ratio < 10 ? ratio.toPrecision(2) : ratio.toFixed(0);
}

function least(samples, key) {
  return Math.min(...samples.map((sample) => sample[key]));
}

function printLine(...cells) {
  console.log(`| ${cells.join(" | ")} |`);
}

/** Each run has its own folder and emulator, because an apply changes both. */
async function runOnce(tool, { size, command, exit, changed = false, answerMs = 0 }) {
  const cwd = await mkdtemp(path.join(folder, "run-"));
  const live = fleet(size, command === "plan" ? POLICIES : 0);
  const wanted = fleet(size, POLICIES, changed ? " changed.example.net" : "");
  const [seed, log] = ["live.json", "log.jsonl"].map((name) => path.join(cwd, name));
  await writeFile(
    seed,
    JSON.stringify({ zones: Object.fromEntries(live.map(({ name, ...zone }) => [name, zone])) }),
  );
  await mkdir(path.join(cwd, "rules"));
  for (const [name, value] of Object.entries(tool.files(wanted, live)))
    await writeFile(path.join(cwd, name), typeof value === "string" ? value : JSON.stringify(value));
  const environment = { PATH, TF_CLI_CONFIG_FILE: path.join(cwd, "terraform.rc"), CHECKPOINT_DISABLE: "1" };
  const taken = await withEmulator(["--seed", seed, "--log", log], (access) =>
    answerMs === 0 ? run(access) : withSlowAnswers(access, answerMs, run),
  );
  const requests = (await readFile(log, "utf8")).trim().split("\n").length;
  await rm(cwd, { recursive: true });
  return { ...taken, requests };

  async function run(access) {
    const { code, ...times } = await measureShell(
      `${tool[command]} > said.txt 2>&1`,
      { ...environment, ...access },
      cwd,
    );
    if (code !== exit)
      throw new Error(`exited with ${code}:\n${await readFile(path.join(cwd, "said.txt"), "utf8")}`);
    return times;
  }
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

function octorulesFiles(wanted) {
  const zones = Object.fromEntries(wanted.map(({ name }) => [name, { sources: ["rules"] }]));
  const providers = { cloudflare: { token: "env/CLOUDFLARE_API_TOKEN" }, rules: { directory: "./rules" } };
  const rules = wanted.map(({ name, policies }) => [
    `rules/${name}.yaml`,
    { cloudflare: { page_shield_policies: policies.map(withoutId) } },
  ]);
  return { "config.yaml": { providers, zones }, ...Object.fromEntries(rules) };
}

function withoutId({ id: _, ...policy }) {
  return policy;
}

/** With the state that Terraform would have after creating the live objects. */
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
