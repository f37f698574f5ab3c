import { type Directive, lowerAscii, type Source } from "../parse.js";

/**
 * A directive as Chromium reads it where it has vertical tabs: around its name and around its value they are spaces,
 * which CSP3 does not say; inside the value they are foreign characters. Null where nothing else is there.
 */
export function withoutVerticalTabs(directive: Directive): Directive | null {
  const { written, start, end, sources } = directive;
  const name = { text: written, start, end: start + written.length };
  const [first, ...rest] = trimEnd(trimStart([name, ...sources]));
  if (first === undefined) return null;
  const nameChars = /^[^\v]*/.exec(first.text)?.[0].length ?? 0;
  const value = trimStart([cut(first, nameChars, first.text.length), ...rest]);
  const read = first.text.slice(0, nameChars);
  return { name: lowerAscii(read), written: read, start: first.start, end, sources: value };
}

function trimStart(tokens: readonly Source[]): readonly Source[] {
  const from = tokens.findIndex(({ text }) => !ONLY_TABS.test(text));
  const [first, ...rest] = from === -1 ? [] : tokens.slice(from);
  return first === undefined ? [] : [cut(first, first.text.search(/[^\v]/), first.text.length), ...rest];
}

function trimEnd(tokens: readonly Source[]): readonly Source[] {
  const at = tokens.findLastIndex(({ text }) => !ONLY_TABS.test(text));
  const last = tokens[at];
  if (last === undefined) return [];
  let chars = last.text.length;
  while (last.text[chars - 1] === "\v") chars -= 1;
  return [...tokens.slice(0, at), cut(last, 0, chars)];
}

function cut({ text, start }: Source, from: number, to: number): Source {
  return { text: text.slice(from, to), start: start + from, end: start + to };
}

const ONLY_TABS = /^\v*$/;
