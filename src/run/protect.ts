import type { Client } from "../api/client.js";
import { declaredIn } from "../config/declared.js";
import { kinds } from "../kinds/index.js";
import { declaredSecrets } from "../kinds/sensitive.js";
import type { WantedZone } from "../model/wanted.js";

/**
 * Keeps the secrets that a zone's files declare out of every message, whether or not this run sends them: the service
 * may have them from an earlier one.
 */
export function protectDeclared(zone: WantedZone, client: Pick<Client, "protect">): void {
  client.protect(kinds.flatMap((kind) => declaredSecrets(kind, declaredIn(kind, zone.sections), zone)));
}
