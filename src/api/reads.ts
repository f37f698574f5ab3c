import type { Json } from "../model/json.js";
import type { Result } from "../model/problem.js";
import type { Asking, Paging, ReadApi } from "../model/read-api.js";
import type { Client, Tally } from "./client.js";

/** Account-level objects are shared by all zones of a run. */
const SHARED = "/accounts/";

/**
 * The reads of one zone, and the reads that it shares with the other zones of the run. Each path is read once, even
 * when several callers ask at the same time, and a failed read stays failed: all of a plan sees the same state. For
 * fresh state, create a new instance.
 */
export class ZoneReads implements ReadApi {
  /** The kinds to read again. For other kinds, the earlier reads count. Null: all kinds. */
  readonly again: ReadonlySet<string> | null;
  readonly #client: Pick<Client, "get" | "list">;
  readonly #shared: ReadApi | null;
  readonly #before: ZoneReads | null;
  readonly #tally: Tally = { requests: 0 };
  readonly #objects = new Map<string, Promise<Result<Json>>>();
  readonly #lists = new Map<string, Promise<Result<readonly Json[]>>>();

  /**
   * @param shared reads paths below `/accounts/`; null: this instance reads them
   * @param before earlier reads of the zone, for paths that need not be read again
   */
  constructor(
    client: Pick<Client, "get" | "list">,
    shared: ReadApi | null = null,
    before: ZoneReads | null = null,
    again: ReadonlySet<string> | null = null,
  ) {
    this.#client = client;
    this.#shared = shared;
    this.#before = before;
    this.again = again;
  }

  /** Reads from before, for paths not read again. */
  get asBefore(): ReadApi {
    const before = this.#before ?? this;
    return {
      get: (path) => (this.#objects.has(path) ? this : before).get(path),
      list: (path, paging) => (this.#lists.has(keyOf(path, paging)) ? this : before).list(path, paging),
    };
  }

  /** Requests made for this zone alone so far, pages and repetitions included. */
  get requests(): number {
    return this.#tally.requests;
  }

  get(path: string, { earlier }: Asking = {}): Promise<Result<Json>> {
    if (this.#shared !== null && path.startsWith(SHARED)) return this.#shared.get(path);
    if (earlier === true && this.#before !== null && this.#before.#objects.has(path))
      return this.#before.get(path);
    return once(this.#objects, path, () => this.#client.get(path, { tally: this.#tally }));
  }

  list(path: string, paging: Paging = {}): Promise<Result<readonly Json[]>> {
    if (this.#shared !== null && path.startsWith(SHARED)) return this.#shared.list(path, paging);
    const key = keyOf(path, paging);
    if (paging.earlier === true && this.#before !== null && this.#before.#lists.has(key))
      return this.#before.list(path, paging);
    return once(this.#lists, key, () => this.#client.list(path, paging, { tally: this.#tally }));
  }
}

function keyOf(path: string, { perPage, mostPages }: Paging = {}): string {
  return `${path} ${perPage ?? ""} ${mostPages ?? ""}`;
}

function once<T>(memo: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const pending = memo.get(key);
  if (pending !== undefined) return pending;
  const reading = read();
  memo.set(key, reading);
  return reading;
}
