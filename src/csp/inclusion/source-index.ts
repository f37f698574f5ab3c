import type { UrlSource } from "../match/match-source.js";

/** The sources of a list, by the hosts that they match. */
export interface SourceIndex {
  /** In the order written, each with a key that equal ones share. */
  readonly keyed: ReadonlyMap<string, UrlSource>;
  readonly anyHost: readonly UrlSource[];
  readonly byHost: ReadonlyMap<string, readonly UrlSource[]>;
  /** By what subdomains end in, and the lengths that such endings have. */
  readonly byEnding: ReadonlyMap<string, readonly UrlSource[]>;
  readonly endingChars: readonly number[];
}

export function indexSources(sources: readonly UrlSource[]): SourceIndex {
  const keyed = new Map<string, UrlSource>();
  for (const source of sources) keyed.set(keyOf(source), source);
  const anyHost: UrlSource[] = [];
  const byHost = new Map<string, UrlSource[]>();
  const byEnding = new Map<string, UrlSource[]>();
  for (const source of keyed.values()) {
    const { match, text } = source.host ?? ANY_HOST;
    if (match === "any") anyHost.push(source);
    if (match === "exact") add(byHost, text, source);
    if (match === "subdomains") add(byEnding, text, source);
  }
  const endingChars = [...new Set([...byEnding.keys()].map(({ length }) => length))];
  return { keyed, anyHost, byHost, byEnding, endingChars };
}

/** The sources whose hosts take in those of this one, in groups. */
export function* candidates(
  index: SourceIndex,
  { host }: Pick<UrlSource, "host">,
): Generator<readonly UrlSource[]> {
  yield index.anyHost;
  const { match, text } = host ?? ANY_HOST;
  if (match === "any") return;
  if (match === "exact") yield index.byHost.get(text) ?? [];
  for (const chars of index.endingChars) {
    if (text.at(-chars) === ".") yield index.byEnding.get(text.slice(-chars)) ?? [];
  }
}

const ANY_HOST = { match: "any", text: "" } as const;

function keyOf({ scheme, host, port, path }: UrlSource): string {
  return `${scheme ?? ""} ${host?.match ?? ""} ${host?.text ?? ""} ${port ?? ""} ${path}`;
}

function add(groups: Map<string, UrlSource[]>, key: string, source: UrlSource): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [source]);
  else group.push(source);
}
