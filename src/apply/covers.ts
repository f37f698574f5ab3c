import { isList, isObject, type Json } from "../model/json.js";

/** Whether a live value is what was sent, with whatever the service has added to it. */
export function covers(live: Json | undefined, sent: Json | undefined): boolean {
  if (isEmpty(sent)) return isEmpty(live);
  if (isList(sent))
    return (
      isList(live) && live.length === sent.length && sent.every((each, index) => covers(live[index], each))
    );
  if (isObject(sent))
    return isObject(live) && Object.entries(sent).every(([name, value]) => covers(live[name], value));
  return live === sent || (typeof sent === "boolean" && isFlag(live, sent));
}

/** Some answers spell a flag: `"true"`. */
function isFlag(live: Json | undefined, flag: boolean): boolean {
  return typeof live === "string" && live.toLowerCase() === String(flag);
}

/** An empty list may be left out of an answer. */
export function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || (isList(value) && value.length === 0);
}
