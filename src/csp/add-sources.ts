import { EFFECTIVE, FALLBACKS, type LoadKind } from "./directives.js";
import { type Policy, parsedCsp } from "./syntax.js";

/** A source to add to one policy of a value. Policies are counted from 0. */
export interface Addition {
  readonly policy: number;
  readonly kind: LoadKind;
  readonly source: string;
}

/** The usual list for a kind of load. */
export const LIST_OF = { script: "script-src", connection: "connect-src" } as const satisfies {
  readonly [kind in LoadKind]: string;
};

/** The value with sources added to the deciding lists. In place of `default-src`, the kind of load gets its own list. */
export function withSources(value: string, additions: readonly Addition[]): string {
  return parsedCsp(value)
    .policies.map((policy, index) =>
      policyWith(
        policy,
        additions.filter((each) => each.policy === index),
      ),
    )
    .join(", ");
}

function policyWith({ directives }: Policy, additions: readonly Addition[]): string {
  const words = directives.map(({ written, sources }) => [written, ...sources.map(({ text }) => text)]);
  for (const kind of ["script", "connection"] as const) {
    const sources = additions.filter((each) => each.kind === kind).map(({ source }) => source);
    if (sources.length === 0) continue;
    const names: readonly string[] = FALLBACKS[EFFECTIVE[kind]];
    const index = names
      .map((name) => directives.findIndex((each) => each.name === name))
      .find((each) => each !== -1);
    const list = index === undefined ? undefined : words[index];
    if (index === undefined || list === undefined) continue;
    const [name = "", ...oldSources] = list;
    const newSources = [...oldSources.filter((each) => each.toLowerCase() !== "'none'"), ...sources];
    if (directives[index]?.name === "default-src") words.push([LIST_OF[kind], ...newSources]);
    else words[index] = [name, ...newSources];
  }
  return words.map((each) => each.join(" ")).join("; ");
}
