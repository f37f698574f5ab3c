import { asText, isList, type Json } from "../../model/json.js";
import type { Sealed } from "../../model/sealed.js";
import { changedMembers, enabledField, type Fields, nameField, unsetFields } from "../fields.js";
import { extraFields, READ_ONLY } from "./extra-fields.js";
import { liveOptions } from "./options.js";

/** Fields with the same name in the normal form, the files and the API. */
const sameNamed: Fields = {
  name: nameField,
  dataset: { required: true, fixed: true, identifies: true },
  enabled: enabledField,
  destination_conf: { required: true, secret: "always", identifies: true },
  ownership_challenge: { secret: "always", writeOnly: true },
};

export const SAME_NAMED: readonly string[] = Object.keys(sameNamed);

export const fields: Fields = {
  ...sameNamed,
  ...unsetFields(liveOptions({})),
  fields: { unset: liveOptions({}).fields ?? [], parts: membersChanged, show: membersText },
  ...extraFields,
  ...Object.fromEntries(READ_ONLY.map((field) => [field, { volatile: true }])),
};

/** The added and removed fields. A change of order alone has none. */
function membersChanged(before: Sealed, after: Sealed) {
  const [old = [], now = []] = [before, after].map((list) => (Array.isArray(list) ? list.map(asText) : []));
  const members = changedMembers("", old, now);
  return members.added.length + members.removed.length === 0 ? [] : [members];
}

function membersText(value: Json): string | null {
  return isList(value) && value.length > 0 ? value.join(", ") : null;
}
