import type { Json } from "../model/json.js";
import type { Result } from "../model/problem.js";
import type { Paging, ReadApi } from "../model/read-api.js";
import type { Client, Tally } from "./client.js";

/**
 * The reads of one zone. Each path is read once, also by several who ask at the same time, and a failed read stays
 * failed, so that everybody who looks at the zone sees the same. For fresh state, take a new one.
 */
export class ZoneReads implements ReadApi {
  readonly #client: Pick<Client, "get" | "list">;
  readonly #tally: Tally = { requests: 0 };
  readonly #objects = new Map<string, Promise<Result<Json>>>();
  readonly #lists = new Map<string, Promise<Result<readonly Json[]>>>();

  constructor(client: Pick<Client, "get" | "list">) {
    this.#client = client;
  }

  /** Requests made for this zone so far, pages and repetitions included. */
  get requests(): number {
    return this.#tally.requests;
  }

  get(path: string): Promise<Result<Json>> {
    return once(this.#objects, path, () => this.#client.get(path, this.#tally));
  }

  list(path: string, paging: Paging): Promise<Result<readonly Json[]>> {
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
