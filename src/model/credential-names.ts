/**
 * Whether a header, a cookie or a log field of this name usually carries a credential: whoever reads it can act as its
 * owner. A name says no more than that, so any other may carry one too.
 */
export function carriesCredential(name: string): boolean {
  const words = wordsIn(name);
  const squeezed = words.join("");
  return (
    words.some((word) => WORDS.has(word) || isOfAuthentication(word)) ||
    INSIDE.test(squeezed) ||
    (/^keys?$/.test(words.at(-1) ?? "") && !words.some((word) => OTHER_KEYS.has(word))) ||
    squeezed.startsWith("cfaccess")
  );
}

/** `X-Api-Key`, `sessionId` and `ASP.NET_SessionId` by words. */
function wordsIn(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

const WORDS: ReadonlySet<string> = new Set([
  "2fa",
  "apisid",
  "assertion",
  "bearer",
  "clearance",
  "credential",
  "creds",
  "csrf",
  "dpop",
  "hsid",
  "identity",
  "jws",
  "login",
  "mfa",
  "otp",
  "passcode",
  "passphrase",
  "pwd",
  "remember",
  "saml",
  "sapisid",
  "sas",
  "sess",
  "sid",
  "sig",
  "signature",
  "ssid",
  "sso",
  "ticket",
  "totp",
  "xsrf",
]);

/** Parts of words that are written together: `PHPSESSID`, `accesstoken`. */
const INSIDE = /session|sessid|token|jwt|cookie|passw|secret|credential|apikey|accesskey|loggedin/;

/** Keys that open nothing: `sec-websocket-key`. */
const OTHER_KEYS: ReadonlySet<string> = new Set([
  "cache",
  "idempotency",
  "partition",
  "shard",
  "sort",
  "surrogate",
  "websocket",
]);

/** `www-authenticate` asks for a credential, and `author` has nothing to do with one. */
function isOfAuthentication(word: string): boolean {
  return word.includes("auth") && !/^(?:authenticate|authors?|authority|authored)$/.test(word);
}
