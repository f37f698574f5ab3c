/** All policies of a value. A page must satisfy every one of them. */
export interface Csp {
  /** One, unless the value has commas; none when it has no directive. */
  readonly policies: readonly Policy[];
}

/** One policy of a value: what stands between two commas. */
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

const COMMA = 0x2c;
const SEMICOLON = 0x3b;

/**
 * Reads a value as a browser splits it: commas part policies (the header's grammar, RFC 9110), semicolons part
 * directives, ASCII whitespace parts tokens (CSP3's serialized policy). There is no wrong value here: `check` says
 * what is odd about one. One pass, since fleets have thousands of values.
 */
export function parse(text: string): Csp {
  const policies: Policy[] = [];
  let directives: Directive[] = [];
  let tokens: Source[] = [];
  let tokenStart = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? COMMA : text.charCodeAt(at);
    if (isInToken(code)) {
      if (tokenStart === -1) tokenStart = at;
      continue;
    }
    if (tokenStart !== -1) tokens.push({ text: text.slice(tokenStart, at), start: tokenStart, end: at });
    tokenStart = -1;
    if (code !== SEMICOLON && code !== COMMA) continue;
    directives.push(...directive(tokens));
    tokens = [];
    if (code === SEMICOLON) continue;
    if (directives.length > 0) policies.push({ directives });
    directives = [];
  }
  return { policies };
}

function isInToken(code: number): boolean {
  if (code > SEMICOLON) return true;
  return (
    code !== SEMICOLON && code !== COMMA && code !== 0x20 && (code < 0x09 || code > 0x0d || code === 0x0b)
  );
}

function directive([name, ...sources]: readonly Source[]): readonly Directive[] {
  if (name === undefined) return [];
  const end = sources.at(-1)?.end ?? name.end;
  return [{ name: lowerAscii(name.text), written: name.text, start: name.start, end, sources }];
}

/** `toLowerCase` alone would also turn the Kelvin sign into a k. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
}
