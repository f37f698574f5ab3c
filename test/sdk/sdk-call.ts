import type { Emulator, EmulatorOptions, Seed } from "../../src/emulator/index.js";
import { managedRulesets } from "../../src/emulator/resources/rulesets/holdings.js";
import { seed as shieldSeed, start, zoneId } from "../emulator/call.js";
import { stored as storedJob } from "../emulator/logpush.js";
import { storedWaf } from "../emulator/rulesets.js";
import { loadSdk, type Sdk } from "../support/sdk.js";

/** One call through the SDK and its expected result. */
export interface SdkCall {
  /** The call's name in the SDK: `pageShield.policies.list`. */
  readonly method: string;
  /** The emulator's route: the method and the path relative to the base. */
  readonly endpoint: string;
  readonly call: (sdk: Sdk) => Promise<unknown>;
  /** The result of the call. Further members of objects are ignored. */
  readonly answer: object | null;
}

export const zone = { zone_id: zoneId };
export const account = { account_id: shieldSeed.account_id };

/** The account's entry point of the phase, which deploys the same as the zone's. */
export const root = { ...storedWaf, id: "66666666666666666666666666666666", kind: "root" };

/** One object of each kind. */
export const everything = {
  ...shieldSeed,
  account_rulesets: [...managedRulesets, root],
  zones: {
    "shop.example": {
      ...shieldSeed.zones["shop.example"],
      logpush_jobs: [storedJob],
      rulesets: [storedWaf],
    },
  },
} satisfies Seed;

/** An emulator in the service dialect, and the SDK as its client. */
export async function connect(options: EmulatorOptions = {}): Promise<{ emulator: Emulator; sdk: Sdk }> {
  const emulator = await start({ seed: everything, ...options });
  return { emulator, sdk: await clientOf(emulator, { apiToken: emulator.token }) };
}

export interface Credentials {
  readonly apiToken?: string;
  readonly apiEmail?: string;
  readonly apiKey?: string;
}

export async function clientOf(emulator: Emulator, credentials: Credentials): Promise<Sdk> {
  const { default: Cloudflare } = await loadSdk();
  const none = { apiToken: null, apiEmail: null, apiKey: null };
  return new Cloudflare({ ...none, ...credentials, baseURL: emulator.url, maxRetries: 0 });
}

/** All items of a list, on all pages, through the SDK's iterators. */
export async function all<T>(list: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}
