import type { Effort } from "../evaluate/compare.js";
import type { Argument, Bytes, Field, Value } from "../tree.js";
import { toLower } from "../value.js";
import { type Automaton, startsWith } from "./automaton.js";
import { type Cell, type Cells, loose, type Reader, readCells, readerOf } from "./cells.js";
import type { Question } from "./questions.js";

/**
 * The address of a request, `https://shop.example/cart?a=1`, is one string, and several fields are parts of it.
 * Questions about overlapping parts become questions about the whole, so that their answers are consistent. A host has
 * no slash and no question mark. A path begins with a slash and has no question mark.
 */
const ADDRESS: Field = { as: "field", name: "http.request.full_uri", indexes: [], start: 0, end: 0 };

const [SCHEME, HOST, PATH, MARK, QUERY, END] = [0, 1, 2, 3, 4, 5];

/** A value as parts of the address, in order, with literal text between them. */
export type View = readonly Piece[];
type Piece = { readonly from: number; readonly to: number } | { readonly text: Bytes };

const VIEWS: ReadonlyMap<string, View> = new Map([
  ["ssl", [{ from: SCHEME, to: SCHEME }]],
  ["http.host", [{ from: HOST, to: HOST }]],
  ["http.request.uri.path", [{ from: PATH, to: PATH }]],
  ["http.request.uri.path.extension", [{ from: PATH, to: PATH }]],
  ["http.request.uri.query", [{ from: QUERY, to: QUERY }]],
  ["http.request.uri", [{ from: PATH, to: QUERY }]],
  [ADDRESS.name, [{ from: SCHEME, to: QUERY }]],
]);

/** Null: the value is no part of the address, or its parts are out of order. */
export function viewOf(value: Value): View | null {
  if (value.indexes.length > 0) return null;
  if (value.as === "field") return VIEWS.get(value.name) ?? null;
  if (value.name !== "concat") return null;
  const pieces = value.args.map(piecesOf);
  const views = pieces.filter((each) => each !== null);
  const parts = views.flat().filter((each) => "from" in each);
  const isInOrder = parts.every(({ from }, index) => index === 0 || (parts[index - 1]?.to ?? END) < from);
  return views.length === pieces.length && parts.length > 0 && isInOrder ? views.flat() : null;
}

function piecesOf(arg: Argument): View | null {
  if (arg.as === "literal") return arg.literal.type === "Bytes" ? [{ text: arg.literal.value }] : null;
  const isText = arg.as === "value" && arg.value.as === "field" && !NO_TEXTS.includes(arg.value.name);
  return isText ? viewOf(arg.value) : null;
}

const EXTENSION = "http.request.uri.path.extension";
const NO_TEXTS = ["ssl", EXTENSION];

/** Whether two values share a part of the address. */
export function overlap(first: View, second: View): boolean {
  return first.some((a) =>
    second.some((b) => "from" in a && "from" in b && a.from <= b.to && b.from <= a.to),
  );
}

/** Whether the possible values depend on the whole address. */
export function needsAddress(value: Value): boolean {
  return value.as === "call" || value.name === ADDRESS.name;
}

/** Addresses, grouped by the answers to questions about their parts. Null: too costly. */
export function addressCells(questions: readonly Question[], effort: Effort): Cells | null {
  const readers = questions.map((each) => partReader(each, effort));
  if (readers.includes(null)) return null;
  const asksExtension = questions.map(({ of }) => of.as === "field" && of.name === EXTENSION);
  const clear = asksExtension.includes(true) ? CLEAR_EXTENSION : null;
  const space = { without: new Set<Bytes>(), first: FIRST, isPossible: () => true };
  const cellsFor = (list: readonly (Reader | null)[]) =>
    readCells([WELL_FORMED, clear, ...list], space, effort);
  const cells =
    cellsFor(readers) ?? (readers.some((each) => each?.loose) ? cellsFor(readers.map(loose)) : null);
  if (cells === null) return null;
  const wellFormed = cells.flatMap(({ answers: [isWellFormed, isClear, ...answers], example }): Cell[] => {
    const shown = answers.map((each, index) =>
      isClear === true || asksExtension[index] === false ? each : null,
    );
    return isWellFormed === true ? [{ answers: shown, example }] : [];
  });
  return { cells: wellFormed, impossible: [] };
}

/** The fields of an address that some views contain. */
export function partsOf(
  address: Bytes,
  views: readonly View[],
): readonly (readonly [of: Field, seen: Bytes | boolean])[] {
  const match = /^http(s?):\/\/([^/?]*)(\/[^?]*)(?:\?(.*))?$/s.exec(address);
  if (match === null) return [];
  const [, secure = "", host = "", path = "", query] = match;
  const shows = (part: number) => views.some((view) => overlap(view, [{ from: part, to: part }]));
  const isWhole = shows(PATH) && shows(QUERY);
  const parts: readonly (readonly [isShown: boolean, name: string, seen: Bytes | boolean])[] = [
    [shows(SCHEME), "ssl", secure !== ""],
    [shows(HOST), "http.host", host],
    [isWhole, "http.request.uri", query === undefined ? path : `${path}?${query}`],
    [shows(PATH) && !isWhole, "http.request.uri.path", path],
    [shows(QUERY) && !isWhole, "http.request.uri.query", query ?? ""],
  ];
  return parts.flatMap(([isShown, name, value]) => (isShown ? [[{ ...ADDRESS, name }, value] as const] : []));
}

/** The start of examples, if possible. */
const FIRST = "https://www.example.com/";

function partReader(question: Question, effort: Effort): Reader | null {
  const { of, type } = question;
  const view = viewOf(of);
  const reader = type === "Bool" ? SECURE : readerOf(question, effort);
  if (view === null || reader === null) return null;
  const isExtension = of.as === "field" && of.name === EXTENSION;
  const onView = ({ automaton, ...rest }: Reader): Reader => ({
    ...rest,
    automaton: onParts(isExtension ? onExtension(automaton) : automaton, view),
  });
  return { ...onView(reader), loose: reader.loose === null ? null : onView(reader.loose) };
}

const SECURE: Reader = { automaton: startsWith("https"), isExact: true, loose: null };

/** The states of a reader: the beginnings of an address as texts, then the parts. */
const BEGINNINGS = ["", "h", "ht", "htt", "http", "https", "http:", "http:/", "http://"];
const [IN_HOST, IN_PATH, AT_MARK, IN_QUERY, NOWHERE, SETTLED] = [9, 10, 11, 12, 13, 14];
const PLACES = 16;

function placeAfter(place: number, byte: number): number {
  const character = String.fromCharCode(byte);
  switch (place) {
    case BEGINNINGS.length - 1:
      return character === "/" || character === "?" ? NOWHERE : IN_HOST;
    case IN_HOST:
      return character === "/" ? IN_PATH : character === "?" ? NOWHERE : IN_HOST;
    case IN_PATH:
      return character === "?" ? AT_MARK : IN_PATH;
    case AT_MARK:
    case IN_QUERY:
      return IN_QUERY;
    default: {
      const text = `${BEGINNINGS[place]}${character}`.replace("https:", "http:");
      const next = BEGINNINGS.indexOf(text);
      return next === -1 ? NOWHERE : next;
    }
  }
}

function partAt(place: number): number {
  if (place === 0) return -1;
  return place < IN_HOST ? SCHEME : ([HOST, PATH, MARK, QUERY][place - IN_HOST] ?? END);
}

/** An automaton that feeds the viewed parts of an address to another one. The last part settles the result. */
function onParts(inner: Automaton, view: View): Automaton {
  const texts = view.flatMap((each, index) => {
    const after = view.slice(index).find((other) => "from" in other);
    return "text" in each ? [{ text: each.text, before: after === undefined ? END : after.from }] : [];
  });
  const last = Math.max(
    ...view.map((each) => ("to" in each ? each.to : SCHEME)),
    ...texts.map((each) => each.before),
  );
  const reads = (part: number) => view.some((each) => "from" in each && each.from <= part && part <= each.to);
  const feed = (state: number, after: number, upTo: number): number =>
    texts
      .filter(({ before }) => after < before && before <= upTo)
      .reduce(
        (from, { text }) => [...text].reduce((at, each) => inner.step(at, each.charCodeAt(0)), from),
        state,
      );

  const step = (state: number, byte: number): number => {
    const place = state % PLACES;
    if (place === SETTLED || place === NOWHERE) return state;
    const next = placeAfter(place, byte);
    if (next === NOWHERE) return NOWHERE;
    const part = partAt(next);
    const before = feed(Math.floor(state / PLACES), partAt(place), part);
    if (part > last) return Number(inner.accepts(before)) * PLACES + SETTLED;
    return (reads(part) ? inner.step(before, byte) : before) * PLACES + next;
  };
  const accepts = (state: number): boolean => {
    const [innerState, place] = [Math.floor(state / PLACES), state % PLACES];
    if (place === SETTLED) return innerState === 1;
    return place >= IN_PATH && place <= IN_QUERY && inner.accepts(feed(innerState, partAt(place), END));
  };
  return { ...inner, start: inner.start * PLACES, step, accepts, bytes: `${inner.bytes}htps:/?` };
}

const ANYTHING: Automaton = { start: 0, step: () => 0, accepts: () => true, bytes: "", isOrdered: false };
const WELL_FORMED: Reader = {
  automaton: onParts(ANYTHING, [{ from: SCHEME, to: QUERY }]),
  isExact: true,
  loose: null,
};

/** An automaton for the extension, as one that reads the path: the text after the last dot of the last segment. */
function onExtension(inner: Automaton): Automaton {
  const dotted = (state: number) => state + 1;
  const step = (state: number, byte: number): number => {
    if (byte === SLASH) return 0;
    if (byte === DOT) return dotted(inner.start);
    return state === 0 ? 0 : dotted(inner.step(state - 1, toLower(String.fromCharCode(byte)).charCodeAt(0)));
  };
  const accepts = (state: number) => inner.accepts(state === 0 ? inner.start : state - 1);
  return { ...inner, start: 0, step, accepts, bytes: `${inner.bytes}./ABCDEFGHIJKLMNOPQRSTUVWXYZ` };
}

const [DOT, SLASH] = [0x2e, 0x2f];

/** Whether the extension of a path is clear. It is unclear for `/.htaccess` and `/file.`. */
const [AT_SEGMENT, IN_NAME, AFTER_FIRST_DOT, AFTER_DOT, IN_EXTENSION] = [0, 1, 2, 3, 4];
const CLEAR_EXTENSION: Reader = {
  automaton: onParts(
    {
      start: AT_SEGMENT,
      step: (state, byte) => {
        if (byte === SLASH) return AT_SEGMENT;
        if (byte === DOT) return state === AT_SEGMENT ? AFTER_FIRST_DOT : AFTER_DOT;
        if (state === AFTER_FIRST_DOT) return AFTER_FIRST_DOT;
        return state === AFTER_DOT || state === IN_EXTENSION ? IN_EXTENSION : IN_NAME;
      },
      accepts: (state) => state !== AFTER_FIRST_DOT && state !== AFTER_DOT,
      bytes: "./",
      isOrdered: false,
    },
    [{ from: PATH, to: PATH }],
  ),
  isExact: true,
  loose: null,
};
