import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../support/cli.js";

/** The parts of a CycloneDX document that are read here: https://cyclonedx.org/docs/1.5/json/ */
interface Bom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly properties: readonly { readonly name: string }[];
}

const read = (file: string) => readFile(path.join(ROOT, file), "utf8");

describe("the bill of materials", () => {
  let bom: Bom;

  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["scripts/sbom.mjs"], {
      cwd: ROOT,
      maxBuffer: 16 * 1024 * 1024,
    });
    bom = JSON.parse(stdout);
  });

  test("describes this package", async () => {
    const { name, version } = JSON.parse(await read("package.json"));
    expect(bom).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: { component: { name, version, type: "application", purl: `pkg:npm/${name}@${version}` } },
    });
  });

  test("lists exactly the bundled third-party packages", async () => {
    const licenses = await read("dist/THIRD-PARTY-LICENSES.txt");
    const bundled = [...licenses.matchAll(/^-{80}\n\n(\S+) (\S+) \(/gm)];
    expect(bundled.length).toBeGreaterThan(3);
    expect(bom.components.map(({ name, version }) => `${name} ${version}`)).toEqual(
      bundled.map(([, name, version]) => `${name} ${version}`),
    );
    const forDevelopment = bom.components.filter(({ properties }) => properties.length > 0);
    expect(forDevelopment).toEqual([]);
  });

  test("has the hash of each package from the lockfile", async () => {
    const { packages } = JSON.parse(await read("package-lock.json"));
    for (const { name, hashes } of bom.components) {
      const [, base64] = packages[`node_modules/${name}`].integrity.split("sha512-");
      expect(hashes).toEqual([{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }]);
    }
  });

  test("has the dependency graph, limited to listed packages", () => {
    const refs = [bom.metadata.component, ...bom.components].map((each) => each["bom-ref"]);
    expect(bom.dependencies.map(({ ref }) => ref).sort()).toEqual([...refs].sort());
    const needed = new Set(bom.dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect([...needed].sort()).toEqual(refs.slice(1).sort());
  });
});
