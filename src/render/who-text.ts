import type { Attribution as Who } from "../plan/generated/plan-document.js";

/**
 * Who changed a live object: `by alice@example.com in the dashboard, 2026-11-20 14:02 UTC`; not escaped. Null: the audit
 * log was not read.
 */
export function whoText(who: Who | undefined): string | null {
  if (who === undefined) return null;
  const all = who.by.map(actorText);
  if (who.found === "named") return `by ${all.join("; ")}`;
  if (all.length === 0) return "not in the audit log (which may lag, and keeps 30 days)";
  return all.length === 1 ? `last logged change by ${all[0]}` : `by one of: ${all.join("; ")}`;
}

/** Times differ between zones, so folding compares attributions without them. */
export function timeless({ found, by }: Who): Who {
  return { found, by: by.map((each) => ({ ...each, time: null })) };
}

function actorText({ who, through, time }: Who["by"][number]): string {
  const when =
    time === null ? "" : `, ${time.slice(0, DAY_CHARS)} ${time.slice(DAY_CHARS + 1, MINUTE_CHARS)} UTC`;
  return `${who}${THROUGH[through]}${when}`;
}

const DAY_CHARS = 10;
const MINUTE_CHARS = 16;

/** Any client can call itself zoneward. */
const THROUGH = { dashboard: " in the dashboard", api: "", zoneward: ", calling itself zoneward" } as const;
