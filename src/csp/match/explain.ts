import type { Directive } from "../parse.js";
import type { PolicyDecision, Verdict } from "./allows.js";
import { type Attempt, type Load, prepare, type Step } from "./attempt.js";
import { type CompiledPolicy, compile, type SourceList } from "./compile.js";
import { EFFECTIVE } from "./fallback.js";
import { mistakeNotes } from "./mistake-notes.js";
import { nearMisses } from "./near-miss.js";

/** Why a verdict is what it is, in full sentences: the verdict first, then what a person may have overlooked. */
export function explain(attempt: Attempt, verdict: Verdict): readonly string[] {
  const load = prepare(attempt);
  if (load.steps === null) return [`${notUrl(attempt, load)} is no URL, so nothing is loaded.`];
  const csp = compile(attempt.csp);
  const deciding = csp.policies.flatMap((policy, index) => {
    const decision = verdict.policies[index];
    return decision === undefined ? [] : [{ policy, decision, number: index + 1 }];
  });
  const told = verdict.allowed ? deciding : deciding.filter(({ decision }) => !decision.allowed);
  const start = `${subject(attempt)} is ${verdict.allowed ? "allowed" : "refused"}`;
  if (told.length === 0) return [`${start}: the value has no directive.`];
  return [
    ...told.map(({ policy, decision, number }) => {
      const where = deciding.length === 1 ? "" : ` by policy ${number}`;
      return `${start}${where}: ${reason(attempt, policy, decision)}`;
    }),
    ...upgradeNotes(csp.upgradesInsecure, load.steps),
    ...mistakeNotes(
      attempt.csp,
      told.flatMap(({ policy, decision }) => refusing(policy, decision, load)),
    ),
    ...told.flatMap(({ policy, decision }) => missNotes(policy, decision, load, csp.upgradesInsecure)),
  ];
}

function notUrl({ url, redirectedTo }: Attempt, load: Load): string {
  const first = redirectedTo === undefined ? null : prepare({ page: "", kind: load.kind, url }).steps;
  return JSON.stringify(first === null ? url : redirectedTo);
}

function subject({ kind, url, redirectedTo }: Attempt): string {
  const what = kind === "script" ? `The script ${url}` : `The connection to ${url}`;
  return redirectedTo === undefined ? what : `${what}, which is redirected to ${redirectedTo},`;
}

function reason(attempt: Attempt, policy: CompiledPolicy, decision: PolicyDecision): string {
  const directive = directiveName(attempt, decision);
  switch (decision.why) {
    case "source":
      return `${directive} has ${decision.source?.text ?? "a source"}, which ${how(decision)}.`;
    case "not_restricted":
      return `no directive restricts ${attempt.kind}s.`;
    case "none":
      return `${directive} allows no URL.`;
    case "no_source_matches": {
      const which = attempt.redirectedTo === undefined ? "" : ` ${decision.url}`;
      return `${directive} lists ${listed(policy.deciding[attempt.kind])}; none matches${which}.`;
    }
    case "strict_dynamic":
      return (
        `${directive} has 'strict-dynamic', so that its hosts and schemes do not count. ` +
        "A script needs a nonce or a hash that is listed, or has to be inserted by a script."
      );
    case "not_a_url":
      return `${decision.url} is no URL.`;
  }
}

/** `default-src (in place of script-src)`: what falls back is what people look for. */
function directiveName({ kind }: Attempt, { directive }: PolicyDecision): string {
  const usual = kind === "script" ? "script-src" : "connect-src";
  if (directive === null || directive === usual || directive === EFFECTIVE[kind]) return directive ?? "";
  return `${directive} (by fallback, as there is no ${usual})`;
}

function how({ source }: PolicyDecision): string {
  const text = source?.text.toLowerCase() ?? "";
  if (text === "'strict-dynamic'") return "trusts what a script inserts";
  if (text.startsWith("'nonce-")) return "is the nonce of the element";
  if (text.startsWith("'sha")) return "is the hash that the element asks for";
  return "matches";
}

/** A few are enough: a list can have thousands. */
function listed(list: SourceList | null): string {
  const sources = list?.directive.sources ?? [];
  const shown = sources.slice(0, MOST_LISTED).map(({ text }) => text);
  const more = sources.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const MOST_LISTED = 8;

function upgradeNotes(upgradesInsecure: boolean, steps: readonly Step[]): readonly string[] {
  const isUpgraded = upgradesInsecure && steps.some(({ target, upgraded }) => target !== upgraded);
  return isUpgraded ? ["Under upgrade-insecure-requests it is judged as https: or wss:."] : [];
}

function refusing(
  { deciding }: CompiledPolicy,
  { allowed }: PolicyDecision,
  { kind }: Load,
): readonly Directive[] {
  const directive = deciding[kind]?.directive;
  return allowed || directive === undefined ? [] : [directive];
}

function missNotes(
  policy: CompiledPolicy,
  decision: PolicyDecision,
  load: Load,
  upgradesInsecure: boolean,
): readonly string[] {
  const list = policy.deciding[load.kind];
  const step = load.steps?.find(({ url }) => url === decision.url);
  if (decision.allowed || list === null || step === undefined) return [];
  return nearMisses(list, load, upgradesInsecure ? step.upgraded : step.target, step.afterRedirect);
}
