/** A scenario file: a title, then sections that start with `=== name`. */
export interface Scenario {
  readonly title: string;
  readonly sections: readonly Section[];
}

export interface Section {
  readonly name: string;
  readonly text: string;
}

export function parseScenario(text: string): Scenario {
  const [title = "", ...rest] = text.split(/^=== /m);
  const sections = rest.map((part) => {
    const end = part.indexOf("\n");
    return { name: part.slice(0, end).trim(), text: part.slice(end + 1) };
  });
  return { title: title.trim().split("\n")[0] ?? "", sections };
}

export function formatScenario(head: string, sections: readonly Section[]): string {
  return head + sections.map(({ name, text }) => `=== ${name}\n${text}`).join("");
}

/** One round of a scenario: a desired state and the expected output. */
export interface Round {
  readonly config: string;
  readonly expected: ReadonlyMap<string, string>;
}

/** The rounds: each starts with a `config` section. */
export function roundsOf({ sections }: Scenario): readonly Round[] {
  const rounds: { config: string; expected: Map<string, string> }[] = [];
  for (const { name, text } of sections) {
    if (name === "config") rounds.push({ config: text, expected: new Map() });
    else rounds.at(-1)?.expected.set(name, text);
  }
  return rounds;
}

export function sectionText({ sections }: Scenario, name: string): string | undefined {
  return sections.find((section) => section.name === name)?.text;
}
