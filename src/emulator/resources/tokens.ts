import type { Permissions } from "../../model/permissions.js";
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

/** The permissions that a call needs: one of these. Empty: any token may make it. */
type Needs = (call: Call, world: World) => readonly Permissions[];

/**
 * Routes that check the token's permissions.
 *
 * @param permissions all permissions that their calls may need
 * @param needs those that a call needs. Absent: all calls need the same
 */
export function permitted(
  routes: readonly Route[],
  permissions: readonly Permissions[],
  refusal: Answer = DENIED,
  needs: Needs = () => permissions,
): readonly Route[] {
  return routes.map((route) => ({
    ...route,
    permissions,
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
