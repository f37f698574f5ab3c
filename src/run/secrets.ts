import type { Client } from "../api/client.js";
import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { declaredSecrets, sensitiveFields } from "../kinds/sensitive.js";
import type { DraftedPlan, PlanSecrets, ZonePlan } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result, unquoted, warning } from "../model/problem.js";
import { isSecret } from "../model/sealed.js";
import { secretsIn } from "../model/secrets-in-text.js";
import type { WantedZone } from "../model/wanted.js";
import type { NotCompared } from "../plan/generated/plan-document.js";
import { nameOf } from "../plan/wording.js";

/**
 * The plan, unless what it shows has a secret in it. Plans and journals show fields of live objects, and somebody may have
 * put the run's credential, or a secret of the files, into a field that is shown.
 *
 * @param named what the names stand for that the files have as secrets, or had before the change
 */
export function withoutExposedSecret(
  plan: ZonePlan,
  client: Pick<Client, "isCredentialIn">,
  named: readonly string[],
): Result<ZonePlan> {
  const shown = JSON.stringify(shownOf(plan));
  if (client.isCredentialIn(shown)) return failed(exposed("The credential of this run", plan.zone));
  const isSaid = secretsIn(shown, [...plan.secrets.values.values(), ...named]).length > 0;
  return isSaid ? failed(exposed("A secret of the files", plan.zone)) : ok(plan);
}

/** The plan with what the service says of its objects, without secrets. */
export function planOf(
  { plan, serviceProblems: retold }: DraftedPlan,
  client: Pick<Client, "redact">,
): ZonePlan {
  return { ...plan, problems: [...plan.problems, ...client.redact(retold)] };
}

/** What plan documents, journals and reports are made of. */
function shownOf({ changes, steps, live: { seen, unmanaged, journaled }, meaning, problems }: ZonePlan) {
  const calls = steps.map(({ path, body, effects, findCreated }) => [
    path,
    body,
    effects.map(({ item }) => item?.normal),
    findCreated,
  ]);
  // A file may be one long line, with all changes and problems of the zone on it. What goes wrong with a change is shown there too.
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
 * Keeps the secrets that a zone's files declare out of every message, whether or not this run sends them: the service
 * may have them from an earlier one.
 */
export function protectDeclared(zone: WantedZone, client: Pick<Client, "addSecrets">): void {
  client.addSecrets(kinds.flatMap((kind) => declaredSecrets(kind, declaredIn(kind, zone.sections), zone)));
}

/** A field whose secret is not set. */
interface SecretNotSet extends Omit<NotCompared, "taken"> {
  readonly taken: PlanSecrets["unset"][number]["taken"];
  /** Whether a call has it. */
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
        secrets: [...names],
        taken,
        sent: sent?.has(reference) === true,
      };
    });
  });
}

/** What of it could not be compared with what is live. */
export function notComparedOf(notSet: readonly SecretNotSet[]): readonly NotCompared[] {
  return notSet.flatMap(({ sent, taken, ...each }) => (taken === "nothing" ? [] : [{ ...each, taken }]));
}

/** Which secrets are not set, what therefore was not compared, and what it is taken for. */
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
    part("To be sent", sent),
    " apply needs those that it sends. Set them to compare everything.",
  ].join("");
  return [warning("secrets_not_set", "Secrets not set", detail)];
}

/** Why a plan cannot be carried out as it is: its calls send secrets that are not set. */
export function missingSecrets(plans: readonly ZonePlan[]): readonly Problem[] {
  const sent = notSetIn(plans).filter((each) => each.sent);
  if (sent.length === 0) return [];
  const detail = `${needing(sent)} The plan sends ${listed(sent)}. Set them, and apply again. Nothing was written.`;
  return [problem("secrets_not_set", "Secrets not set", detail)];
}

/** What stands in the calls for secrets. */
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

/** More are not named: the document has them all. */
const MAX_LISTED = 6;

/** What `adopt` cannot tell of: values that are not there are held against nothing. */
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
