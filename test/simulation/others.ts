import type { EditCall } from "../../src/emulator/index.js";
import type { Seed } from "../../src/index.js";
import { objectsOf } from "../support/objects.js";
import type { Story } from "./story.js";

interface Entry {
  readonly description?: unknown;
  readonly name?: unknown;
}

const MANAGED = "http_request_firewall_managed";

/** The sections of lists whose rules are declared one by one. */
const SECTIONS: { readonly [phase: string]: string } = {
  [MANAGED]: "managed_exceptions",
  http_request_firewall_custom: "custom_rules",
  http_ratelimit: "rate_limits",
};

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
      ...rulesets.flatMap(({ phase, rules = [] }) => {
        const section = SECTIONS[phase];
        if (section === undefined) return [];
        const isNamed = (rule: Entry & { readonly action?: unknown }) =>
          phase !== MANAGED || rule.action === "skip";
        return rules.filter((rule) => isNamed(rule) && !isOwn(section)(rule as Entry)); // has the fields of an entry
      }),
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
