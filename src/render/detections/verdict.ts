import type { Reason, Verdict } from "../../model/detection.js";

/** `yes: score below 50, domain reported (Malware)`, not yet made harmless. */
export function verdictText({ malicious, reasons, categories }: Verdict, scoreBelow: number): string {
  if (malicious === null) return "unknown";
  if (!malicious) return "no";
  const named = categories.length === 0 ? "" : ` (${categories.join(", ")})`;
  return `yes: ${reasons.map((each) => reasonText(each, scoreBelow)).join(", ")}${named}`;
}

function reasonText(reason: Reason, scoreBelow: number): string {
  switch (reason) {
    case "score_below_threshold":
      return `score below ${scoreBelow}`;
    case "domain_reported":
      return "domain reported";
    case "url_reported":
      return "URL reported";
  }
}
