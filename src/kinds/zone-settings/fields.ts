import type { Schema } from "../../model/declared-zone.js";
import { isList, type Json, mapValues, textsIn } from "../../model/json.js";
import type { Dimensions, Rank, Strength } from "../../model/strength.js";
import { type Fields, setField } from "../fields.js";
import { text } from "../schema.js";

/** A setting with a place in the files. */
export interface Setting {
  readonly schema: Schema;
  /** The strength of a value. Null: unknown. */
  readonly strength: (value: Json) => Strength | null;
  /** The dimensions of a value besides its own. Absent: none. */
  beside?(value: Json): Dimensions;
  /** Whether it turns visitors away. Absent: it does not. */
  readonly blocks?: true;
  /** Whether it says how another part of a map works. */
  readonly isDetail?: true;
}

/** A value, with the words for a change to it from a weaker and from a stronger value. */
type Step = readonly [value: string, gain: string, loss: string];

/** @param steps from the weakest value to the strongest */
function ordered(description: string, steps: readonly Step[], more: readonly string[] = []): Setting {
  return {
    schema: { enum: [...steps.map(([value]) => value), ...more], description },
    strength: (value) => rankIn(steps, value),
  };
}

function rankIn(steps: readonly Step[], value: Json): Strength | null {
  const place = steps.findIndex(([each]) => each === value);
  const [is, stronger, weaker] = steps[place] ?? [];
  if (is === undefined || stronger === undefined || weaker === undefined) return null;
  return { as: "rank", value: place, is, means: { stronger, weaker } };
}

/** The values of a switch in files. Cloudflare has on and off. */
const SWITCH: readonly Json[] = ["on", "off", true, false];

function switched(description: string, steps: readonly [Step, Step]): Setting {
  return { schema: { enum: SWITCH, description }, strength: (value) => rankIn(steps, value) };
}

/** A switch that protects while it is on. */
function protecting(description: string, gain: string, loss: string): Setting {
  return switched(description, [
    ["off", "", loss],
    ["on", gain, ""],
  ]);
}

const TLS_VERSIONS = ["1.0", "1.1", "1.2", "1.3"] as const;

/** The settings by their ids at the service, in the order of files, without the one that is a map. */
export const settings: ReadonlyMap<string, Setting> = new Map(
  Object.entries({
    ssl: ordered(
      "How traffic is encrypted, to visitors and to the origin. strict: with a valid certificate at the origin.",
      [
        ["off", "", "visitors can no longer use HTTPS"],
        ["flexible", "visitors can use HTTPS", "traffic to the origin is no longer encrypted"],
        ["full", "traffic to the origin is encrypted", "the origin's certificate is no longer checked"],
        ["strict", "the origin's certificate is checked", ""],
      ],
      // Traffic to the origin is always encrypted and checked, whatever visitors use.
      ["origin_pull"],
    ),
    min_tls_version: {
      ...ordered(
        "The lowest TLS version that visitors may use. Quote it.",
        TLS_VERSIONS.map((version) => [
          version,
          `TLS below ${version} is refused`,
          `TLS ${version} is accepted`,
        ]),
      ),
      blocks: true,
    },
    // zrt is on with 0-RTT, which counts by itself.
    tls_1_3: {
      schema: { enum: [...SWITCH, "zrt"], description: "Whether visitors may use TLS 1.3. zrt: with 0-RTT." },
      strength: (value) =>
        rankIn(
          [
            ["off", "", "visitors can no longer use TLS 1.3"],
            ["on", "visitors can use TLS 1.3", ""],
          ],
          value === "zrt" ? "on" : value,
        ),
      beside: (value) => ({ tls_1_3_0rtt: earlyData(value) }),
    },
    ciphers: {
      schema: {
        type: "array",
        items: text("A cipher's name."),
        description: "The ciphers that visitors may use, as a set. []: Cloudflare's default.",
        examples: [["ECDHE-ECDSA-AES128-GCM-SHA256"]],
      },
      strength: cipherStrength,
      beside: strongCiphers,
      blocks: true,
    },
    "0rtt": switched("Whether TLS 1.3 connections may send data before the handshake ends.", [
      ["on", "", "early data can be replayed"],
      ["off", "early data can no longer be replayed", ""],
    ]),
    always_use_https: protecting(
      "Whether plain HTTP requests are redirected to HTTPS.",
      "plain HTTP is redirected to HTTPS",
      "plain HTTP is no longer redirected",
    ),
    automatic_https_rewrites: protecting(
      "Whether http: links in pages become https: where the target has HTTPS.",
      "pages load fewer resources over plain HTTP",
      "pages may load resources over plain HTTP",
    ),
    opportunistic_encryption: protecting(
      "Whether browsers may encrypt requests for http: addresses.",
      "browsers may encrypt requests for http: addresses",
      "requests for http: addresses are no longer encrypted",
    ),
    tls_client_auth: protecting(
      "Whether Cloudflare shows a certificate to the origin (authenticated origin pulls).",
      "the origin can check that requests come from Cloudflare",
      "the origin can no longer check that requests come from Cloudflare",
    ),
    browser_check: {
      ...protecting(
        "Whether requests with headers that only bots send are refused (browser integrity check).",
        "requests with the headers of bots are refused",
        "requests with the headers of bots are no longer refused",
      ),
      blocks: true,
    },
    challenge_ttl: {
      schema: {
        type: "integer",
        minimum: 1,
        description: "How many seconds a solved challenge stays valid for a visitor.",
        examples: [1800],
      },
      strength: (value) => (typeof value === "number" ? shorter(value) : null),
    },
    hotlink_protection: {
      ...protecting(
        "Whether requests for images from other sites are blocked (hotlink protection).",
        "other sites can no longer show its images",
        "other sites can show its images",
      ),
      blocks: true,
    },
    email_obfuscation: protecting(
      "Whether e-mail addresses in pages are hidden from bots.",
      "bots no longer read e-mail addresses in pages",
      "bots can read e-mail addresses in pages",
    ),
    security_level: {
      ...ordered(
        "The threat score from which visitors are challenged.",
        ["off", "essentially_off", "low", "medium", "high", "under_attack"].map((level) => [
          level,
          "more visitors are challenged",
          "fewer visitors are challenged",
        ]),
      ),
      blocks: true,
    },
  } satisfies { readonly [id: string]: Setting }),
);

/** The one setting that is a map. */
export const HEADER = "security_header";

/** The key in its value. */
export const HSTS = "strict_transport_security";

const flag = (description: string): Schema => ({ type: ["boolean", "null"], description });

/** The parts of that setting. */
export const header: ReadonlyMap<string, Setting> = new Map(
  Object.entries({
    enabled: part(flag("Whether responses tell browsers to use only HTTPS."), {
      stronger: "browsers use only HTTPS",
      weaker: "browsers may use plain HTTP once they forget",
    }),
    max_age: detail(
      {
        type: ["integer", "null"],
        minimum: 0,
        description: "How many seconds browsers remember to use only HTTPS.",
      },
      { stronger: "browsers remember HSTS longer", weaker: "browsers forget HSTS sooner" },
    ),
    include_subdomains: detail(flag("Whether this also applies to all subdomains."), {
      stronger: "subdomains have HSTS too",
      weaker: "subdomains no longer have HSTS",
    }),
    preload: detail(flag("Whether browsers may include the zone in their preload list."), {
      stronger: "browsers may preload HSTS of the zone",
      weaker: "browsers no longer preload HSTS of the zone",
    }),
    nosniff: part(flag("Whether responses have X-Content-Type-Options: nosniff."), {
      stronger: "browsers no longer guess content types",
      weaker: "browsers may guess content types",
    }),
  }),
);

type Means = NonNullable<Rank["means"]>;

function detail(schema: Schema, means: Means): Setting {
  return part(schema, means, { isDetail: true });
}

function part(schema: Schema, means: Means, is: Pick<Setting, "isDetail"> = {}): Setting {
  const rank = (value: number, text: string): Strength => ({ as: "rank", value, is: text, means, ...is });
  const strength = (value: Json) => {
    if (typeof value === "number") return rank(value, `${value} seconds`);
    return typeof value === "boolean" ? rank(value ? 1 : 0, value ? "on" : "off") : null;
  };
  return { schema, strength, ...is };
}

const TO_STRICT = "Write strict.";

export const fields: Fields = {
  ...Object.fromEntries([...settings.keys(), HEADER, "other"].map((id) => [id, {}])),
  ciphers: setField,
  ssl: { hints: { full_strict: TO_STRICT, "full (strict)": TO_STRICT } },
};

export function isSwitch(id: string): boolean {
  const values = settings.get(id)?.schema.enum;
  return isList(values) && values.includes(true);
}

/** The value zrt switches on both TLS 1.3 and its early data. */
function earlyData(value: Json): Strength {
  const means = { stronger: "early data can no longer be replayed", weaker: "early data can be replayed" };
  const isOn = value === "zrt";
  return { as: "rank", value: isOn ? 0 : 1, is: isOn ? "on" : "off", called: "0-RTT", means };
}

function shorter(seconds: number): Strength {
  const means = {
    stronger: "visitors are challenged again sooner",
    weaker: "visitors are challenged again later",
  };
  return { as: "rank", value: -seconds, is: `${seconds} seconds`, means };
}

/** Properties that make a cipher stronger: forward secrecy, authenticated encryption, and no broken algorithm. */
const STRONG = {
  ciphers_strong: /^(?:AEAD-|ECDHE-.*-(?:GCM-|CHACHA20-))/,
  ciphers_forward_secret: /^(?:AEAD-|ECDHE-)/,
  ciphers_authenticated: /^AEAD-|-(?:GCM|CHACHA20)-/,
  ciphers_unbroken: /^(?!.*(?:DES|RC4|NULL|EXP|MD5))/,
};

/** The stronger ciphers of a list that has weaker ones too: a visitor who loses one of the stronger gets a weaker one. */
function strongCiphers(value: Json): Dimensions {
  const names = textsIn(value);
  const words = { come: "come before weaker ciphers", go: "no longer come before weaker ciphers" };
  return mapValues(STRONG, (strong) => {
    const of = names.filter((name) => strong.test(name));
    return of.length === names.length
      ? undefined
      : { as: "set", stronger: "more", of, words, isDetail: true };
  });
}

/** Of two sets, the smaller one is stronger only if the other contains it. */
function cipherStrength(value: Json): Strength | null {
  if (!isList(value)) return null;
  if (value.length === 0)
    return { as: "unknown", is: "default", why: "Cloudflare chooses the default ciphers" };
  const names = value.map(String);
  return {
    as: "set",
    stronger: "fewer",
    of: names,
    vague: names,
    words: { come: "added to the ciphers", go: "removed from the ciphers" },
  };
}
