import { ok, type Result } from "../model/problem.js";
import { converse, type GitChild, type Repository } from "./run.js";

export type GitObject =
  | { readonly as: "object"; readonly bytes: Buffer }
  | { readonly as: "too large" }
  | { readonly as: "failed"; readonly why: string };

/** Over all that is read of a commit. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Objects by their ids, from one child that answers in the order it is asked. */
export class Objects {
  readonly #child: GitChild;
  readonly #chunks: AsyncIterator<Buffer>;
  /** Read of the child, and not used yet. */
  #rest: Buffer = Buffer.alloc(0);
  #left = MAX_BYTES;
  #last: Promise<unknown> = Promise.resolve();
  #broken: string | null = null;

  static open(repository: Repository): Result<Objects> {
    const child = converse(repository, ["cat-file", "--batch"]);
    return child.ok ? ok(new Objects(child.value)) : child;
  }

  private constructor(child: GitChild) {
    this.#child = child;
    this.#chunks = child.stdout[Symbol.asyncIterator]();
    // It may be gone: then there is no answer, which is what counts. Nobody reads what it complains of.
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stderr.resume();
  }

  read(id: string, type: "blob" | "tree", maxBytes: number): Promise<GitObject> {
    const answer = this.#last.then(() => this.#ask(id, type, maxBytes));
    this.#last = answer;
    return answer;
  }

  close(): void {
    this.#child.kill();
  }

  async #ask(id: string, type: string, maxBytes: number): Promise<GitObject> {
    if (this.#broken !== null) return { as: "failed", why: this.#broken };
    this.#child.stdin.write(`${id}\n`);
    const line = await this.#line();
    if (line === null) return this.#breakOff("git answers no more");
    if (/ missing$/.test(line)) return { as: "failed", why: "git does not have it" };
    const [, found, digits] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(line) ?? [];
    if (found === undefined) return this.#breakOff("git answered in an unknown form");
    const size = Number(digits);
    // What is too large is not read to its end, so that nothing can be read after it.
    if (found !== type || size > maxBytes || size > this.#left) {
      this.#breakOff("git was not listened to any more");
      return found === type ? { as: "too large" } : { as: "failed", why: `git has a ${found} there` };
    }
    this.#left -= size;
    const bytes = await this.#take(size + 1);
    if (bytes === null) return this.#breakOff("git answers no more");
    return { as: "object", bytes: bytes.subarray(0, size) };
  }

  #breakOff(why: string): GitObject {
    this.#broken = why;
    this.close();
    return { as: "failed", why };
  }

  async #line(): Promise<string | null> {
    const parts: Buffer[] = [];
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end !== -1) {
        parts.push(this.#rest.subarray(0, end));
        this.#rest = this.#rest.subarray(end + 1);
        return Buffer.concat(parts).toString("latin1");
      }
      parts.push(this.#rest);
      if (!(await this.#more())) return null;
    }
  }

  async #take(length: number): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > this.#rest.length) {
      parts.push(this.#rest);
      missing -= this.#rest.length;
      if (!(await this.#more())) return null;
    }
    parts.push(this.#rest.subarray(0, missing));
    this.#rest = this.#rest.subarray(missing);
    return Buffer.concat(parts);
  }

  async #more(): Promise<boolean> {
    // A child that was stopped ends its output with an error.
    const next = await this.#chunks.next().catch(() => null);
    this.#rest = next === null || next.done === true ? Buffer.alloc(0) : next.value;
    return next !== null && next.done !== true;
  }
}
