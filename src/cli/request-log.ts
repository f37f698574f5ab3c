import { REDACTED, withoutSecrets } from "../api/foreign-text.js";
import type { LoggedRequest } from "../emulator/index.js";
import { isList, isObject, type Json } from "../model/json.js";
import { isSecretName } from "../model/secret-by-look.js";

/** A request as a file may keep it: it was sent with secrets, and answered with those that are live. */
export function loggable(request: LoggedRequest): Json {
  const { response } = request;
  // A text is an answer that a fault has damaged.
  const shown = typeof response === "string" ? { ...request, response: withoutSecrets(response) } : request;
  const entry = JSON.parse(JSON.stringify(shown)) as Json; // what JSON.parse gives is JSON
  return hidden(entry, secretsIn(entry));
}

/** Texts under names that promise a secret. */
function secretsIn(value: Json, name = ""): readonly string[] {
  if (typeof value === "string") return isSecretName(name) && value !== "" ? [value] : [];
  if (isList(value)) return value.flatMap((each) => secretsIn(each, name));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => secretsIn(each, key)) : [];
}

function hidden(value: Json, secrets: readonly string[], name = ""): Json {
  if (typeof value === "string") {
    const bare = secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), value);
    return IN_WORDS.test(name) ? withoutSecrets(bare) : bare;
  }
  if (isList(value)) return value.map((each) => hidden(each, secrets, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hidden(each, secrets, key)]));
}

/** What says something in words may repeat a secret that was live before. */
const IN_WORDS = /error|message/;
