import { zones } from "../zones.js";
import { detections } from "./detections.js";
import { logpush } from "./logpush/index.js";
import { policies } from "./policies.js";
import type { Route } from "./resource.js";
import { rulesets } from "./rulesets/index.js";
import { settings } from "./settings.js";

/** Every endpoint: one line a kind. */
export const routes: readonly Route[] = [
  ...zones, //
  ...settings,
  ...policies,
  ...rulesets,
  ...logpush,
  ...detections,
];
