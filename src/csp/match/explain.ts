import { firstFew } from "../../model/cut.js";
import { check } from "../check.js";
import { BROWSER_DIRECTIVES, EFFECTIVE, SERVICE_DIRECTIVES } from "../directives.js";
import { type Directive, parsedCsp, withoutNewerHashes } from "../syntax.js";
import {
  type Attempt,
  allows,
  type CompiledPolicy,
  compile,
  type Load,
  type PolicyDecision,
  prepare,
  requireAttempt,
  type SourceList,
  type Step,
  type Verdict,
} from "./allows.js";
import {
  defaultPort,
  matchesHost,
  matchesPath,
  matchesSchemeAndPort,
  type Origin,
  schemeMatch,
  type Target,
  type UrlSource,
} from "./match-source.js";

/** The reasons for a verdict in full sentences: the verdict first, then likely oversights. */
export function explain(attempt: Attempt, verdict: Verdict): readonly string[] {
  requireAttempt(attempt);
  const load = prepare(attempt);
  if (load.steps === null) return [`${notUrl(attempt, load)} is no URL, so nothing is loaded.`];
  const csp = compile(attempt.csp);
  const deciding = csp.policies.flatMap((policy, index) => {
    const decision = verdict.policies[index];
    return decision === undefined ? [] : [{ policy, decision, number: index + 1 }];
  });
  const decisive = deciding.filter(({ decision }) => decision.allowed === verdict.allowed);
  const start = `${subject(attempt)} is ${OUTCOMES[`${verdict.allowed}`]}`;
  if (decisive.length === 0) return [`${start}: the value has no directive.`];
  return [
    ...decisive.map(({ policy, decision, number }) => {
      const where = deciding.length === 1 ? "" : ` by policy ${number}`;
      return `${start}${where}: ${reason(attempt, policy, decision)}`;
    }),
    ...upgradeNotes(csp.upgradesInsecure, load.steps),
    ...olderNotes(attempt, verdict),
    ...mistakeNotes(
      attempt.csp,
      decisive.flatMap(({ policy, decision }) => refusingDirectives(policy, decision, load)),
    ),
    ...decisive.flatMap(({ policy, decision }) => missNotes(policy, decision, load, csp.upgradesInsecure)),
  ];
}

const OUTCOMES = { true: "allowed", false: "refused", unknown: "undecided" } as const;

/** Browsers without support for hashes of URLs decide otherwise. */
function olderNotes(attempt: Attempt, { allowed }: Verdict): readonly string[] {
  const csp = withoutNewerHashes(attempt.csp);
  const isSame = csp === attempt.csp || allows({ ...attempt, csp }).allowed === allowed;
  return isSame ? [] : ["Browsers that do not know hashes of URLs heed the hosts, and decide otherwise."];
}

function notUrl({ url, redirectedTo }: Attempt, load: Load): string {
  const first = redirectedTo === undefined ? null : prepare({ page: "", kind: load.kind, url }).steps;
  return JSON.stringify(first === null ? url : redirectedTo);
}

function subject({ kind, url, redirectedTo }: Attempt): string {
  const load = kind === "script" ? `The script ${url}` : `The connection to ${url}`;
  return redirectedTo === undefined ? load : `${load}, which is redirected to ${redirectedTo},`;
}

function reason(attempt: Attempt, policy: CompiledPolicy, decision: PolicyDecision): string {
  const directive = directiveName(attempt, decision);
  switch (decision.why) {
    case "source":
      return `${directive} has ${decision.source?.text ?? "a source"}, which ${matchWords(decision)}.`;
    case "not_restricted":
      return `no directive restricts ${attempt.kind}s.`;
    case "none":
      return `${directive} allows no URL.`;
    case "no_source_matches": {
      const which = attempt.redirectedTo === undefined ? "" : ` ${decision.url}`;
      return `${directive} lists ${sourceWords(policy.deciding[attempt.kind])}; none matches${which}.`;
    }
    case "strict_dynamic":
      return (
        `${directive} has 'strict-dynamic', so that its hosts and schemes do not count. ` +
        "A script needs a nonce or a hash that is listed, or has to be inserted by a script."
      );
    case "url_hash":
      return `${directive} has ${urlHashOf(policy.deciding[attempt.kind])}, so that its hosts, schemes and 'self' do not count.`;
    case "depends_on_api":
      return `${directive} refuses its URL as it stands, which counts for fetch and sendBeacon, and allows the upgraded one, which is all that counts for XMLHttpRequest, EventSource and ping.`;
    case "not_a_url":
      return `${decision.url} is no URL.`;
  }
}

function urlHashOf(list: SourceList | null): string {
  const [first] = list?.urlHashes.values() ?? [];
  return first?.text ?? "a hash of a URL";
}

/** `default-src (in place of script-src)`: readers look for the directive that falls back. */
function directiveName({ kind }: Attempt, { directive }: PolicyDecision): string {
  const usual = kind === "script" ? "script-src" : "connect-src";
  if (directive === null || directive === usual || directive === EFFECTIVE[kind]) return directive ?? "";
  return `${directive} (by fallback, as there is no ${usual})`;
}

function matchWords({ source }: PolicyDecision): string {
  const text = source?.text.toLowerCase() ?? "";
  if (text === "'strict-dynamic'") return "trusts what a script inserts";
  if (text.startsWith("'nonce-")) return "is the nonce of the element";
  if (text.startsWith("'sha")) return "is the hash that the element asks for";
  return "matches";
}

/** A list can have thousands of sources. */
function sourceWords(list: SourceList | null): string {
  return firstFew(list?.directive.sources ?? [], MOST_LISTED, ({ text }) => text);
}

const MOST_LISTED = 8;

function upgradeNotes(upgradesInsecure: boolean, steps: readonly Step[]): readonly string[] {
  const isUpgraded = upgradesInsecure && steps.some(({ target, upgraded }) => target !== upgraded);
  return isUpgraded ? ["Under upgrade-insecure-requests it is judged as https: or wss:."] : [];
}

function refusingDirectives(
  { deciding }: CompiledPolicy,
  { allowed }: PolicyDecision,
  { kind }: Load,
): readonly Directive[] {
  const directive = deciding[kind]?.directive;
  return allowed === true || directive === undefined ? [] : [directive];
}

function missNotes(
  policy: CompiledPolicy,
  decision: PolicyDecision,
  load: Load,
  upgradesInsecure: boolean,
): readonly string[] {
  const list = policy.deciding[load.kind];
  const step = load.steps?.find(({ url }) => url === decision.url);
  if (decision.allowed !== false || list === null || step === undefined) return [];
  return nearMisses(list, load, upgradesInsecure ? step.upgraded : step.target, step.afterRedirect);
}

/** The sources that nearly allowed a refused load, as sentences. */
function nearMisses(list: SourceList, load: Load, target: Target, afterRedirect: boolean): readonly string[] {
  const notes = load.kind === "script" ? trustNotes(list, load) : [];
  const isVoid = load.kind === "script" && list.keywords.has("'strict-dynamic'");
  if (isVoid) return notes;
  if (list.self !== null && load.page === null)
    notes.push("'self' matches nothing, as the page has no origin.");
  if (list.self !== null && load.page?.host === target.host && target.host !== "") {
    notes.push("'self' differs in scheme or port.");
  }
  for (const source of list.urls) {
    if (notes.length >= MOST_MISSES) break;
    const miss = nearMiss(source, load.page, target, afterRedirect);
    if (miss !== null) notes.push(`${source.written.text} ${miss}.`);
  }
  return notes;
}

const MOST_MISSES = 3;

function trustNotes(list: SourceList, { nonce, hashes }: Load): string[] {
  return [
    ...(nonce !== null && list.nonces.size > 0 ? ["Its nonce is not among the directive's nonces."] : []),
    ...(hashes.length > 0 && list.hashes.size > 0
      ? ["The directive does not list every hash of its integrity attribute."]
      : []),
  ];
}

function nearMiss(
  source: UrlSource,
  page: Origin | null,
  target: Target,
  afterRedirect: boolean,
): string | null {
  const pageScheme = page?.scheme ?? null;
  if (source.host === null) {
    const isSocket = target.scheme === "ws" || target.scheme === "wss";
    return isSocket && source.scheme?.startsWith("http")
      ? `does not match ${target.scheme}:, which is a scheme of its own`
      : null;
  }
  const differs = {
    host: !matchesHost(source.host, target.host),
    origin: !matchesSchemeAndPort(source, pageScheme, target),
    path: !afterRedirect && !matchesPath(source.path, target.path),
  };
  if (differs.host) return differs.origin || differs.path ? null : hostMiss(source, target);
  if (source.host.match === "any" && source.path === "" && differs.origin)
    return originMiss(source, pageScheme, target);
  if (differs.origin && differs.path) return null;
  return differs.origin ? originMiss(source, pageScheme, target) : pathMiss(source);
}

function hostMiss({ host }: UrlSource, target: Target): string | null {
  if (host === null) return null;
  if (host.match === "subdomains" && host.text === `.${target.host}`) {
    return `matches only what stands before that host, not ${target.host} itself`;
  }
  if (host.match === "exact" && target.host.endsWith(`.${host.text}`)) return "does not match its subdomains";
  const isDotted = host.text === `${target.host}.` || target.host === `${host.text}.`;
  return host.match === "exact" && isDotted ? "is another host: one of them ends in a dot" : null;
}

function originMiss(source: UrlSource, pageScheme: string | null, target: Target): string {
  const scheme = source.scheme ?? pageScheme;
  if (scheme === null) return "has no scheme, and the page has none to give it";
  if (schemeMatch(scheme, target.scheme) === "no") return `is for ${scheme}: and not for ${target.scheme}:`;
  const port = source.port ?? defaultPort(scheme);
  return `is for port ${port}, and the URL has ${target.port ?? defaultPort(target.scheme)}`;
}

function pathMiss({ path }: UrlSource): string {
  return path.endsWith("/") ? `is for paths below ${path}` : `is for the path ${path} alone`;
}

/** Mistakes that explain a refusal: errors of the value, and findings in the refusing directives. */
function mistakeNotes(csp: string, refusing: readonly Directive[]): readonly string[] {
  const isInRefusing = (at: number) => refusing.some(({ start, end }) => start <= at && at < end);
  const findings = check(csp, KNOWN_DIRECTIVES).filter(({ severity, code, start }) => {
    if (code === "csp_comma") return !areCommasIntended(csp);
    return severity === "error" || (isInRefusing(start) && code !== "csp_no_sources");
  });
  return [...new Set(findings.map(({ message }) => message))].slice(0, MOST_MISTAKES);
}

/** Whether the commas are intended: every policy begins with the name of a directive. */
function areCommasIntended(csp: string): boolean {
  return parsedCsp(csp).policies.every(
    ({ directives: [first] }) => first !== undefined && KNOWN_DIRECTIVES.has(first.name),
  );
}

/** A directive that only the service does not know still works in browsers. */
const KNOWN_DIRECTIVES: ReadonlySet<string> = new Set([...SERVICE_DIRECTIVES, ...BROWSER_DIRECTIVES]);

const MOST_MISTAKES = 3;
