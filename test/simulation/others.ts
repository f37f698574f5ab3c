import type { EditCall } from "../../src/emulator/index.js";
import type { Seed } from "../../src/index.js";
import { objectsOf } from "../support/objects.js";
import type { Story } from "./story.js";

interface Entry {
  readonly description?: unknown;
  readonly name?: unknown;
}

/** Differences in undeclared live objects, except for changes made by others. */
export function leftAlone(
  { zones }: Story,
  before: Seed,
  after: Seed,
  edits: readonly EditCall[],
): readonly string[] {
  const [then, now] = [objectsOf(before), objectsOf(after)];
  const touched = edits.map(({ path }) => path);
  const isTouched = (id: string) => touched.some((path) => path.endsWith(`/${id}`));
  const foreign = zones.flatMap(({ name, bodies }) => {
    const { policies = [], logpush_jobs: jobs = [], rulesets = [] } = before.zones[name] ?? {};
    const isOwn = (list: string) => (each: Entry) => bodies.some((body) => mentions(body, list, each));
    return [
      ...(policies ?? []).filter((each) => !isOwn("policies")(each)),
      ...(jobs ?? []).filter((each) => !isOwn("logpush_jobs")(each)),
      ...rulesets.flatMap(
        ({ rules = [] }) =>
          rules.filter((rule) => rule.action === "skip" && !isOwn("managed_exceptions")(rule as Entry)), // has the fields of an entry
      ),
    ].map(({ id }) => String(id));
  });
  return foreign
    .filter((id) => !isTouched(id) && then.get(id) !== now.get(id))
    .map((id) => `${id} was ${then.get(id)} and is ${now.get(id)}`);
}

/** Whether the file can affect the object: by name, or by pruning its list. */
function mentions(
  body: Story["zones"][number]["bodies"][number],
  list: string,
  { description, name }: Entry,
): boolean {
  const entries = (body[list] ?? []) as readonly { readonly [field: string]: unknown }[]; // the generated form
  const pruned = (body.prune ?? []) as readonly string[];
  const names = entries.flatMap((each) => [each.description, each.name, each.renamed_from]);
  return pruned.includes(list) || names.includes(description ?? name);
}
