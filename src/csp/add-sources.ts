import { EFFECTIVE, FALLBACKS, type LoadKind } from "./directives.js";
import { type Policy, parsedCsp } from "./syntax.js";

/** A source that a policy of a value, counted from 0, gets for a kind of load. */
export interface Addition {
  readonly policy: number;
  readonly kind: LoadKind;
  readonly source: string;
}

/** The list that is usual for a kind of load. */
export const LIST_OF = { script: "script-src", connection: "connect-src" } as const satisfies {
  readonly [kind in LoadKind]: string;
};

/** The value with sources added to the lists that decide. What `default-src` decides gets a list of its own. */
export function withSources(value: string, wanted: readonly Addition[]): string {
  return parsedCsp(value)
    .policies.map((policy, index) =>
      policyWith(
        policy,
        wanted.filter((each) => each.policy === index),
      ),
    )
    .join(", ");
}

function policyWith({ directives }: Policy, wanted: readonly Addition[]): string {
  const words = directives.map(({ written, sources }) => [written, ...sources.map(({ text }) => text)]);
  for (const kind of ["script", "connection"] as const) {
    const sources = wanted.filter((each) => each.kind === kind).map(({ source }) => source);
    if (sources.length === 0) continue;
    const names: readonly string[] = FALLBACKS[EFFECTIVE[kind]];
    const at = names
      .map((name) => directives.findIndex((each) => each.name === name))
      .find((each) => each !== -1);
    const list = at === undefined ? undefined : words[at];
    if (at === undefined || list === undefined) continue;
    const [name = "", ...own] = list;
    const all = [...own.filter((each) => each.toLowerCase() !== "'none'"), ...sources];
    if (directives[at]?.name === "default-src") words.push([LIST_OF[kind], ...all]);
    else words[at] = [name, ...all];
  }
  return words.map((each) => each.join(" ")).join("; ");
}
