import type { Json } from "../model/json.js";
import type { Result } from "../model/problem.js";
import type { Paging, ReadApi } from "../model/read-api.js";
import type { Client, Tally } from "./client.js";

/** Account-level objects are the same for all zones of a run. */
const SHARED = "/accounts/";

/**
 * The reads of one zone, and of what it shares with the other zones of the run. Each path is read once, also when
 * several ask for it at the same time, and a failed read stays failed, so that all of a plan sees the same state. For
 * fresh state, take a new one.
 */
export class ZoneReads implements ReadApi {
  readonly #client: Pick<Client, "get" | "list">;
  readonly #shared: ReadApi | null;
  readonly #tally: Tally = { requests: 0 };
  readonly #objects = new Map<string, Promise<Result<Json>>>();
  readonly #lists = new Map<string, Promise<Result<readonly Json[]>>>();

  /** @param shared answers what is below `/accounts/`; null: it is read here like everything else */
  constructor(client: Pick<Client, "get" | "list">, shared: ReadApi | null = null) {
    this.#client = client;
    this.#shared = shared;
  }

  /** Requests made for this zone alone so far, pages and repetitions included. */
  get requests(): number {
    return this.#tally.requests;
  }

  get(path: string): Promise<Result<Json>> {
    if (this.#shared !== null && path.startsWith(SHARED)) return this.#shared.get(path);
    return once(this.#objects, path, () => this.#client.get(path, this.#tally));
  }

  list(path: string, paging: Paging): Promise<Result<readonly Json[]>> {
    if (this.#shared !== null && path.startsWith(SHARED)) return this.#shared.list(path, paging);
    const key = paging === "whole" ? path : `${path} ${paging.perPage}`;
    return once(this.#lists, key, () => this.#client.list(path, paging, this.#tally));
  }
}

function once<T>(memo: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const known = memo.get(key);
  if (known !== undefined) return known;
  const reading = read();
  memo.set(key, reading);
  return reading;
}
