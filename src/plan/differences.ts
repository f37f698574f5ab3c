import { diffFields } from "../kinds/fields.js";
import { impliedIn, type Kind, type PendingChange } from "../kinds/kind.js";
import type { Matched } from "../match/match.js";
import type { Triple } from "../model/item.js";
import { equal } from "../model/json.js";
import type { Action, FieldChange } from "../model/plan.js";
import type { SealedObject } from "../model/sealed.js";

/** A change that has no number yet. */
export type Difference = Omit<PendingChange, "at">;

/** The objects that are different, in file order, deletions of undeclared ones last. */
export function pendingChanges(kind: Kind, { triples }: Matched): readonly Difference[] {
  return triples.flatMap((triple) => {
    const fields = diffFields(triple.live?.normal ?? null, wholeOf(kind, triple), kind.fields);
    const action = actionOf(triple);
    return action === "update" && fields.length === 0 ? [] : [{ action, triple, fields }];
  });
}

/** For a replacement: the wanted object with the defaults that the service gives a new one, where the live one shows them. */
function wholeOf(kind: Kind, { want, live, replaces }: Triple): SealedObject | null {
  if (want === null || replaces === undefined) return want?.normal ?? null;
  const implied = Object.entries(impliedIn(kind));
  const shown = implied.filter(([field]) => field in (live?.normal ?? {}));
  return { ...Object.fromEntries(shown), ...want.normal };
}

function actionOf({ want, live }: Triple): Action {
  if (want === null) return "delete";
  return live === null ? "create" : "update";
}

/** Of a newly declared object, leaves out the fields that the service sets by default. */
function takenOverFields(kind: Kind, { want, live }: Triple): readonly FieldChange[] {
  const fields = diffFields(live?.normal ?? null, want?.normal ?? null, kind.fields);
  const implied = impliedIn(kind);
  if (live !== null) return fields;
  return fields.filter(
    ({ path, after }) => want?.owns.includes(path) || !equal(implied[path] ?? null, after),
  );
}

/** Changes of the files that are live already, so they need no call. */
export function takenOverChanges(kind: Kind, { takenOver = [] }: Matched): readonly Difference[] {
  return takenOver.map((triple) => ({
    action: actionOf(triple),
    triple,
    fields: takenOverFields(kind, triple),
  }));
}
