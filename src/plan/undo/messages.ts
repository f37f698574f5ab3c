import type { Item } from "../../model/item.js";
import type { FieldChange } from "../../model/plan.js";
import { problem, warning } from "../../model/problem.js";
import { brief, nameOf } from "../value-words.js";
import type { AppliedChange } from "./states-before.js";

type Drifted = readonly FieldChange[];
type Names = readonly string[];

export function messagesFor({ change }: AppliedChange, zone: string) {
  const name = nameOf(change);
  const objectName = `${name} in ${zone}`;
  return {
    changedSince: (drifted: Drifted) =>
      warning(
        "changed_since",
        "Changed since the apply",
        `${objectName} was changed since the apply, and these changes stay: ${differencesText(drifted, "was")} before the apply.`,
      ),
    blocksAnew: (back: Names, drifted: Drifted) =>
      problem(
        "blocks_anew",
        "Rollback and later changes block together",
        `With ${back.join(", ")} as before the apply and the later ${drifted.map(({ path, after }) => `${path} ${brief(after)}`).join(", ")}, ${objectName} blocks loads that it never blocked before. Check it in the dashboard, and correct the files.`,
      ),
    madeAndChanged: (drifted: Drifted) =>
      warning(
        "changed_since",
        "Changed since the apply",
        `The apply created ${objectName}, and it was changed since: ${differencesText(drifted, "was created with")}. If it is not needed, delete it in the dashboard. It stays.`,
      ),
    manyMade: (items: readonly Item[]) =>
      warning(
        "ambiguous_name",
        "Several live objects have one name",
        `${zone} has several objects that the apply may have created as ${name}: ${items.map(({ ref }) => ref.id ?? "no id").join(", ")}. Delete the extra ones in the dashboard. They stay.`,
      ),
    goneSince: () =>
      warning(
        "gone_since",
        "Deleted since the apply",
        `The apply changed ${objectName}, and it was deleted since. It is not created again.`,
      ),
    thereAgain: (drifted: Drifted) =>
      warning(
        "there_again",
        "Created again since the apply",
        `The apply deleted ${objectName}, and another object has this name now: ${differencesText(drifted, "was")}. It stays unchanged.`,
      ),
    secretUnknown: (names: Names, consequence: string) =>
      problem(
        "not_undone",
        "Secret cannot be restored",
        `The files do not give the former ${names.join(" and ")} of ${objectName}, and the journal holds no secrets. ${consequence} Put the former reference back into the files, set its variable, and roll back this journal again.`,
      ),
    secretUnsure: (names: Names) =>
      problem(
        "not_undone",
        "Secret may not be restored",
        `${names.join(" and ")} of ${objectName} may differ from the value before the apply: the journal holds no secrets, and the files name the same secret as during the apply. If the value differs, name another secret with the former value. All other fields are as before.`,
      ),
    secretAssumed: (names: Names) =>
      warning(
        "secret_assumed",
        "Secret is taken from the files",
        `The files give another ${names.join(" and ")} of ${name} than ${zone} has, from the same secret as during the apply. It is restored as the former value.`,
      ),
    notBrought: (fields: Names, consequence = "Check it in the dashboard.") =>
      problem(
        "not_undone",
        "Fields cannot be restored",
        `${fields.join(", ")} of ${objectName} cannot be restored from the journal and the live state. ${consequence}`,
      ),
    notOfKind: () =>
      problem(
        "not_undone",
        "Object cannot be restored",
        `What the journal has as ${objectName} before the apply is no ${change.kind}: it was edited. It is not restored.`,
      ),
    unlistedMade: () =>
      problem(
        "not_undone",
        "Created object cannot be found",
        `The apply created ${objectName}, and the service does not list such objects. Delete it in the dashboard. It stays.`,
      ),
  };
}

/** `value is "a", and was "b"; action is …` */
function differencesText(drifted: Drifted, was: string): string {
  return drifted
    .map(({ path, before, after }) => `${path} is ${brief(after)}, and ${was} ${brief(before)}`)
    .join("; ");
}

/** Codes of messages about objects that stay as others have changed them, so that the rollback is incomplete. */
export const STAYING: ReadonlySet<string> = new Set([
  "changed_since",
  "gone_since",
  "there_again",
  "ambiguous_name",
]);
