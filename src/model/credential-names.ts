/** The kind of name: a header, cookie or log field; a variable of a run; a key or parameter in a text. */
export type NameOf = "field" | "variable" | "parameter";

/** Whether a value with this name usually is a credential. A value with another name may be one too. */
export function isCredentialName(name: string, of: NameOf): boolean {
  return credentialWordIn(name, of) !== null;
}

/** The part of the name that suggests a credential, in lower case. */
export function credentialWordIn(name: string, of: NameOf): string | null {
  const parts = name.toLowerCase().replace(/[^a-z\d]+/g, "-");
  const [part = null] = PARTS[of].exec(parts) ?? [];
  if (part !== null) return part;
  const words = wordsIn(name);
  if (NO_CREDENTIAL.test(words.join("-"))) return null;
  const isOtherKey = words.some((word) => OTHER_KEYS.has(word));
  return words.find((word) => WORDS[of].test(word) && !(isOtherKey && word.startsWith("key"))) ?? null;
}

/** Splits `X-Api-Key`, `sessionId` and `ASP.NET_SessionId` into words. */
function wordsIn(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
}

/** Matches anywhere in a name: `accesstoken`, `dbPassword`. */
const PART =
  "secret|token|password|passw|passphrase|passcode|pwd|credential|signature|jwt|sess-?id|(?:api|access|auth)-?key";

/** Cookie names end in a hash, `SESS4f1c…`, or run words together: `phpsessid`, `1psidts`. */
const PARTS: { readonly [of in NameOf]: RegExp } = {
  field: new RegExp(
    `${PART}|session|cookie|logged-?in|(?:^|-)s?sess|sid(?:cc|ts)?(?:-|$)|^cf-?access|^wordpress-sec|^(?:rtfa|spoidcrl|castgc)$`,
  ),
  variable: new RegExp(
    [
      `${PART}|key|kube-?config|conn(?:ection)?-?str(?:ing)?|(?:^|-)login$`,
      "(?:^|-)(?:amqp|broker|database|db|jdbc|maria-?db|mongo(?:db)?|mysql|pg|postgres(?:ql)?|rabbitmq|redis)-ur[il](?:-|$)",
    ].join("|"),
  ),
  parameter: new RegExp(`${PART}|challenge|destination-?conf|auth-?email`),
};

/** Matches whole words. English words that end in `pass` are excluded. */
const WORD = [
  "o?auth2?|authori[sz]ation|bearer|cookies?|creds?|hmac|jws|otp|totp|psw|pw\\d*|sas|session|sig",
  "(?!(?:by|com|encom|sur|tres|under|over)pass$)[a-z\\d]*pass\\d*",
].join("|");

/** `www-authenticate` asks for a credential, and `author` is unrelated. */
const AUTHENTICATION = "(?!(?:authenticate|authors?|authority|authored)$)[a-z\\d]*auth[a-z\\d]*";

const WORDS: { readonly [of in NameOf]: RegExp } = {
  field: words(
    AUTHENTICATION,
    "2fa|assertion|clearance|csrf|dpop|identity|keys?|login|mfa|pin|psk|remember|saml|sso|ticket|xsrf",
  ),
  variable: words("dsn|netrc|pat|pem|pfx|p12|private|rsa|salt|ssh|vault|(?:web)?hooks?"),
  parameter: words("key"),
};

function words(...more: readonly string[]): RegExp {
  return new RegExp(`^(?:${[WORD, ...more].join("|")})$`);
}

/** Public names such as `AUTH_HOST`, and the list `cookie_fields`. */
const NO_CREDENTIAL =
  /(?:^|-)(?:o?auth2?|cookies?|login|private|session|ssh|vault|webhooks?)-(?:host|hostname|domain|origin|port|fields)$/;

/** Keys that are no secret: `sec-websocket-key`. */
const OTHER_KEYS: ReadonlySet<string> = new Set([
  "cache",
  "idempotency",
  "partition",
  "shard",
  "sort",
  "surrogate",
  "websocket",
]);
