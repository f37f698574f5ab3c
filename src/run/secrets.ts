import type { Client } from "../api/client.js";
import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { declaredSecrets, sensitiveFields } from "../kinds/secret-fields.js";
import type { WantedZone } from "../model/declared-zone.js";
import { secretsIn } from "../model/looks-secret.js";
import type { PlanSecrets, ZonePlan } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result, unquoted, warning } from "../model/problem.js";
import { isSecret } from "../model/sealed.js";
import type { DraftedPlan } from "../plan/build.js";
import type { NotCompared } from "../plan/generated/plan-document.js";
import { nameOf } from "../plan/value-words.js";

/**
 * Refuses a plan that would show a secret. Plans and journals show fields of live objects, and such a field may contain the
 * run's credential or a secret of the files.
 *
 * @param named the values of variables that are secrets in the files or in the base
 */
export function withoutExposedSecret(
  plan: ZonePlan,
  client: Pick<Client, "isCredentialIn">,
  named: readonly string[],
): Result<ZonePlan> {
  const shown = JSON.stringify(shownOf(plan));
  if (client.isCredentialIn(shown)) return failed(exposed("The credential of this run", plan.zone));
  const isShown = secretsIn(shown, [...plan.secrets.values.values(), ...named]).length > 0;
  return isShown ? failed(exposed("A secret of the files", plan.zone)) : ok(plan);
}

/** The plan, with secrets removed from texts of the service. */
export function planOf(
  { plan, serviceProblems: fromService }: DraftedPlan,
  client: Pick<Client, "redact">,
): ZonePlan {
  return { ...plan, problems: [...plan.problems, ...client.redact(fromService)] };
}

/** The parts of a plan that documents, journals and reports show. */
function shownOf({ changes, steps, live: { seen, unmanaged, journaled }, meaning, problems }: ZonePlan) {
  const calls = steps.map(({ path, body, effects, findCreated }) => [
    path,
    body,
    effects.map(({ item }) => item?.normal),
    findCreated,
  ]);
  // Errors show the line of a change. Changes can share a line, so each line is taken once.
  const lines = new Set([...changes, ...problems].flatMap(({ at }) => at?.text ?? []));
  const placed = changes.map(
    ({ fields, at, removed, before: _, inBase: _inBase, after: _after, ...rest }) => {
      const named = fields.map((field) => ({ ...field, at: unquoted(field.at) }));
      return { ...rest, fields: named, at: unquoted(at), removed: unquoted(removed) };
    },
  );
  return [
    placed,
    calls,
    seen,
    unmanaged,
    journaled.map(({ raw }) => raw),
    problems.map((each) => ({ ...each, at: unquoted(each.at) })),
    [...lines],
    meaning.breaches,
    meaning.impact?.total,
  ];
}

function exposed(name: string, zone: string) {
  const detail = `${name} is in a field of ${zone} that is not secret, live or in the files. Remove it there, and replace the secret. Nothing is planned for this zone, because plan and journal would show it.`;
  return problem("secret_exposed", "Secret would be exposed", detail);
}

/**
 * Hides the zone's declared secrets in all messages, even if this run does not send them: the service may answer with them.
 */
export function protectDeclared(zone: WantedZone, client: Pick<Client, "addSecrets">): void {
  client.addSecrets(kinds.flatMap((kind) => declaredSecrets(kind, declaredIn(kind, zone.sections), zone)));
}

/** A field whose secret is not set. */
interface SecretNotSet extends Omit<NotCompared, "taken"> {
  readonly taken: PlanSecrets["unset"][number]["taken"];
  /** Whether a call sends the field. */
  readonly sent: boolean;
}

/** Fields whose secrets are not set, as plan documents have them. */
export function notSetIn(plans: readonly ZonePlan[]): readonly SecretNotSet[] {
  return plans.flatMap((plan) => {
    const { zone } = plan;
    const { unset } = plan.secrets;
    const sent = unset.length === 0 ? null : referencesSent(plan);
    return unset.map(({ ref: { kind, key }, field, names, taken, reference }) => {
      return {
        zone,
        kind,
        key,
        path: field,
        secrets: names,
        taken,
        sent: sent?.has(reference) === true,
      };
    });
  });
}

/** The fields that could not be compared with the live state. */
export function notComparedOf(notSet: readonly SecretNotSet[]): readonly NotCompared[] {
  return notSet.flatMap(({ sent, taken, ...each }) => (taken === "nothing" ? [] : [{ ...each, taken }]));
}

/** Warns of unset secrets, with the fields that were not compared and how these are planned. */
export function secretsNotSet(all: readonly SecretNotSet[]): readonly Problem[] {
  const taken = (as: SecretNotSet["taken"]) => all.filter((each) => each.taken === as);
  const [unchanged, changed, unknown] = [taken("unchanged"), taken("changed"), taken("unknown")];
  const sent = all.filter((each) => each.sent && each.taken !== "changed");
  const unsetSecrets = [...unchanged, ...changed, ...unknown, ...sent];
  if (unsetSecrets.length === 0) return [];
  const part = (text: string, secrets: readonly SecretNotSet[]) =>
    secrets.length === 0 ? "" : ` ${text}: ${listed(secrets)}.`;
  const detail = [
    needing(unsetSecrets),
    part("Not compared, assumed unchanged (same text in the files as before)", unchanged),
    part("Not compared, and sent (new text in the files, or the object is replaced)", changed),
    part("Not compared, and left alone", unknown),
    part("Needed by apply, which sends", sent),
    " Set them before apply, and to compare everything.",
  ].join("");
  return [warning("secrets_not_set", "Secrets not set", detail)];
}

/** An error for each unset secret that a call sends. */
export function missingSecrets(plans: readonly ZonePlan[]): readonly Problem[] {
  const sent = notSetIn(plans).filter((each) => each.sent);
  if (sent.length === 0) return [];
  const detail = `${needing(sent)} The plan sends ${listed(sent)}. Set them, and apply again. Nothing was written.`;
  return [problem("secrets_not_set", "Secrets not set", detail)];
}

/** The references to secrets in the calls. */
function referencesSent({ steps }: ZonePlan): ReadonlySet<string> {
  return new Set(
    steps.flatMap(({ body, secretFields }) =>
      Object.entries(body ?? {}).flatMap(([field, value]) =>
        secretFields.includes(field) && isSecret(value) ? [value.$secret] : [],
      ),
    ),
  );
}

/** `Not set in the environment: LOGS_A, LOGS_B.` */
function needing(notSet: readonly SecretNotSet[]): string {
  return lacking(notSet.flatMap((each) => each.secrets));
}

function lacking(names: readonly string[]): string {
  return `Not set in the environment: ${atMost([...new Set(names)]).join(", ")}.`;
}

/** `destination_conf of logpush_job "logs" (shop.example.com)` */
function listed(notSet: readonly SecretNotSet[]): string {
  return atMost(notSet.map(({ zone, path, ...ref }) => `${path} of ${nameOf(ref)} (${zone})`)).join(", ");
}

function atMost(texts: readonly string[]): readonly string[] {
  const more = texts.length - MAX_LISTED;
  return more <= 0 ? texts : [...texts.slice(0, MAX_LISTED), `${more} more`];
}

/** The document has all of them. */
const MAX_LISTED = 6;

/** Warns of unset secrets: `adopt` cannot find drift in their fields. */
export function notHeldAgainst(zones: readonly WantedZone[]): readonly Problem[] {
  const names = zones.flatMap((zone) =>
    kinds.flatMap((kind) =>
      declaredIn(kind, zone.sections).flatMap((each) =>
        sensitiveFields(kind, each, zone).flatMap(({ unset }) => unset),
      ),
    ),
  );
  if (names.length === 0) return [];
  const detail = `${lacking(names)} Drift of values that the files take from there is unknown. Set them to compare everything.`;
  return [warning("secrets_not_set", "Secrets not set", detail)];
}
