import { describe, expect, test } from "vitest";
import { barredBy, interpolate, type Purpose, Room } from "../../src/config/interpolate.js";
import type { Environment } from "../../src/config/secret-variables.js";

import { pointerOf } from "../../src/model/item.js";
import type { Json, JsonObject } from "../../src/model/json.js";

const environment: Environment = {
  HOST: "a.example",
  EMPTY: "",
  _x9: "x",
  REF: "${env:HOST}",
  DOLLAR: "$&$1$$",
};

function fill(value: Json, from: Environment = environment): { value: Json; problems: string[] } {
  const span = (path: Parameters<typeof pointerOf>[0]) => {
    return { file: "a.yaml", line: 1, column: 1, pointer: pointerOf(path), text: "" };
  };
  const { value: filled, problems } = interpolate(
    value,
    [],
    { environment: from, purpose: "plan", barred: barredBy([], from), room: new Room() },
    null,
    span,
  );
  return { value: filled, problems: problems.map(({ code, at }) => `${code} ${at?.pointer ?? ""}`) };
}

describe("a text with references", () => {
  const filled: readonly [sentence: string, text: string, result: string][] = [
    ["without one is unchanged", "$ $HOST {HOST} $(HOST) $}", "$ $HOST {HOST} $(HOST) $}"],
    ["has a variable's value", "https://${env:HOST}/x", "https://a.example/x"],
    ["can have several variables", "${env:HOST}${env:HOST} ${env:_x9}", "a.examplea.example x"],
    ["has an empty text for an empty variable", "<${env:EMPTY}>", "<>"],
    ["has the default of an absent variable", "${env:NO:-b c}", "b c"],
    ["has the default of an empty variable, as in shells", "${env:EMPTY:-b}", "b"],
    ["has the variable's value despite a default", "${env:HOST:-b}", "a.example"],
    ["can have an empty default", "<${env:NO:-}>", "<>"],
    ["can have a default with special characters", '${env:NO:-a:-b: $c " \n}', 'a:-b: $c " \n'],
    ["has a default that ends at the first brace", "${env:NO:-{a}}", "{a}"],
    ["has a literal reference for a doubled dollar", "$${env:HOST} $${ $$", "${env:HOST} ${ $$"],
    ["can have a dollar before a literal reference", "$$${env:HOST}", "$${env:HOST}"],
    ["does not fill in a value again", "${env:REF}", "${env:HOST}"],
    ["keeps dollars in values", "<${env:DOLLAR}>", "<$&$1$$>"],
  ];
  test.each(filled)("%s", (_, text, result) => {
    expect(fill(text)).toEqual({ value: result, problems: [] });
  });

  const refused: readonly [sentence: string, text: string, codes: readonly string[]][] = [
    ["needs a set variable or a default", "${env:NO}", ["missing_variable"]],
    [
      "cannot use methods of every object as variables",
      "${env:toString}${env:__proto__}",
      ["missing_variable", "missing_variable"],
    ],
    ["needs a closing brace", "${env:HOST", ["bad_reference"]],
    ["needs env or secret before the name", "${HOST}${ENV:HOST}${file:HOST}", Array(3).fill("bad_reference")],
    [
      "needs a name of letters, digits and underscores",
      "${env:}${env:1}${env:a-b}${env:ä}${env: HOST}",
      Array(5).fill("bad_reference"),
    ],
    ["takes no reference in a default", "${env:NO:-${env:HOST}}", ["bad_reference"]],
    [
      "accepts no secret in a field that plans show",
      "${secret:HOST}${secret:NO:-a}",
      ["misplaced_secret", "misplaced_secret"],
    ],
    [
      "accepts no variable of the client, set or not",
      "${env:CLOUDFLARE_API_TOKEN}${env:cloudflare_x:-a}",
      ["refused_variable", "refused_variable"],
    ],
    [
      "accepts no variable named like a secret",
      "${env:API_KEY:-a}${env:Passwords}",
      ["refused_variable", "refused_variable"],
    ],
  ];
  test.each(refused)("%s", (_, text, codes) => {
    expect(fill(text).problems).toEqual(codes.map((code) => `${code} `));
  });

  test("may be anywhere in a value, and problems point to it", () => {
    const value = { a: ["${env:HOST}", { "b/c": "${env:NO}", d: 1, e: null, f: true }], "${env:HOST}": "x" };
    expect(fill(value)).toEqual({
      value: { a: ["a.example", { "b/c": "${env:NO}", d: 1, e: null, f: true }], "${env:HOST}": "x" },
      problems: ["missing_variable /a/1/b~1c", "bad_reference /${env:HOST}"],
    });
  });
});

describe("a secret", () => {
  const environment: Environment = { A: "a", B: "b", API_KEY: "k", EMPTY: "" };
  const where = (value: Json, from: Environment = environment, purpose: Purpose = "plan") => {
    const span = () => ({ file: "a.yaml", line: 1, column: 1, pointer: "", text: "" });
    const {
      value: filled,
      problems,
      outside,
    } = interpolate(
      value,
      [],
      { environment: from, purpose, barred: barredBy([], from), room: new Room() },
      null,
      span,
    );
    return { filled, codes: problems.map(({ code }) => code), outside: Object.fromEntries(outside) };
  };
  const job = (fields: Json): Json => ({ zones: { "a.example": { logpush_jobs: [fields] } } });
  const at = (rest: string) => `/zones/a.example/logpush_jobs/0/${rest}`;

  const known: readonly [sentence: string, text: string, value: string, outside: JsonObject | null][] = [
    [
      "has its variable's name",
      "${secret:API_KEY}",
      "k",
      { isSecret: true, name: "API_KEY", isInFile: false, unset: [] },
    ],
    [
      "has no name within a longer text",
      "<${secret:A}>",
      "<a>",
      { isSecret: true, name: null, isInFile: false, unset: [] },
    ],
    [
      "has no name beside another reference",
      "${secret:A}${secret:B}",
      "ab",
      { isSecret: true, name: null, isInFile: false, unset: [] },
    ],
    [
      "has no name with a default",
      "${secret:A:-c}",
      "a",
      { isSecret: true, name: null, isInFile: false, unset: [] },
    ],
    [
      "records when its default was used",
      "${secret:NONE:-c}",
      "c",
      { isSecret: true, name: null, isInFile: true, unset: [] },
    ],
    [
      "makes the text after it secret",
      "${secret:A}${env:B}",
      "ab",
      { isSecret: true, name: null, isInFile: false, unset: [] },
    ],
    [
      "makes the text before it secret",
      "${env:B}${secret:A}",
      "ba",
      { isSecret: true, name: null, isInFile: false, unset: [] },
    ],
    [
      "does not include an ordinary variable",
      "${env:B}",
      "b",
      { isSecret: false, name: null, isInFile: false, unset: [] },
    ],
    [
      "that is not set stays a named reference",
      "${secret:NONE}",
      "${secret:NONE}",
      { isSecret: true, name: "NONE", isInFile: false, unset: ["NONE"] },
    ],
    [
      "that is empty counts as not set",
      "<${secret:EMPTY}${secret:A}>",
      "<${secret:EMPTY}a>",
      { isSecret: true, name: null, isInFile: false, unset: ["EMPTY"] },
    ],
    ["does not include a similar text", "$${secret:A}", "${secret:A}", null],
  ];
  test.each(known)("%s", (_, text, value, outside) => {
    const found = where(job({ destination_conf: text }));
    expect(found).toEqual({
      filled: job({ destination_conf: value }),
      codes: [],
      outside: outside === null ? {} : { [at("destination_conf")]: { ...outside, written: text } },
    });
  });

  const places: readonly [sentence: string, value: Json, pointers: readonly string[]][] = [
    ["a job of a zone", job({ ownership_challenge: "${secret:A}" }), [at("ownership_challenge")]],
    [
      "all fields of extra",
      job({ extra: { x: ["${secret:A}", { y: "${secret:A}" }] } }),
      [at("extra/x/0"), at("extra/x/1/y")],
    ],
    [
      "a job of a template",
      { templates: { t: { logpush_jobs: [{ destination_conf: "${secret:A}" }] } } },
      ["/templates/t/logpush_jobs/0/destination_conf"],
    ],
    [
      "a job of the defaults",
      { defaults: { logpush_jobs: [{ destination_conf: "${secret:A}" }] } },
      ["/defaults/logpush_jobs/0/destination_conf"],
    ],
  ];
  test.each(places)("may be in %s", (_, value, pointers) => {
    const { codes, outside } = where(value);
    expect([codes, Object.keys(outside)]).toEqual([[], pointers]);
  });

  const misplaced: readonly [sentence: string, value: Json][] = [
    ["output options, which plans show", job({ extra: { output_options: { x: "${secret:A}" } } })],
    ["other fields of a job", job({ name: "${secret:A}", fields: ["${secret:A}"] })],
    [
      "a field of that name in another section",
      { zones: { a: { policies: [{ extra: { x: "${secret:A}" } }] } } },
    ],
    ["a field of that name elsewhere", { destination_conf: "${secret:A}", extra: { x: "${secret:A}" } }],
    ["a job that is not a map", job("${secret:A}")],
    ["jobs that are not a list", { zones: { a: { logpush_jobs: "${secret:A}" } } }],
  ];
  test.each(misplaced)("may not be in %s", (_, value) => {
    const { filled, codes, outside } = where(value);
    expect([new Set(codes), outside, filled]).toEqual([new Set(["misplaced_secret"]), {}, value]);
  });

  test("need not be set, but a misplaced one is still refused", () => {
    const value = job({ destination_conf: "<${secret:NO}>", name: "${secret:NO}" });
    for (const purpose of ["check", "plan", "base"] as const)
      expect(where(value, {}, purpose)).toMatchObject({ filled: value, codes: ["misplaced_secret"] });
  });

  test("is refused by prefix and list like other variables, but not by a secret-like name", () => {
    const value = job({ destination_conf: "${secret:GITHUB_TOKEN}${secret:A}${secret:MY_TOKEN}" });
    const from = { GITHUB_TOKEN: "a", A: "a", MY_TOKEN: "a", ZONEWARD_VARS: "GITHUB_TOKEN,MY_TOKEN" };
    expect(where(value, from).codes).toEqual(["refused_variable", "refused_variable"]);
  });
});

describe("a variable that may hold a credential", () => {
  const readWith = (text: string, from: Environment, purpose: Purpose = "plan") => {
    const span = () => ({ file: "a.yaml", line: 1, column: 1, pointer: "", text: "" });
    return interpolate(
      text,
      [],
      { environment: from, purpose, barred: barredBy([], from), room: new Room() },
      null,
      span,
    );
  };

  test.each([
    ...["DB_PASS", "DB_PASS2", "DBPASS", "SSHPASS", "MYSQL_PWD", "PGPASSWORD", "REDIS_PW", "MYCREDS_PSW"],
    ...["HTPASSWD", "GPG_PASSPHRASE", "UNLOCK_PASSCODE", "dbPass", "db_pass", "X_PASS_X"],
    ...["AZURE_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS", "GIT_CREDS", "DEPLOY_CREDENTIAL"],
    ...[
      "BASIC_AUTH",
      "DOCKER_AUTH_CONFIG",
      "COMPOSER_AUTH",
      "NPM_CONFIG__AUTH",
      "npm_config__auth",
      "X_OAUTH2",
    ],
    ...["SENTRY_DSN", "GITLAB_PAT", "CI_JOB_JWT", "CI_JOB_JWT_V2", "SONAR_LOGIN", "SLACK_WEBHOOK"],
    ...["SLACK_WEBHOOK_URL", "DEPLOY_HOOK", "KUBECONFIG", "KUBE_CONFIG", "SSH_AUTH_SOCK", "SSH_PRIVATE"],
    ...[
      "VAULT_ADDR",
      "PRIVATE_PEM",
      "SESSION_ID",
      "AUTH_COOKIE",
      "BLOB_SAS",
      "REQUEST_SIGNATURE",
      "DRONE_NETRC",
    ],
    ...[
      "DATABASE_URL",
      "CLEARDB_DATABASE_URL",
      "REDIS_URL",
      "MONGODB_URI",
      "AZURE_STORAGE_CONNECTION_STRING",
    ],
    ...["SQLCONNSTR_MAIN", "AWS_SESSION_TOKEN", "AWS_SECRET_ACCESS_KEY", "ACTIONS_ID_TOKEN_REQUEST_URL"],
  ])("is refused because of the name %s, set or not, listed or not", (name) => {
    for (const environment of [{}, { [name]: "a" }, { [name]: "a", ZONEWARD_VARS: name }])
      expect(fill(`\${env:${name}:-b}`, environment).problems).toEqual(["refused_variable "]);
  });

  test.each([
    ...["CDN_PATH", "AUTHOR", "COMPASS", "BYPASS", "PASSAGE", "PATH_PREFIX", "PATTERN", "COMPAT"],
    ...["AUTH0_DOMAIN", "AUTH_HOST", "COOKIE_DOMAIN", "WEBHOOK_HOST", "COOKIEBOT_URL", "LOGIN_URL"],
    ...["STAGE", "REGION", "AWS_REGION", "CDN_URL", "DB_NAME", "ASSIGNEE", "SIGNAL", "PRIVATEER"],
    ...["HTTPS_PROXY", "CI_REPOSITORY_URL", "BUILD_URL", "CREDITS", "SASS_PATH", "OPTION", "HOOKED"],
  ])("is accepted with the name %s", (name) => {
    expect(fill(`\${env:${name}}`, { [name]: "a" })).toEqual({ value: "a", problems: [] });
  });

  test.each([
    "http://user:hunter2word@proxy.corp.example:3128",
    "ghp_hunter2wordhunter2word",
    "glpat-hunter2wordhunter2word",
    "xoxb-2345678901-hunter2word",
    "AKIA4QK7XW2MZP5RTB6N",
    "HTTP://user:hunter2word@proxy.corp.example",
    "http:\\\\user:hunter2word@proxy.corp.example",
    "//user:hunter2word@proxy.corp.example",
    "https://hunter2word@github.example/a.git",
    "https://gitlab-ci-token:hunter2word@gitlab.example/a/b.git",
    "postgres://user:hunter2/word@db.corp.example:5432/shop?sslmode=require",
    "https://a.example,https://user:hunter2word@b.example",
    "a 'https://user:hunter2word@b.example'",
    "user:hunter2word@proxy.corp.example:3128",
    "user:hunter2word@tcp(db.corp.example:3306)/shop",
    "Server=db.example;User Id=shop;Password=hunter2word",
    "https://blob.example/in?sv=2024&sig=hunter2word",
    "Authorization: Basic aHVudGVyMndvcmQ=",
    "Bearer hunter2wordhunter2word",
    '{"auths":{"registry.example":{"auth":"aHVudGVyMndvcmQ="}}}',
    '{"type":"service_account","private_key":"hunter2word"}',
    "eyJhbGciOiJIUzI1NiJ9.eyJodW50ZXIyd29yZCI6MX0.aHVudGVyMndvcmQ",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2word\n-----END OPENSSH PRIVATE KEY-----",
  ])("is refused because of the value %s under any name, and the value is not shown", (value) => {
    const read = readWith("a ${env:PLACE} b", { PLACE: value, ZONEWARD_VARS: "PLACE" });
    expect(read.value).toBe("a ${env:PLACE} b");
    expect(read.problems.map(({ code, detail }) => [code, detail])).toEqual([
      [
        "refused_variable",
        "The value of PLACE looks like a credential, and ${env:…} would show it in plans. Give PLACE a value without one.",
      ],
    ]);
  });

  test.each([
    "https://cdn.example/npm/lib@1.2.3/",
    "https://cdn.example:8443/npm/lib@1.2.3/",
    "https://cdn.example:8443,https://b.example/x@2",
    "https://a.example:8443 https://b.example/@scope/lib.js wss://c.example",
    "//cdn.example/@scope/lib.js",
    "mailto:security@example.com",
    "security@example.com",
    "node:24@sha256:0123456789abcdef",
    "script-src 'self' 'nonce-abc' https://cdn.example; report-to csp",
    'starts_with(http.request.uri.path, "/checkout") and http.host eq "a.example"',
    "basic rules",
    "shop=1;lang=en",
    "2026-11-28T07:00:00Z",
  ])("is accepted with the value %s", (value) => {
    expect(fill("${env:PLACE}", { PLACE: value })).toEqual({ value, problems: [] });
  });

  test("is unknown without an error in the base, which no plan shows", () => {
    const from = { HTTPS_PROXY: "http://user:hunter2word@proxy.example", DB_PASS: "hunter2word" };
    const read = readWith("${env:HTTPS_PROXY} ${env:DB_PASS:-x}", from, "base");
    expect([read.value, read.problems]).toEqual(["${env:HTTPS_PROXY} ${env:DB_PASS}", []]);
  });
});

describe("ZONEWARD_VARS", () => {
  test("allows the listed names, with or without spaces around them", () => {
    expect(fill("${env:A}${env:B}", { ZONEWARD_VARS: "B, A ,C", A: "a", B: "b" })).toEqual({
      value: "ab",
      problems: [],
    });
  });

  test("refuses all other names, even with a default", () => {
    const { problems } = fill("${env:a}${env:D:-d}${env:ZONEWARD_VARS}", { ZONEWARD_VARS: "A", a: "a" });
    expect(problems).toEqual(["refused_variable ", "refused_variable ", "refused_variable "]);
  });

  test("does not allow names that are always refused", () => {
    const { problems } = fill("${env:NODE_ENV}${env:MY_TOKEN}", {
      ZONEWARD_VARS: "NODE_ENV,MY_TOKEN",
      NODE_ENV: "a",
      MY_TOKEN: "b",
    });
    expect(problems).toEqual(["refused_variable ", "refused_variable "]);
  });

  test("allows no name if it is empty", () => {
    expect(fill("${env:A}", { ZONEWARD_VARS: "", A: "a" }).problems).toEqual(["refused_variable "]);
  });
});

test("reads the value of each secret once, however many references there are", () => {
  const looksFor = (count: number) => {
    const values: Record<string, string> = {};
    let looks = 0;
    for (let at = 0; at < count; at++) {
      values[`HOST_${at}`] = `host-${at}.example`;
      values[`S_${at}`] = `hidden-${at}-value`;
    }
    const counted = new Proxy(values, {
      get: (all, name: string) => {
        if (name.startsWith("S_")) looks += 1;
        return all[name];
      },
    });
    const numbers = Array.from({ length: count }, (_, at) => at);
    const secrets = numbers.map((at) => ({ name: `S_${at}`, source: "secret" as const }));
    const texts = numbers.map((at) => `\${env:HOST_${at}}`);
    const filling = {
      environment: counted,
      purpose: "plan" as const,
      barred: barredBy(secrets, counted),
      room: new Room(),
    };
    const span = () => ({ file: "a.yaml", line: 1, column: 1, pointer: "", text: "" });
    for (const each of texts) expect(interpolate(each, [], filling, null, span).problems).toEqual([]);
    const told = interpolate(["${env:S_1}"], [], filling, null, span).problems;
    expect(told.map(({ code }) => code)).toEqual(["refused_variable"]);
    return looks;
  };
  // The last reference reads one more value.
  expect(looksFor(40) - 1).toBe(2 * (looksFor(20) - 1));
});
