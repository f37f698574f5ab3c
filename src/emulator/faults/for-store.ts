import { failed, ok, type Result } from "../../model/problem.js";
import type { Store } from "../store.js";
import { checkFaults, editsIn, type Faults, faultsProblem } from "./index.js";

/** Faults, checked as what they are, JSON; and whether the zones that they name are there. */
export function faultsFor(store: Store, given: Faults): Result<Faults> {
  const checked = checkFaults(JSON.parse(JSON.stringify(given)));
  if (!checked.ok) return checked;
  const lost = editsIn(checked.value).filter(({ zone }) => !store.byName.has(zone.toLowerCase()));
  if (lost.length === 0) return ok(checked.value);
  return failed(
    ...lost.map(({ zone }) =>
      faultsProblem(`An edit names the zone ${zone}, and there is none of that name.`),
    ),
  );
}
