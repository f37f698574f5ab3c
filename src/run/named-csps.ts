import { zoneOf } from "../evidence/hosts.js";
import { evaluate } from "../expression/evaluate/evaluate.js";
import { requestOf } from "../expression/evaluate/request.js";
import type { Truth } from "../expression/value.js";
import { pagesIn } from "../kinds/zone-state.js";
import { quoted } from "../model/cut.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { fits } from "../model/unmanaged.js";
import { type FilesInput, readDesired } from "./files.js";
import { stateDeclared } from "./zone-tests.js";

/** A declared CSP and its pages. */
export interface NamedCsp {
  readonly name: string;
  readonly zone: string;
  readonly csp: string;
  /** Whether it blocks loads, or only reports them. */
  readonly isBlocking: boolean;
  /** A filter expression. */
  readonly where: string;
}

export interface NamedCsps {
  readonly csps: readonly NamedCsp[];
  /** The names of all zones of the files. */
  readonly zones: readonly string[];
  /** Warnings about the files. */
  readonly problems: readonly Problem[];
}

/** The CSPs that a load is tried with: a value, or named policies of the files. */
export type Tried = { readonly as: "value"; readonly csp: string } | ({ readonly as: "files" } & NamedCsps);

/** The CSPs of declared policies with these names. `*` matches any part. */
export async function namedCsps(input: FilesInput, names: readonly string[]): Promise<Result<NamedCsps>> {
  const { desired, problems } = await readDesired(input, "check");
  if (desired === null) return failed(...problems);
  const all = desired.zones.flatMap((zone) =>
    (pagesIn(stateDeclared(zone.open())) ?? []).map((object) => ({ zone: zone.name, ...object })),
  );
  const meant = all.filter(({ name }) => names.some((each) => fits(each, name)));
  const csps = meant.flatMap(({ zone, name, layers }) =>
    layers.map(({ mode, where, csp }) => ({ name, zone, csp, where, isBlocking: mode === "enforce" })),
  );
  if (csps.length === 0) return failed(meant.length === 0 ? unknownNames(names) : idle(names));
  return ok({ csps, zones: desired.zones.map(({ name }) => name), problems });
}

function unknownNames(names: readonly string[]): Problem {
  const detail = `No zone in the files declares a policy called ${listed(names)}. Write its description, or a part of it with *.`;
  return problem("no_policy", "Unknown policy", detail);
}

function idle(names: readonly string[]): Problem {
  const detail = `${listed(names)} is switched off, or only adds reporting to the site's own policy. It neither allows nor blocks loads.`;
  return problem("no_policy", "Policy has no effect on loads", detail);
}

function listed(names: readonly string[]): string {
  return names.map((name) => quoted(name)).join(" or ");
}

/** The CSPs of the page's zone. */
export function cspsFor({ csps, zones }: NamedCsps, page: string): readonly NamedCsp[] {
  const zone = zoneOf(new URL(page).host, new Set(zones));
  return csps.filter((each) => each.zone === zone);
}

/** Whether a policy is on a page, as far as the page's URL tells. */
export function isOnPage({ where }: Pick<NamedCsp, "where">, page: string): Truth {
  const request = requestOf(page);
  return request.ok ? evaluate(where, request.value) : "unknown";
}
