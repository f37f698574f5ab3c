import { createHash } from "node:crypto";

export interface Pull {
  readonly number: number;
  readonly author: string;
  readonly title: string;
  readonly head: string;
  readonly base: string;
  /** The commit of its head. */
  readonly from: string;
  body: string;
  state: "open" | "closed";
  /** The commit of its merge. */
  merged: string | null;
}

export interface Commit {
  readonly message: string;
  readonly tree: string;
  readonly parents: readonly string[];
}

interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly content: string;
}

/** The fields of a call's body. Unneeded ones are absent. */
interface Sent {
  readonly title: string;
  readonly head: string;
  readonly base: string;
  readonly body: string;
  readonly base_tree: string;
  /** The files of a tree; for a commit, its tree. */
  readonly tree: readonly TreeEntry[] | string;
  readonly message: string;
  readonly parents: readonly string[];
  readonly ref: string;
  readonly sha: string;
  readonly force?: boolean;
}

/** Pull requests and git objects, as far as the Action may use them. */
export class Pulls {
  readonly pulls: Pull[] = [];
  readonly commits = new Map<string, Commit>();
  /** The files of each tree that differ from its base tree. */
  readonly trees = new Map<string, readonly TreeEntry[]>();
  /** The branch `zoneward/adopt` and its last commit. */
  readonly branches = new Map<string, string>();
  readonly #repository: string;

  constructor(repository: string) {
    this.#repository = repository;
  }

  /** A commit that somebody pushed. */
  push(sha: string): string {
    this.commits.set(sha, { message: "files", tree: hash(`tree of ${sha}`), parents: [] });
    return sha;
  }

  /** A merged pull request. */
  merge(number: number, commit: string, base = "main"): void {
    const pull = {
      number,
      author: "alice",
      title: "",
      head: "topic",
      base,
      from: this.#repository,
      body: "",
    };
    this.pulls.push({ ...pull, state: "closed", merged: commit });
  }

  /** The changes of the branch, file by file. */
  filesOf(branch: string): readonly TreeEntry[] {
    return this.trees.get(this.commits.get(this.branches.get(branch) ?? "")?.tree ?? "") ?? [];
  }

  /** Null: not found. An array is a list. */
  handle(
    method: string,
    path: string,
    query: URLSearchParams,
    body: Sent,
    author: string,
  ): { readonly status: number; readonly value: unknown } | null {
    const of = /^\/commits\/([0-9a-f]+)\/pulls$/.exec(path);
    if (of !== null)
      return ok(this.pulls.filter(({ merged }) => merged === of[1]).map((pull) => this.#shown(pull)));
    if (path === "/pulls" && method === "GET") {
      const [owner, branch] = (query.get("head") ?? ":").split(":");
      const found = this.pulls.filter(
        ({ head, from, state }) =>
          head === branch &&
          from.split("/")[0] === owner &&
          (query.get("state") === "all" || state === query.get("state")),
      );
      return ok(found.toReversed().map((pull) => this.#shown(pull)));
    }
    if (path === "/pulls" && method === "POST") {
      if (!this.branches.has(body.head)) return refusal(422);
      if (this.pulls.some(({ head, state }) => head === body.head && state === "open")) return refusal(422);
      const pull: Pull = {
        number: 500 + this.pulls.length,
        author,
        title: body.title,
        head: body.head,
        base: body.base,
        from: this.#repository,
        body: body.body,
        state: "open",
        merged: null,
      };
      this.pulls.push(pull);
      return { status: 201, value: this.#shown(pull) };
    }
    const pull = this.pulls.find(({ number }) => path === `/pulls/${number}`);
    if (pull !== undefined && method === "PATCH") {
      Object.assign(pull, body);
      return ok(this.#shown(pull));
    }
    return this.#git(method, path, body);
  }

  #git(method: string, path: string, body: Sent) {
    const commit = /^\/git\/commits\/([0-9a-f]+)$/.exec(path)?.[1];
    if (commit !== undefined) {
      const found = this.commits.get(commit);
      if (found === undefined) return refusal(404);
      const parents = found.parents.map((sha) => ({ sha }));
      return ok({ ...found, sha: commit, tree: { sha: found.tree }, parents });
    }
    if (path === "/git/trees" && method === "POST" && typeof body.tree !== "string") {
      if (![...this.commits.values()].some(({ tree }) => tree === body.base_tree)) return refusal(422);
      const sha = hash(JSON.stringify(body));
      this.trees.set(sha, body.tree);
      return { status: 201, value: { sha } };
    }
    if (path === "/git/commits" && method === "POST" && typeof body.tree === "string") {
      const sha = hash(`${JSON.stringify(body)}${this.commits.size}`);
      this.commits.set(sha, { message: body.message, tree: body.tree, parents: body.parents });
      return { status: 201, value: { sha } };
    }
    const ref = /^\/git\/refs?\/heads\/(.+)$/.exec(path)?.[1];
    if (path === "/git/refs" && method === "POST") {
      const name = body.ref.replace("refs/heads/", "");
      if (this.branches.has(name) || !this.commits.has(body.sha)) return refusal(422);
      this.branches.set(name, body.sha);
      return { status: 201, value: {} };
    }
    if (ref === undefined) return null;
    const at = this.branches.get(ref);
    if (at === undefined) return refusal(404);
    if (method === "DELETE") this.branches.delete(ref);
    if (method === "DELETE") return { status: 204, value: null };
    if (method === "PATCH" && body.force !== true) return refusal(422);
    if (method === "PATCH") this.branches.set(ref, body.sha);
    return ok({ ref: `refs/heads/${ref}`, object: { sha: this.branches.get(ref) } });
  }

  #shown({ number, author, title, head, base, from, body, state, merged }: Pull) {
    return {
      number,
      title,
      body,
      state,
      user: { login: author },
      head: { ref: head, sha: this.branches.get(head), repo: { full_name: from } },
      base: { ref: base, repo: { full_name: this.#repository } },
      merged_at: merged === null ? null : "2026-11-20T10:00:00Z",
      merge_commit_sha: merged,
      html_url: `https://github.example/pull/${number}`,
    };
  }
}

function ok(value: unknown) {
  return { status: 200, value };
}

function refusal(status: number) {
  return { status, value: { message: `refused with ${status}` } };
}

function hash(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
