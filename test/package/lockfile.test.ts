import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Lockfile {
  readonly packages: {
    readonly [place: string]: {
      readonly version?: string;
      readonly optionalDependencies?: { readonly [name: string]: string };
      readonly dependencies?: { readonly [name: string]: string };
      readonly integrity?: string;
    };
  };
}

const lockfile = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lockfile; // npm's own format
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { devDependencies: object }; // this project's own

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

// npm omits packages for other platforms if it cannot see them while it writes the lockfile; then npm ci fails.
test("the lockfile contains every dependency of its packages, including those for other platforms", () => {
  const missing = Object.entries(lockfile.packages).flatMap(
    ([place, { dependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...optionalDependencies })
        .filter(([name, wanted]) => !isLocked(name, wanted, place))
        .map(([name, wanted]) => `${name}@${wanted}, for ${place}`),
  );
  expect(missing).toEqual([]);
});

// Without an integrity hash, npm cannot verify an archive.
test("every package has an integrity hash, including those for other platforms", () => {
  const unknown = Object.entries(lockfile.packages).filter(
    ([place, { integrity }]) => place !== "" && !/^sha512-/.test(integrity ?? ""),
  );
  expect(unknown.map(([place]) => place)).toEqual([]);
});

test("every dependency is pinned to one version", () => {
  const loose = Object.entries(manifest.devDependencies).filter(([, version]) => !EXACT.test(version));
  expect(loose).toEqual([]);
});

/** Whether Node would find the package from that place: beside it or further up, in the required version. */
function isLocked(name: string, wanted: string, place: string): boolean {
  const folders = place
    .split("/node_modules/")
    .map((_, depth, parts) => parts.slice(0, parts.length - depth).join("/node_modules/"));
  const [found] = [...folders.map((folder) => `${folder}/`), ""].flatMap(
    (prefix) => lockfile.packages[`${prefix}node_modules/${name}`] ?? [],
  );
  return found !== undefined && (!EXACT.test(wanted) || found.version === wanted);
}
