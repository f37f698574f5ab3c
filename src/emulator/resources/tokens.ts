import {
  ACCOUNT_SETTINGS,
  LOGPUSH,
  LOGS,
  PAGE_SHIELD,
  type Permissions,
  ZONE_READ,
  ZONE_WAF,
} from "../../model/permissions.js";
import { type Answer, apiError, failure, result } from "../answer.js";
import { idOf } from "../ids.js";
import { type Call, inAccount, type Route, type World } from "./resource.js";

/** Authentication came first, so the token is valid. The form is that of the service's documentation. */
export const tokens: readonly Route[] = [
  { method: "GET", path: "/user/tokens/verify", answer: isActive },
  inAccount("GET", "/tokens/verify", isActive),
];

function isActive(): Answer {
  return result({ id: idOf("token"), status: "active" });
}

/** Every permission group that an endpoint needs here. */
export const permissionGroups: readonly string[] = [
  ...new Set([
    ZONE_READ,
    ...[PAGE_SHIELD, ZONE_WAF, LOGS, LOGPUSH, ACCOUNT_SETTINGS].flatMap(({ read, write }) => [read, write]),
    ZONE_WAF.account,
  ]),
];

/** Errors for unknown permission groups. */
export function unknownGroups(without: readonly string[]): readonly string[] {
  const unknown = without.filter((each) => !permissionGroups.includes(each));
  return unknown.map(
    (each) =>
      `Unknown permission group ${JSON.stringify(each)}. Known groups: ${permissionGroups.join(", ")}.`,
  );
}

/** A call needs one of these; empty: any token may make it. */
type Needs = (call: Call, world: World) => readonly Permissions[];

/** Routes that check the token's permissions. */
export function permitted(
  routes: readonly Route[],
  needs: Needs,
  refusal: Answer = DENIED,
): readonly Route[] {
  return routes.map((route) => ({
    ...route,
    answer(call, world) {
      const needed = needs(call, world);
      const isDenied = needed.length > 0 && needed.every((each) => lacks(world, each, route.method));
      return isDenied ? refusal : route.answer(call, world);
    },
  }));
}

/** The documentation: write permission includes read permission. So a token that cannot read has neither. */
function lacks({ without }: World, { read, write }: Permissions, method: Route["method"]): boolean {
  return without.has(read) || (method !== "GET" && without.has(write));
}

/** Users see this code and text for a missing permission and for a wrong token. */
const DENIED = failure(403, apiError("Authentication error", 10000));
