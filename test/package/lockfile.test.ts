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

const lockfile = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lockfile; // as npm writes it
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { devDependencies: object }; // this project's own

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

// npm leaves out packages for other platforms that it cannot see when it writes the file; npm ci then refuses the file.
test("the lockfile has every package that another one in it names, those for other platforms included", () => {
  const missing = Object.entries(lockfile.packages).flatMap(
    ([place, { dependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...optionalDependencies })
        .filter(([name, wanted]) => !isLocked(name, wanted, place))
        .map(([name, wanted]) => `${name}@${wanted}, for ${place}`),
  );
  expect(missing).toEqual([]);
});

// Without it npm has nothing to hold an archive against.
test("every package is known by its content, those for other platforms included", () => {
  const unknown = Object.entries(lockfile.packages).filter(
    ([place, { integrity }]) => place !== "" && !/^sha512-/.test(integrity ?? ""),
  );
  expect(unknown.map(([place]) => place)).toEqual([]);
});

test("every dependency is pinned to one version", () => {
  const loose = Object.entries(manifest.devDependencies).filter(([, version]) => !EXACT.test(version));
  expect(loose).toEqual([]);
});

/** Whether it is found from that place as Node looks for it, beside it or further up, in the version if only one will do. */
function isLocked(name: string, wanted: string, place: string): boolean {
  const folders = place
    .split("/node_modules/")
    .map((_, depth, parts) => parts.slice(0, parts.length - depth).join("/node_modules/"));
  const [found] = [...folders.map((folder) => `${folder}/`), ""].flatMap(
    (prefix) => lockfile.packages[`${prefix}node_modules/${name}`] ?? [],
  );
  return found !== undefined && (!EXACT.test(wanted) || found.version === wanted);
}
