import { existsSync, lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { makeFolder, readRegularFile, replaceFile } from "../disk/files.js";

/** A built program: CommonJS files that ask for each other by relative names, and for what Node has. */
interface Program {
  readonly folder: string;
  /** Another one has other files. */
  readonly build: string;
}

/** What an earlier start has kept for a later one. */
interface Kept {
  /** What it asked Node for. */
  readonly builtIn: readonly string[];
  /** What V8 made of the text of each file. */
  readonly compiled: ReadonlyMap<string, Buffer>;
}

const NOTHING: Kept = { builtIn: [], compiled: new Map() };

interface Loader {
  load(file: string): unknown;
  /** For later starts: what was loaded, as far as it had to be compiled. */
  keep(): void;
}

/**
 * Loads files of the program, from what an earlier start has compiled of them: compiling takes longer than most commands
 * do. What is kept has the functions that were called, so each command, known by the first file that it loads, keeps its own.
 *
 * @param cache the folder to keep it in; null: none
 * @param setFlags called once. V8 takes what was compiled only with the flags that were set then, and Node comes with its own
 *   modules compiled: so it is called when these are loaded, as far as an earlier start needed them, and before the files of
 *   the program are; where nothing was kept, after both
 */
export function loaderOf({ folder, build }: Program, cache: string | null, setFlags: () => void): Loader {
  const modules = new Map<string, { exports: unknown }>();
  const fresh = new Map<string, Script>();
  const builtIn = new Set<string>();
  let kept: (Kept & { readonly in: string | null }) | null = null;
  const builtInNamed = (name: string) => {
    builtIn.add(name);
    return process.getBuiltinModule(name);
  };
  const run = (file: string, { compiled }: Kept): unknown => {
    const module = { exports: {} };
    modules.set(file, module);
    const place = path.join(folder, file);
    const text = `(function(module,exports,require,__filename,__dirname){${readFileSync(place, "utf8")}\n})`;
    const cachedData = compiled.get(file);
    const script = new Script(text, { filename: place, ...(cachedData === undefined ? {} : { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected === true) fresh.set(file, script);
    const within = path.dirname(file);
    const required = (name: string) =>
      name.startsWith(".") ? load(path.join(within, name)) : builtInNamed(name);
    script.runInThisContext()(module, module.exports, required, place, path.dirname(place));
    return module.exports;
  };
  const start = (file: string): unknown => {
    const place = cache === null ? null : placeIn(cache, file);
    kept = { in: place, ...(place === null ? NOTHING : keptIn(place, build)) };
    const isFirst = kept.compiled.size === 0;
    kept.builtIn.forEach(builtInNamed);
    if (!isFirst) setFlags();
    const exports = run(file, kept);
    if (isFirst) setFlags();
    return exports;
  };
  const load = (file: string): unknown => {
    if (kept === null) return start(file);
    const loaded = modules.get(file);
    return loaded === undefined ? run(file, kept) : loaded.exports;
  };
  const keep = (): void => {
    if (kept === null || kept.in === null || fresh.size === 0) return;
    const compiled = [...fresh].map(([file, script]) => [file, script.createCachedData()] as const);
    write(kept.in, build, { builtIn: [...builtIn], compiled: new Map([...kept.compiled, ...compiled]) });
  };
  return { load, keep };
}

/** Another Node, and one with other flags, compiles to something else. */
function placeIn(cache: string, file: string): string {
  const name = path.basename(file, ".js");
  return path.join(cache, `${name}-${process.arch}-${cachedDataVersionTag().toString(16)}`);
}

/** Far more than the program compiles to. */
const MAX_BYTES = 64 * 1024 * 1024;

/** V8 runs what is damaged, and crashes on it: a machine that went off may leave a file of zeros. */
const CHECKSUM_BYTES = 4;

/** Where the table of a file ends, its first number. */
const NUMBER_BYTES = 4;

/** V8 copies code that begins elsewhere than at a multiple of this. */
const ALIGNMENT = 8;

/** What a file begins with, as JSON. What is compiled follows, in the order in which its lengths stand here. */
interface Table {
  readonly build: string;
  readonly builtIn: readonly string[];
  readonly bytes: Readonly<Record<string, number>>;
}

function keptIn(place: string, build: string): Kept {
  try {
    if (!isOwnFolder(path.dirname(place))) return NOTHING;
    const read = readRegularFile(place, MAX_BYTES);
    // Of the file that was opened: where others can write above the folder, it may be another one by now.
    if (read.as !== "file" || !isOwn(read)) return NOTHING;
    const { bytes } = read;
    const content = bytes.subarray(0, -CHECKSUM_BYTES);
    if (bytes.readUInt32BE(content.length) !== crc32(content)) return NOTHING;
    return readKept(content, build);
  } catch {
    return NOTHING; // out of reach, cut off, or written by something else
  }
}

function readKept(content: Buffer, build: string): Kept {
  const end = NUMBER_BYTES + content.readUInt32BE(0);
  const table = JSON.parse(content.toString("utf8", NUMBER_BYTES, end)) as Table; // the checksum says that it was written here
  if (table.build !== build) return NOTHING;
  const compiled = new Map<string, Buffer>();
  let at = aligned(end);
  for (const [file, bytes] of Object.entries(table.bytes)) {
    compiled.set(file, content.subarray(at, at + bytes));
    at = aligned(at + bytes);
  }
  return { builtIn: table.builtIn, compiled };
}

function write(place: string, build: string, { builtIn, compiled }: Kept): void {
  try {
    makeFolder(path.dirname(place), 0o700);
    if (!isOwnFolder(path.dirname(place))) return;
    const bytes = Object.fromEntries([...compiled].map(([file, code]) => [file, code.length]));
    const table = Buffer.from(JSON.stringify({ build, builtIn, bytes } satisfies Table));
    const content = Buffer.concat([
      ...padded([Buffer.concat([numberOf(table.length), table]), ...compiled.values()]),
    ]);
    replaceFile(place, Buffer.concat([content, numberOf(crc32(content))]), 0o600);
  } catch {
    // Later starts compile again.
  }
}

function* padded(parts: Iterable<Buffer>): Generator<Buffer> {
  for (const part of parts) {
    yield part;
    yield Buffer.alloc(aligned(part.length) - part.length);
  }
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** What is kept is run: nobody else may be able to put something there. */
function isOwnFolder(folder: string): boolean {
  const info = lstatSync(folder, { throwIfNoEntry: false });
  return info?.isDirectory() === true && isOwn(info);
}

function isOwn({ uid, mode }: { readonly uid: number | null; readonly mode: number }): boolean {
  return uid === (process.getuid?.() ?? uid) && (mode & WRITABLE_BY_OTHERS) === 0;
}

const WRITABLE_BY_OTHERS = process.platform === "win32" ? 0 : 0o022;

/**
 * The folder for what is compiled, in the user's cache folder. It is nowhere that a repository's files are: neither below a
 * repository, nor in a folder whose path is not absolute. Null: there is none, or it is turned off as Node's own is.
 */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string | null {
  const { XDG_CACHE_HOME = "", HOME = "", NODE_DISABLE_COMPILE_CACHE: off = "" } = environment;
  const cache = [XDG_CACHE_HOME, path.join(HOME, ".cache")].find((each) => path.isAbsolute(each));
  return off !== "" || cache === undefined || isInRepository(cache) ? null : path.join(cache, "zoneward");
}

function isInRepository(folder: string): boolean {
  const above = path.dirname(folder);
  return existsSync(path.join(folder, ".git")) || (above !== folder && isInRepository(above));
}
