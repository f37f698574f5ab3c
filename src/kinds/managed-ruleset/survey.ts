import type { JsonObject } from "../../model/json.js";
import { ok, type Result } from "../../model/problem.js";
import type { Surveyed, ZoneReader } from "../kind.js";
import { readPhase } from "../phase.js";
import { CORE_RULESET, executedBy, PHASE } from "./managed.js";
import { type Around, read } from "./read.js";

/**
 * The rule that executes the core ruleset, if there is one, with what the ruleset itself says of the score. Where the
 * account may not be read, the scoring rule is the one that the service's documentation names.
 */
export async function survey(zone: ZoneReader): Promise<Result<Surveyed<Around>>> {
  const phase = await readPhase(zone.api, zone.zoneId, PHASE, false);
  if (!phase.ok) return phase;
  const none: Surveyed<Around> = {
    live: { items: [], around: { ruleset: phase.value, managed: null } },
    declaring: {},
  };
  if (!(phase.value?.rules ?? []).some((rule) => executedBy(rule) !== null)) return ok(none);
  const found = await readAs(zone, {}, { disabled_rules: [] }); // with which the ruleset's rules are read
  if (found.ok) return found;
  const codes = found.problems.map(({ code }) => code);
  if (codes.every((code) => code === "ruleset_not_found")) return ok(none);
  if (!codes.every((code) => code === "unauthorized" || code === "account_unknown")) return found;
  return readAs(zone, { score_rule: CORE_RULESET.scoringId }, { disabled_rules: [] });
}

async function readAs(
  zone: ZoneReader,
  declaring: JsonObject,
  more: JsonObject,
): Promise<Result<Surveyed<Around>>> {
  const live = await read(zone, [{ path: [PHASE.kind], body: { ...declaring, ...more } }]);
  return live.ok ? ok({ live: live.value, declaring }) : live;
}
