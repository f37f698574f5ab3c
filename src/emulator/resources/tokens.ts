import { type Answer, result } from "../answer.js";
import { idOf } from "../ids.js";
import { inAccount, type Route } from "./resource.js";

/** Whoever gets here has the token that is asked about. The form is that of the service's documentation. */
export const tokens: readonly Route[] = [
  { method: "GET", path: "/user/tokens/verify", answer: isActive },
  inAccount("GET", "/tokens/verify", isActive),
];

function isActive(): Answer {
  return result({ id: idOf("token"), status: "active" });
}
