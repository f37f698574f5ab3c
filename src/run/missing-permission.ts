import { needing } from "../api/problems.js";
import type { Permissions } from "../model/permissions.js";
import { failed, type Problem, type Result } from "../model/problem.js";
import type { ReadApi } from "../model/read-api.js";

/** The same reads, whose refusals name the permission group that the call needs. */
export function namingPermissions(api: ReadApi, { read, account }: Permissions): ReadApi {
  const needed = (path: string) => (path.startsWith("/accounts/") ? (account ?? read) : read);
  const named = <T>(path: string, answer: Result<T>): Result<T> =>
    answer.ok ? answer : failed(...answer.problems.map((each) => naming(each, needed(path))));
  return {
    get: async (path, asking) => named(path, await api.get(path, asking)),
    list: async (path, paging) => named(path, await api.list(path, paging)),
  };
}

/** Adds the permission group that the call needs to a refusal. */
export function naming(reason: Problem, permission: string): Problem {
  return needing(reason, `Give the token the permission group ${permission}.`);
}
