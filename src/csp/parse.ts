/** All policies of a value. A page must satisfy every one of them. */
export interface Csp {
  /** One, unless the value has commas; none when it has no directive. */
  readonly policies: readonly Policy[];
}

export interface Policy {
  /** In the order written, repeated ones included: `inForce` has those that count. */
  readonly directives: readonly Directive[];
}

/** Offsets are UTF-16 indices into the parsed text; `end` is exclusive. */
export interface Directive {
  /** In lower case. */
  readonly name: string;
  /** The name as its author wrote it, from `start` on. */
  readonly written: string;
  readonly start: number;
  readonly end: number;
  readonly sources: readonly Source[];
}

/** One token of a directive's value. */
export interface Source {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

// Splitting on commas is the header's grammar (RFC 9110 lists), the rest is CSP3's serialized policy.
const POLICY = /[^,]+/g;
const DIRECTIVE = /[^;]+/g;
const TOKEN = /[^\t\n\f\r ]+/g;

/** Reads a value as a browser splits it. There is no wrong value here: `check` says what is odd about one. */
export function parse(text: string): Csp {
  const policies = pieces({ text, start: 0, end: text.length }, POLICY).map(
    (piece): Policy => ({ directives: pieces(piece, DIRECTIVE).flatMap(directive) }),
  );
  return { policies: policies.filter((policy) => policy.directives.length > 0) };
}

function directive(piece: Source): Directive[] {
  const [name, ...sources] = pieces(piece, TOKEN);
  if (name === undefined) return [];
  const end = sources.at(-1)?.end ?? name.end;
  return [{ name: lowerAscii(name.text), written: name.text, start: name.start, end, sources }];
}

function pieces(whole: Source, pattern: RegExp): Source[] {
  return Array.from(whole.text.matchAll(pattern), ({ 0: text, index }) => {
    const start = whole.start + index;
    return { text, start, end: start + text.length };
  });
}

/** `toLowerCase` alone would also turn the Kelvin sign into a k. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
}
