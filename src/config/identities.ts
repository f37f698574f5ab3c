import type { Kind } from "../kinds/kind.js";
import type { Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { quoted } from "./quoted.js";

/** Ids and former names: each may lead to one live object only. */
export function checkIdentities(
  kind: Kind,
  declared: readonly Declared[],
  body: Pick<WantedZone, "locate">,
): readonly Problem[] {
  if (kind.shape.as !== "list") return [];
  const { named } = kind.shape;
  const names = new Set(declared.map((each) => each.body[named]));
  const pins = new Map<string, string>();
  const formers = new Map<string, string>();
  return declared.flatMap((each): readonly Problem[] => {
    const { id, renamed_from: former, [named]: name } = each.body;
    if (typeof name !== "string") return [];
    const found = [
      // Ids are text at some endpoints and numbers at others.
      ...(typeof id === "string" || typeof id === "number" ? checkPin(String(id), name, pins) : []),
      ...(typeof former === "string" ? checkFormerName(former, name, names, formers) : []),
    ];
    return found.map(({ key, ...rest }) => ({
      ...rest,
      severity: "error",
      at: body.locate([...each.path, key]),
    }));
  });
}

interface Wrong {
  readonly key: string;
  readonly code: string;
  readonly summary: string;
  readonly detail: string;
}

function checkPin(id: string, name: string, pins: Map<string, string>): readonly Wrong[] {
  if (!isHex(id)) return [{ key: "id", code: "bad_id", summary: "Not an id", detail: notAnId(id) }];
  const other = pins.get(id.toLowerCase());
  pins.set(id.toLowerCase(), other ?? name);
  if (other === undefined) return [];
  const detail = `${quoted(other)} has the same id. Each id is one live object: give it to one of them only.`;
  return [{ key: "id", code: "duplicate_id", summary: "An id given twice", detail }];
}

function checkFormerName(
  former: string,
  name: string,
  names: ReadonlySet<Json | undefined>,
  formers: Map<string, string>,
): readonly Wrong[] {
  const other = formers.get(former);
  formers.set(former, other ?? name);
  const detail = formerAdvice(former, name, names.has(former), other);
  return detail === null
    ? []
    : [{ key: "renamed_from", code: "bad_rename", summary: "A former name that cannot be used", detail }];
}

function formerAdvice(
  former: string,
  name: string,
  isDeclared: boolean,
  other: string | undefined,
): string | null {
  if (former === name) return "This is the present name too. Remove renamed_from.";
  if (isDeclared) {
    return `${quoted(former)} is also declared here, so what is live under that name stays that. Remove renamed_from, or the other entry.`;
  }
  if (other === undefined) return null;
  return `${quoted(other)} was renamed from ${quoted(former)} too, and only one can have been. Keep one of the two.`;
}

export function notAnId(id: string): string {
  return `${quoted(id)} is not an id: ids are hexadecimal, 32 digits at Cloudflare. Copy it from the dashboard, or remove it.`;
}

/** The interface says hexadecimal and no length; at Cloudflare it is 32 digits. */
export function isHex(text: string): boolean {
  return /^[0-9a-f]{1,64}$/i.test(text);
}
