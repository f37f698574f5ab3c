import { domainToASCII } from "node:url";
import { type Kind, listOf, sectionsOf } from "../kinds/kind.js";
import { withoutUntil } from "../kinds/until.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { type Path, pointerOf } from "../model/item.js";
import { asText, equal, isList, isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import type { Problem, Span } from "../model/problem.js";
import type { Listing } from "../model/unmanaged.js";
import type { WrittenTest } from "../model/zone-tests.js";
import { type Layer, layersOf, locate, mergeLayers, outsideOf, type Templates } from "./layers.js";
import { valueAt } from "./place.js";
import type { SourceFile } from "./source.js";
import { layersInZone } from "./zone-layers.js";

/** A zone as the files declare it. */
export class DeclaredZone {
  /** Lower case, punycode, no trailing dot. */
  readonly name: string;
  readonly #ownLayer: Layer;
  readonly #templates: Templates;
  /** A zone that is written the same, and so opens to the same value. */
  readonly #same: DeclaredZone | null;
  #opened: OpenZone | null = null;

  constructor(name: string, ownLayer: Layer, templates: Templates, same: DeclaredZone | null = null) {
    this.name = name;
    this.#ownLayer = ownLayer;
    this.#templates = templates;
    this.#same = same;
  }

  /** The place of its name. */
  at(): Span {
    return this.#ownLayer.source.span(this.#ownLayer.base, "key");
  }

  /** Its own body and all that it extends, as written, weakest first. */
  layers(): readonly Layer[] {
    return extendedBy(this.#ownLayer, this.#templates).layers;
  }

  /** Merges the templates on the first call, and returns the same value every time. */
  open(): OpenZone {
    this.#opened ??= this.#same?.open() ?? openZone(this.name, this.#ownLayer, this.#templates);
    return this.#opened;
  }

  /** The zone. If the other one is written the same, its result is reused. */
  reusing(other: DeclaredZone | undefined): DeclaredZone {
    if (other === undefined || !equal(writtenFor(this), writtenFor(other))) return this;
    return new DeclaredZone(this.name, this.#ownLayer, this.#templates, other);
  }
}

/** Everything that the files have for a zone, with no reference filled in. */
function writtenFor(zone: DeclaredZone): Json {
  const layers = zone.layers();
  const account = valueAt(layers.at(-1)?.source.written ?? null, ["account_id"]) ?? null;
  return [account, ...layers.map((layer) => writtenIn(layer))];
}

/** The layer for the tests at the top of a file has only those tests. */
function writtenIn({ source, base }: Layer): Json {
  return valueAt(source.written, base.length === 0 ? ["tests"] : base) ?? null;
}

function extendedBy(ownLayer: Layer, templates: Templates): ReturnType<typeof layersOf> {
  const defaults = defaultsOf(ownLayer.source);
  const beside = testsBeside(ownLayer.source);
  const parts = [beside ?? [], defaults ?? [], ownLayer].flat().map((part) => layersOf(part, templates));
  return {
    layers: parts.flatMap((part) => part.layers),
    problems: parts.flatMap((part) => part.problems),
  };
}

/** A zone with its templates merged in, and its layers. */
export interface OpenZone extends WantedZone {
  readonly layers: readonly Layer[];
  /** Problems of its templates, and of references that are filled in for this zone. */
  readonly problems: readonly Problem[];
  /** Names of the `vars` that the zone refers to. */
  readonly usedVars: ReadonlySet<string>;
  /** The whole body, with `id` and `prune`. */
  readonly merged: JsonObject;
}

/** A zone with the defaults of its file and its templates merged in. */
function openZone(name: string, ownLayer: Layer, templates: Templates): OpenZone {
  const extended = extendedBy(ownLayer, templates);
  const { layers, problems, usedVars } = layersInZone(name, extended.layers);
  const merged = mergeLayers(layers);
  const isFromOutside = layers.some(({ source }) => source.outside.size > 0);
  const { id, account_id, prune, optional, unmanaged, vars: _, tests: _tests, ...sections } = merged;
  const tests = testsIn(layers);
  const fileAccount = isObject(ownLayer.source.value) ? ownLayer.source.value.account_id : undefined;
  return {
    name,
    id: typeof id === "string" ? id.toLowerCase() : null,
    accountId: textOf(account_id) ?? textOf(fileAccount),
    sections,
    prune: textsIn(prune),
    optional: textsIn(optional),
    unmanaged: listingOf(unmanaged),
    ...(tests.length === 0 ? {} : { tests }),
    layers,
    usedVars,
    problems: [...extended.problems, ...problems],
    merged,
    locate: (path: Path, part?: "key" | "value", offset?: number) =>
      locate(layers, merged, path, part, offset),
    isFromOutside,
    interpolated: isFromOutside ? (path: Path) => outsideOf(layers, merged, path) : NOTHING_INTERPOLATED,
  };
}

const NOTHING_INTERPOLATED: OpenZone["interpolated"] = () => null;

/** The tests at the top of a file, as a layer of each of its zones. Null: none. */
function testsBeside(source: SourceFile): Layer | null {
  const tests = isObject(source.value) ? source.value.tests : undefined;
  return isList(tests) && tests.length > 0 ? { source, base: [], body: { tests } } : null;
}

/** All tests of a zone. Tests add up: no layer replaces those of another. */
function testsIn(layers: readonly Layer[]): readonly WrittenTest[] {
  const seen = new Set<string>();
  return layers.flatMap(({ source, base, body }) => {
    // Several templates may extend the same one.
    const spot = `${source.file} ${pointerOf(base)}`;
    if (!isList(body.tests) || seen.has(spot)) return [];
    seen.add(spot);
    return body.tests.flatMap((test, index): readonly WrittenTest[] =>
      isObject(test)
        ? [{ body: test, at: (path) => source.span([...base, "tests", index, ...path], "value") }]
        : [],
    );
  });
}

/** Ids of jobs are numbers. */
function listingOf(unmanaged: Json | undefined): Listing {
  const lists = Object.entries(isObject(unmanaged) ? unmanaged : {});
  return Object.fromEntries(
    lists.flatMap(([list, names]) => (isList(names) ? [[list, names.map(asText)] as const] : [])),
  );
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value.toLowerCase() : null;
}

/** The `defaults` of a file, which each of its zones extends first. Null: none. */
export function defaultsOf(source: SourceFile): Layer | null {
  const body = isObject(source.value) ? source.value.defaults : undefined;
  return isObject(body) ? { source, base: ["defaults"], body } : null;
}

/** The objects of a kind in a zone's merged sections, without `until`. */
export function declaredIn(kind: Kind, sections: JsonObject): readonly Declared[] {
  return entriesIn(kind, sections).map(({ path, body }) => ({ path, body: withoutUntil(body) }));
}

/** The objects of a kind in a zone's merged sections, as written. */
export function entriesIn(kind: Kind, sections: JsonObject): readonly Declared[] {
  return sectionsOf(kind).flatMap((name): readonly Declared[] => {
    const section = sections[name];
    if (name !== listOf(kind)?.section) return isObject(section) ? [{ path: [name], body: section }] : [];
    if (!isList(section)) return [];
    return section.flatMap((entry, index) => (isObject(entry) ? [{ path: [name, index], body: entry }] : []));
  });
}

/** Normalizes a zone's name: lower case, punycode, no trailing dot. Null: not a name. */
export function zoneName(written: string): string | null {
  if (NOT_OF_NAMES.test(written)) return null;
  const ascii = domainToASCII(written.replace(/\.$/, ""));
  const labels = ascii.split(".");
  const valid =
    labels.length >= 2 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  const isAddress = /^\d+$/.test(labels.at(-1) ?? "");
  return valid && !isAddress && ascii.length <= 253 ? ascii : null;
}

/** domainToASCII() parses a URL's host: it drops tabs and the text behind the host, and decodes %. */
const NOT_OF_NAMES = /[\s/\\?#%:@]/;
