import type { Client } from "../api/client.js";
import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { declaredSecrets } from "../kinds/sensitive.js";
import type { ZonePlan } from "../model/plan.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import { secretsIn } from "../model/secrets-in-text.js";
import type { WantedZone } from "../model/wanted.js";

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
  const isSaid = secretsIn(shown, [...plan.secrets.values(), ...named]).length > 0;
  return isSaid ? failed(exposed("A secret of the files", plan.zone)) : ok(plan);
}

/** What plan documents, journals and reports are made of. */
function shownOf({
  changes,
  steps,
  readSet: seen,
  unmanaged,
  changingLive,
  problems,
  breaches,
  impact,
}: ZonePlan) {
  const calls = steps.map(({ path, body, effects, findCreated }) => [
    path,
    body,
    effects.map(({ item }) => item?.normal),
    findCreated,
  ]);
  return [
    changes,
    calls,
    seen,
    unmanaged,
    changingLive.map(({ open }) => open),
    problems,
    breaches,
    impact?.total,
  ];
}

function exposed(what: string, zone: string) {
  const detail = `${what} stands in an object of ${zone}, in the service or in the files, where it is no secret. A plan and a journal would show it, so nothing is planned for this zone. Take it out there, and make a new one in its place.`;
  return problem("secret_exposed", "A secret stands where all can see it", detail);
}

/**
 * Keeps the secrets that a zone's files declare out of every message, whether or not this run sends them: the service
 * may have them from an earlier one.
 */
export function protectDeclared(zone: WantedZone, client: Pick<Client, "addSecrets">): void {
  client.addSecrets(kinds.flatMap((kind) => declaredSecrets(kind, declaredIn(kind, zone.sections), zone)));
}
