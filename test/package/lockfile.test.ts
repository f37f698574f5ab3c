import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Lockfile {
  readonly packages: {
    readonly [place: string]: {
      readonly optionalDependencies?: object;
      readonly dependencies?: object;
      readonly integrity?: string;
      readonly optional?: boolean;
    };
  };
}

const lockfile = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lockfile; // as npm writes it
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { devDependencies: object }; // this project's own

// npm leaves out packages for other platforms that it cannot see when it writes the file; npm ci then refuses the file.
test("the lockfile has every package that another one in it names, those for other platforms included", () => {
  const missing = Object.entries(lockfile.packages).flatMap(
    ([place, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isLocked(name, place))
        .map((name) => `${name}, for ${place}`),
  );
  expect(missing).toEqual([]);
});

// The registry that the lockfile was made with does not have these: where one is installed, npm has nothing to hold it against.
test("every package is known by its content, but for binaries of the linter and the parser for other platforms", () => {
  const unknown = Object.entries(lockfile.packages).filter(
    ([place, { integrity }]) => place !== "" && !/^sha512-/.test(integrity ?? ""),
  );
  const others = unknown.filter(
    ([place, { optional }]) =>
      optional !== true ||
      !/^node_modules\/@(biomejs\/cli|oxc-parser\/binding)-(?!linux-x64(-gnu)?$)/.test(place),
  );
  expect(others.map(([place]) => place)).toEqual([]);
});

test("every dependency is pinned to one version", () => {
  const loose = Object.entries(manifest.devDependencies).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  );
  expect(loose).toEqual([]);
});

/** Whether it is found from that place as Node looks for it: beside it, or further up. */
function isLocked(name: string, place: string): boolean {
  const folders = place
    .split("/node_modules/")
    .map((_, depth, parts) => parts.slice(0, parts.length - depth).join("/node_modules/"));
  return ["", ...folders.map((folder) => `${folder}/`)].some(
    (prefix) => `${prefix}node_modules/${name}` in lockfile.packages,
  );
}
