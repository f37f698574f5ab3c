import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { sdkFolder, withoutSdk } from "../support/sdk.js";
import { calls } from "./calls/index.js";
import { connect } from "./sdk-call.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe.skipIf(withoutSdk)("the SDK's own types", () => {
  const imports = `
    import type * as sdk from ${JSON.stringify(`${sdkFolder}/index.mjs`)};
    import type { SdkModule } from ${JSON.stringify(`${root}/test/support/sdk.js`)};`;

  test("have every called method with the described arguments and results", async () => {
    expect(await compile(`${imports} export const described = (real: typeof sdk): SdkModule => real;`)).toBe(
      "",
    );
    expect(await compile(`${imports} export const real = (ours: SdkModule): typeof sdk => ours;`)).not.toBe(
      "",
    );
  });

  test("fit the emulator's answers", async () => {
    const lines = [];
    for (const { method, call } of calls) {
      const answer = await call((await connect()).sdk);
      // For deletions without a result, the types do not describe the value.
      if (answer !== null) lines.push(`is<Called<${methodType(method)}>>()(${JSON.stringify(answer)});`);
    }
    expect(lines.length).toBeGreaterThan(0);
    const helpers = `${imports}
      type Called<M> = M extends (...given: never[]) => infer R
        ? R extends AsyncIterable<infer Item> ? readonly Item[] : Awaited<R>
        : never;
      declare function is<T>(): <J extends T>(answer: J) => void;
      type Sdk = sdk.Cloudflare;\n`;
    expect(await compile(helpers + lines.join("\n"))).toBe("");
    expect(await compile(`${helpers} is<Called<${methodType("pageShield.get")}>>()({});`)).not.toBe("");
  });
});

function methodType(method: string): string {
  return `Sdk${method
    .split(".")
    .map((name) => `["${name}"]`)
    .join("")}`;
}

/** The compiler's output for a program. */
async function compile(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "zoneward-sdk-"));
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { noUnusedLocals: false, typeRoots: [join(root, "node_modules/@types")] },
    include: [],
    files: ["program.mts"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  await writeFile(join(folder, "program.mts"), source);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  await rm(folder, { recursive: true });
  return stdout;
}
