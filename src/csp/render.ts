import { type Csp, type Directive, parse } from "./parse.js";

/**
 * The form that is sent: the author's words in the author's order, on one line. Users of the service see it refuse
 * a value of several lines as an unknown directive.
 */
export function oneLine(text: string): string {
  return render(parse(text));
}

/** A value that has been read, as a text again. */
export function render({ policies }: Csp): string {
  return policies.map((policy) => policy.directives.map(words).join("; ")).join(", ");
}

/**
 * The map form of a value, directive → sources, in the order written. Sources are single tokens: one that holds a
 * `;` or a space would become several here.
 */
export function fromMap(map: Readonly<Record<string, readonly string[]>>): string {
  return oneLine(
    Object.entries(map)
      .map(([name, sources]) => [name, ...sources].join(" "))
      .join(";"),
  );
}

function words(directive: Directive): string {
  return [directive.written, ...directive.sources.map((source) => source.text)].join(" ");
}
