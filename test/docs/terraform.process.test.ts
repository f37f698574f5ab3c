import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/index.js";
import { folderWith, ROOT, reaching } from "../support/cli.js";
import { readMarkdown } from "../support/documents.js";
import { type ShellProgram, shellProgram } from "../support/shell-program.js";

/** Terraform and its provider are too large to be dependencies. CONTRIBUTING.md says how to install them. */
const peers = path.join(ROOT, ".peers/bin");
const places = [peers, ...(process.env.PATH ?? "").split(path.delimiter)];
const missing = [
  ...(places.some((place) => existsSync(path.join(place, "terraform"))) ? [] : ["terraform in PATH"]),
  ...(hasProvider() ? [] : ["Cloudflare's provider for it in .peers/bin"]),
];
if (missing.length > 0) console.warn(`SKIPPED: migration from Terraform; missing: ${missing.join(", ")}`);

function hasProvider(): boolean {
  return (
    existsSync(peers) && readdirSync(peers).some((name) => name.startsWith("terraform-provider-cloudflare"))
  );
}

const { blocks } = readMarkdown("docs/terraform.md");
const [removed = ""] = textsIn("hcl");
const [
  written = "",
  checked = "",
  applied = "",
  forgotten = "",
  after = "",
  allExported = "",
  collected = "",
] = textsIn("sh");

function textsIn(language: string): readonly string[] {
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}

const shop = "353c8d1a7323a8d9ca50e4ef0135e023";
const blog = "0da42c8d2132a9ddaf714f9e7c920711";
const seed = {
  zones: {
    "shop.example.com": {
      id: shop,
      settings: { enabled: true },
      policies: [
        {
          description: "Made by hand",
          action: "log",
          enabled: false,
          expression: "true",
          value: "img-src 'self'",
        },
      ],
    },
    "blog.example.com": { id: blog },
  },
} as const;
const destination = "https://logs.example.com/shop?header_Authorization=Bearer%20EXAMPLE";

/** Resources that stay in Terraform. */
const provider = `
terraform {
  required_providers {
    cloudflare = { source = "cloudflare/cloudflare" }
  }
}
variable "destination" { sensitive = true }
`;

function jobs(zones: Readonly<Record<string, string>>): string {
  return `
resource "cloudflare_logpush_job" "http" {
  for_each         = ${JSON.stringify(zones)}
  zone_id          = each.value
  name             = each.key
  dataset          = "http_requests"
  destination_conf = var.destination
  enabled          = true
  output_options   = { field_names = ["ClientIP", "Cookies", "RayID", "RequestHeaders"], timestamp_format = "rfc3339" }
}
`;
}

/** Objects that move to zoneward, by address. */
const resources: Readonly<Record<string, string>> = {
  "cloudflare_page_shield_policy.checkout": `
  zone_id     = "${shop}"
  description = "Checkout"
  action      = "allow"
  enabled     = true
  expression  = "starts_with(http.request.uri.path, \\"/checkout\\")"
  value       = "script-src 'self' https://js.payments.example; connect-src 'self'"
`,
  "cloudflare_page_shield_policy.storefront": `
  zone_id     = "${shop}"
  description = "Storefront"
  action      = "log"
  enabled     = true
  expression  = "true"
  value       = "script-src 'self'"
`,
  "cloudflare_ruleset.managed": `
  zone_id = "${shop}"
  name    = "Managed rules"
  kind    = "zone"
  phase   = "http_request_firewall_managed"
  rules = [
    {
      ref               = "health"
      description       = "Health checks"
      expression        = "http.request.uri.path eq \\"/healthz\\""
      action            = "skip"
      action_parameters = { ruleset = "current" }
      logging           = { enabled = true }
    },
    {
      ref         = "owasp"
      description = "OWASP"
      expression  = "true"
      action      = "execute"
      action_parameters = {
        id = "4814384a9e5d4991b9815dcfc25d2f1f"
        overrides = {
          categories = [
            { category = "paranoia-level-3", enabled = false },
            { category = "paranoia-level-4", enabled = false },
          ]
          rules = [{ id = "6179ae15870a4bb7b2d480d4843b323c", action = "block", score_threshold = 40 }]
        }
      }
    },
  ]
`,
  "cloudflare_ruleset.log_fields": `
  zone_id = "${shop}"
  name    = "Fields"
  kind    = "zone"
  phase   = "http_log_custom_fields"
  rules = [
    {
      ref               = "fields"
      description       = "Fields"
      expression        = "true"
      action            = "log_custom_field"
      action_parameters = { request_fields = [{ name = "content-type" }], cookie_fields = [{ name = "sessionId" }] }
    },
  ]
`,
};

function declared(addresses: readonly string[]): string {
  return addresses
    .map(
      (address) =>
        `resource ${address
          .split(".")
          .map((part) => JSON.stringify(part))
          .join(" ")} {${resources[address]}}\n`,
    )
    .join("");
}

/** Creates two zones with Terraform. Each test has a copy of the service and of the folder with Terraform's state. */
async function makeByTerraform() {
  const emulator = await createEmulator({ seed });
  const cwd = await mkdtemp(path.join(tmpdir(), "zoneward-terraform-"));
  const files = {
    "provider.tf": provider,
    "main.tf": declared(Object.keys(resources)) + jobs({ shop, blog }),
    "terraform.rc": `provider_installation {\n  dev_overrides { "cloudflare/cloudflare" = ${JSON.stringify(peers)} }\n}\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(cwd, name), text);
  const made = await shellIn(cwd, emulator)("terraform apply -auto-approve");
  expect(made.out).toContain("Resources: 6 added, 0 changed, 0 destroyed");
  await emulator.close();
  return { cwd, state: emulator.state() };
}

let template: Awaited<ReturnType<typeof makeByTerraform>>;

async function madeByTerraform() {
  const emulator = await createEmulator({ seed: template.state });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({});
  await cp(template.cwd, cwd, { recursive: true });
  const shell = shellIn(cwd, emulator);
  const write = (text: string) => writeFile(path.join(cwd, "main.tf"), text);
  return { emulator, cwd, shell, write };
}

let program: ShellProgram;

beforeAll(async () => {
  program = await shellProgram();
  return () => program.close();
});

/** A shell in which every question is answered with yes. */
function shellIn(cwd: string, emulator: Emulator) {
  const env = {
    PATH: [program.bin, peers, process.env.PATH].join(path.delimiter),
    HOME: cwd,
    TF_CLI_CONFIG_FILE: path.join(cwd, "terraform.rc"),
    TF_CLI_ARGS: "-no-color",
    CHECKPOINT_DISABLE: "1",
    TF_VAR_destination: destination,
    ...reaching(emulator),
  };
  return (script: string, more: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly code: number; readonly out: string }>((resolve) => {
      const lines = ["set -eo pipefail", script].join("\n");
      const child = execFile("bash", ["-c", lines], { cwd, env: { ...env, ...more } }, (error, out, err) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, out: out + err }),
      );
      child.stdin?.on("error", () => {}).end("yes\n");
    });
}

test("secrets of many zones are collected from Terraform's state under the names that export uses", async () => {
  const names = ["shop-one.example.com", "blog.example.com"];
  const jobs = names.map((name, index) => ({
    name: "to.bucket",
    dataset: "http_requests",
    destination_conf: `https://logs.example/${name}?header_Authorization=it's%20${index}`,
  }));
  const zones = names.map((name, index) => [name, { logpush_jobs: [jobs[index]] }]);
  const emulator = await createEmulator({ seed: { zones: Object.fromEntries(zones) } });
  onTestFinished(() => emulator.close());
  const resources = names.map((name, index) => ({
    address: `module.logs.cloudflare_logpush_job.http[${JSON.stringify(name)}]`,
    type: "cloudflare_logpush_job",
    values: { ...jobs[index], zone_id: emulator.zones[name] },
  }));
  const ofAccount = {
    type: "cloudflare_logpush_job",
    values: { ...jobs[0], account_id: "a", zone_id: null },
  };
  const root = { resources: [ofAccount], child_modules: [{ address: "module.logs", resources }] };
  const cwd = await folderWith({
    "state.json": JSON.stringify({ format_version: "1.0", values: { root_module: root } }),
  });
  const shell = shellIn(cwd, emulator);
  const { code, out } = await shell(
    `terraform() { [ "$*" = "show -json" ] && cat state.json; }\n${allExported}\n${collected}\necho "$ZONEWARD_SECRETS"`,
  );
  expect(code, out).toBe(0);
  expect(out).toContain("Plan: no changes in the compared fields");
  expect(out).toContain("Plan: no changes, 6 unchanged in 2 zones");
  expect(out).toContain("\nSHOP_ONE_EXAMPLE_COM_TO_BUCKET,BLOG_EXAMPLE_COM_TO_BUCKET\n");
});

describe.skipIf(missing.length > 0)("the documented migration from Terraform", () => {
  beforeAll(async () => {
    template = await makeByTerraform();
    return () => rm(template.cwd, { recursive: true });
  });

  test("changes and destroys no live object", async () => {
    const { emulator, cwd, shell, write } = await madeByTerraform();
    const before = JSON.stringify(emulator.state());
    const writes = emulator.writes().length;

    const exported = await shell(elided(written));
    expect(exported.code, exported.out).toBe(0);
    const file = await readFile(path.join(cwd, "zoneward.yaml"), "utf8");
    const secrets = Object.fromEntries(
      [...file.matchAll(/^# {3}(\w+)$/gm)].map(([, name]) => [name, destination]),
    );
    expect(Object.keys(secrets)).toEqual(["SHOP_EXAMPLE_COM_SHOP"]);
    const compared = await shell(checked, secrets);
    expect(compared.code, compared.out).toBe(0);
    expect(compared.out).toContain("Plan: no changes, 9 unchanged in 1 zone");
    const other = await shell(checked, { SHOP_EXAMPLE_COM_SHOP: `${destination}1` });
    expect([other.code, other.out]).toEqual([2, expect.stringContaining("destination_conf")]);

    const addresses = Object.keys(resources);
    const blocks = addresses.map((address) => removed.replace(/(?<=from = ).*/, address)).join("\n");
    await write(blocks + jobs({ shop, blog }));
    const released = await shell(applied);
    expect(released.code, released.out).toBe(0);
    expect(released.out).toContain("Plan: 0 to add, 0 to change, 0 to destroy.");
    expect(released.out).toContain("Resources: 0 added, 0 changed, 0 destroyed.");

    expect((await shell(forgotten)).out).toContain("Successfully removed 1 resource instance");
    await write(blocks + jobs({ blog }));
    const stays = await shell(after, secrets);
    expect(stays.code, stays.out).toBe(0);
    expect(stays.out).toContain("Plan: no changes, 9 unchanged in 1 zone");
    expect(stays.out).toContain("No changes. Your infrastructure matches the configuration.");
    expect(JSON.stringify(emulator.state())).toBe(before);
    expect(emulator.writes()).toHaveLength(writes);

    await write(jobs({ blog }));
    await writeFile(path.join(cwd, "zoneward.yaml"), file.replace("js.payments.example", "js.pay.example"));
    const change = await shell("zoneward apply --yes", secrets);
    expect([change.code, emulator.writes().length], change.out).toEqual([0, writes + 1]);
    expect((await shell("terraform plan -detailed-exitcode")).code).toBe(0);
    expect((await shell("terraform state list")).out.trim().split("\n").slice(-1)).toEqual([
      'cloudflare_logpush_job.http["blog"]',
    ]);
  });

  test("leaves unnamed objects out of the file", async () => {
    const { cwd, shell, write } = await madeByTerraform();
    const changed = declared(Object.keys(resources)) + jobs({ shop, blog });
    await write(changed.replace('"Health checks"', '""').replace('"Storefront"', '"Checkout"'));
    expect((await shell("terraform apply -auto-approve")).out).toContain("0 added, 2 changed, 0 destroyed");
    expect((await shell(elided(written))).code).toBe(0);
    const file = await readFile(path.join(cwd, "zoneward.yaml"), "utf8");
    expect(file.match(/# Not managed: .*/g)).toEqual([
      expect.stringMatching(/unnamed managed_exception \([0-9a-f]{32}\). It has no description/),
      expect.stringMatching(/1 more of the name "Checkout"/),
    ]);
  });

  test("can be undone by import without changing a live object", async () => {
    const { emulator, shell, write } = await madeByTerraform();
    const state = JSON.parse((await shell("terraform show -json")).out) as State;
    const imports = state.values.root_module.resources.map(({ address, type, values: { zone_id, id } }) => {
      const prefix = type === "cloudflare_page_shield_policy" ? "" : "zones/";
      return `import {\n  to = ${address}\n  id = "${prefix}${zone_id}/${id}"\n}\n`;
    });
    expect((await shell("terraform state rm $(terraform state list)")).code).toBe(0);
    await write(declared(Object.keys(resources)) + jobs({ shop, blog }) + imports.join(""));
    const writes = emulator.writes().length;
    const imported = await shell("terraform apply -auto-approve");
    expect(imported.out).toContain("Resources: 6 imported, 0 added, 0 changed, 0 destroyed.");
    expect(emulator.writes()).toHaveLength(writes);
  });

  test("needs removed blocks: deleting a resource block destroys the object", async () => {
    const { shell, write } = await madeByTerraform();
    await write(declared(Object.keys(resources).slice(1)) + jobs({ shop, blog }));
    expect((await shell("terraform plan")).out).toContain("0 to add, 0 to change, 1 to destroy.");
  });

  test("removes a single instance by hand, because a removed block cannot name one", async () => {
    const { shell, write } = await madeByTerraform();
    const [, instance = ""] = /'(.*)'/.exec(forgotten) ?? [];
    const block = removed.replace(/(?<=from = ).*/, instance);
    await write(declared(Object.keys(resources)) + jobs({ blog }) + block);
    const refused = await shell("terraform plan");
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining("instance keys not allowed")]);
  });

  test("gives a list of rules one owner, because two owners would undo each other", async () => {
    const { emulator, cwd, shell } = await madeByTerraform();
    expect((await shell(elided(written))).code).toBe(0);
    const file = path.join(cwd, "zoneward.yaml");
    const exception =
      '\n      - { description: Uploads, expression: http.request.uri.path eq "/upload", skip: all }';
    const section = "    managed_exceptions:";
    await writeFile(file, (await readFile(file, "utf8")).replace(section, section + exception));
    expect((await shell("zoneward apply --yes", { SHOP_EXAMPLE_COM_SHOP: destination })).code).toBe(0);
    const descriptions = () =>
      emulator
        .state()
        .zones["shop.example.com"]?.rulesets?.flatMap(({ rules = [] }) =>
          rules.map(({ description }) => description),
        );
    expect(descriptions()).toContain("Uploads");
    expect((await shell("terraform apply -auto-approve")).out).toContain("0 added, 1 changed, 0 destroyed");
    expect(descriptions()).not.toContain("Uploads");
    expect((await shell("zoneward plan --detailed-exitcode")).code).toBe(2);
  });
});

/** The parts of Terraform's JSON state that these tests read. */
interface State {
  readonly values: {
    readonly root_module: {
      readonly resources: ReadonlyArray<{
        readonly address: string;
        readonly type: string;
        readonly values: { readonly id: string | number; readonly zone_id: string };
      }>;
    };
  };
}

/** Drops lines with `…`, which stands for a value that no document can contain. */
function elided(script: string): string {
  return script.replace(/^.*…\n/gm, "");
}
