import type { SdkCall } from "../sdk-call.js";
import { logpush } from "./logpush.js";
import { pageShield } from "./page-shield.js";
import { rulesets } from "./rulesets.js";
import { zones } from "./zones.js";

/** At least one call of every endpoint of the emulator. */
export const calls: readonly SdkCall[] = [...zones, ...pageShield, ...rulesets, ...logpush];
