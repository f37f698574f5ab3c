import { isObject, type Json } from "../model/json.js";
import type { Step } from "../model/plan.js";
import { isLate, isSecret, type Late } from "../model/sealed.js";

/** A step's body with what its references to secrets stand for. */
export function bodyOf({ body, fills }: Step, secrets: ReadonlyMap<string, Json>): Json | null {
  if (!isObject(body)) return body as Json | null; // a body is an object or nothing
  const filled = Object.entries(body).map(([field, value]): readonly [string, Json] => {
    if (!fills.includes(field) || !isSecret(value)) return [field, value];
    const secret = secrets.get(value.$secret);
    if (secret === undefined) throw new Error("every reference of a plan is among its secrets");
    return [field, secret];
  });
  return Object.fromEntries(filled);
}

/** A step's path with the ids that earlier steps have made. */
export function pathWith(path: readonly (string | Late)[], made: ReadonlyMap<number, string>): string {
  const parts = path.map((part) => {
    if (!isLate(part)) return part;
    const id = made.get(part.$result);
    if (id === undefined) throw new Error("a step comes after those whose ids it needs");
    return id;
  });
  return parts.map((part) => `/${part}`).join("");
}
