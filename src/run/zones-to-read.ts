import type { Client } from "../api/client.js";
import { findZones } from "../api/zones.js";
import { defaultService } from "../config/schema.js";
import { zoneName } from "../config/zone-name.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { Service } from "../model/wanted.js";
import { type PlanInput, readDesired } from "./files.js";
import { selectZones } from "./select-zones.js";
import { locateZones, placed } from "./zones.js";

/** A zone to be looked at, declared or not. */
export interface ZoneToRead {
  readonly name: string;
  /** Its id at the service, or why it has none. */
  readonly id: Result<string>;
  /** Makes a problem of the zone say which zone it is. */
  readonly naming: (reason: Problem) => Problem;
}

export interface ZonesToRead {
  readonly zones: readonly ZoneToRead[];
  readonly service: Service;
}

/**
 * The declared zones that `--zone` picks. Where no file is named and the usual one is not there, `--zone` names the
 * zones itself, so that a look needs no file.
 */
export async function zonesToRead(
  input: Omit<PlanInput, "allow">,
  client: Client,
): Promise<Result<ZonesToRead>> {
  const { desired, problems } = await readDesired(input, "check"); // secrets are for what is declared
  const hasNoFile = input.config.length === 0 && problems.every((each) => each.code === "no_such_file");
  if (desired === null && hasNoFile) return zonesByName(input.zones, client);
  if (desired === null) return failed(...problems);
  const selected = selectZones(desired, input.zones);
  if (!selected.ok) return selected;
  const located = await locateZones(selected.value, client);
  const zones = located.map(({ declared, place }): ZoneToRead => {
    const id = place.ok ? ok(place.value.id) : place;
    const naming = (reason: Problem) => placed([reason], declared).problems[0] ?? reason;
    return { name: declared.name, id, naming };
  });
  return ok({ zones, service: desired.service });
}

async function zonesByName(written: readonly string[], client: Client): Promise<Result<ZonesToRead>> {
  if (written.length === 0) return failed(noZone());
  const names = written.map((each) => ({ written: each, name: zoneName(each) }));
  const wrong = names.filter(({ name }) => name === null);
  if (wrong.length > 0) return failed(...wrong.map((each) => notAName(each.written)));
  const distinct = [...new Set(names.flatMap(({ name }) => name ?? []))];
  const found = await findZones(
    client,
    distinct.map((name) => ({ name, accountId: null })),
  );
  const zones = distinct.map((name): ZoneToRead => {
    const record = found.get(name);
    if (record === undefined) throw new Error("findZones answers for every zone that it looks for");
    const naming = (reason: Problem) => ({ ...reason, detail: `${name}: ${reason.detail}` });
    return { name, id: record.ok ? ok(record.value.id) : record, naming };
  });
  return ok({ zones, service: defaultService });
}

function noZone(): Problem {
  const detail =
    "There is no zoneward.yaml here. Name a zone with --zone, or the desired-state files that declare the zones with -c.";
  return problem("no_zone_named", "No zone is named", detail);
}

function notAName(written: string): Problem {
  const detail = `--zone ${written} is no zone's name. Without a desired-state file zones are looked up, so name them in full; patterns pick among the zones that files declare.`;
  return problem("bad_zone_name", "Not a zone's name", detail);
}
