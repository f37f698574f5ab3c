import { allOf, failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { USER_AGENT } from "../model/read-api.js";
import { type NamedOption, says } from "../model/sentence.js";
import { readUrl } from "../model/url.js";
import type { Proxies } from "./proxy.js";

export type Credential =
  | { readonly as: "token"; readonly token: string }
  | { readonly as: "key"; readonly email: string; readonly key: string };

/** At most this many requests in any window of this length. */
export interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/** How to talk to the service. Every value is checked. */
export interface Connection {
  /** Without a slash at the end: the paths of calls are appended. */
  readonly baseUrl: string;
  readonly credential: Credential;
  readonly concurrency: number;
  /** All of them hold. The first is what `--rate-limit` sets. Empty: no limit. */
  readonly rates: readonly Rate[];
  /** For one request, from connecting to the end of the answer. */
  readonly timeoutMs: number;
  /** The longest pause that the service may ask for. */
  readonly maxWaitMs: number;
  readonly maxBodyBytes: number;
  readonly userAgent: string;
  /** Added to the default headers, or replacing them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly proxy?: Proxies;
}

export interface ConnectFlags {
  readonly baseUrl?: string | undefined;
  readonly concurrency?: number | undefined;
  /** `N/SECONDS` or `off`. */
  readonly rateLimit?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly maxWaitSeconds?: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The documented limit is 1,200 requests in five minutes for a user, with the dashboard and other runs in it;
 * this leaves them a fifth.
 */
const DEFAULT_RATE: Rate = { requests: 960, perMs: 300_000 };

/** The documented limit is 200 requests a second for an address. */
const A_SECOND: Rate = { requests: 180, perMs: 1000 };

/** A connection from flags and environment, or everything wrong with them. Problems never repeat a value. */
export function connectionFrom(flags: ConnectFlags, env: Environment): Result<Connection> {
  const address = baseUrlFrom(flags.baseUrl, env);
  const settings = allOf([
    address,
    credentialFrom(env),
    numberFrom(CONCURRENCY, flags.concurrency),
    ratesFrom(flags.rateLimit),
    numberFrom(TIMEOUT, flags.timeoutSeconds),
    numberFrom(MAX_WAIT, flags.maxWaitSeconds),
    address.ok ? proxyFrom(address.value, env) : ok(null),
  ]);
  if (!settings.ok) return settings;
  const [baseUrl, credential, concurrency, rates, timeout, maxWait, proxy] = settings.value;
  return ok({
    baseUrl,
    credential,
    concurrency,
    rates,
    timeoutMs: timeout * 1000,
    maxWaitMs: maxWait * 1000,
    maxBodyBytes: 16 * 1024 * 1024,
    userAgent: USER_AGENT,
    ...(proxy === null ? {} : { proxy }),
  });
}

function credentialFrom(env: Environment): Result<Credential> {
  const token = env.CLOUDFLARE_API_TOKEN ?? "";
  if (token !== "") return sendable({ CLOUDFLARE_API_TOKEN: token }, { as: "token", token });
  const email = env.CLOUDFLARE_EMAIL ?? "";
  const key = env.CLOUDFLARE_API_KEY ?? "";
  if (email === "" && key === "") return failed(noCredential());
  if (email === "") return failed(halfCredential("CLOUDFLARE_API_KEY", "CLOUDFLARE_EMAIL"));
  if (key === "") return failed(halfCredential("CLOUDFLARE_EMAIL", "CLOUDFLARE_API_KEY"));
  return sendable({ CLOUDFLARE_EMAIL: email, CLOUDFLARE_API_KEY: key }, { as: "key", email, key });
}

/** A header holds printable ASCII. Spaces and line ends mostly come from copying or from reading a file. */
function sendable(variables: Readonly<Record<string, string>>, credential: Credential): Result<Credential> {
  const bad = Object.entries(variables).filter(([, value]) => !/^[\x21-\x7e]{1,4096}$/.test(value));
  if (bad.length === 0) return ok(credential);
  return failed(
    ...bad.map(([name]) => problem("bad_credential", "Credential cannot be sent", unsendable(name))),
  );
}

function unsendable(name: string): string {
  return `${name} has a space, a line end, another character that an HTTP header cannot hold, or is too long. Set it to the bare value, without "Bearer" and without a line end.`;
}

function noCredential(): Problem {
  return problem(
    "no_credential",
    "No credential set",
    says`${TOKEN} CLOUDFLARE_API_TOKEN to an API token, or CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY to an account's email and global key.${DEMO}`,
  );
}

const TOKEN: NamedOption = { flag: "api-token", isAdvice: true, tail: ", or set", otherwise: "Set" };
const DEMO: NamedOption = { command: "demo", lead: " `", tail: "` needs none." };

function halfCredential(set: string, missing: string): Problem {
  return problem(
    "incomplete_credential",
    "Credential is incomplete",
    `${set} is set and ${missing} is not. Set both, or CLOUDFLARE_API_TOKEN instead.`,
  );
}

function baseUrlFrom(flag: string | undefined, env: Environment): Result<string> {
  const fromEnv = env.CLOUDFLARE_BASE_URL ?? "";
  if (flag !== undefined) return checkBaseUrl(flag, "--base-url");
  if (fromEnv !== "") return checkBaseUrl(fromEnv, "CLOUDFLARE_BASE_URL");
  return ok("https://api.cloudflare.com/client/v4");
}

export function checkBaseUrl(text: string, source: string): Result<string> {
  const url = readUrl(text);
  const wrong = wrongWithBase(text, url);
  if (url === null || wrong !== null) {
    return failed(problem("bad_base_url", "Base address cannot be used", `${source} ${wrong}`));
  }
  return ok(url.origin + url.pathname.replace(/\/+$/, ""));
}

function wrongWithBase(text: string, url: URL | null): string | null {
  if (url === null) return "is not a URL. Use the form https://api.cloudflare.com/client/v4.";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must start with https://.";
  if (url.username !== "" || url.password !== "")
    return "has a user name or password. Set the credential in the environment instead.";
  if (/[?#]/.test(text))
    return "has a query or a fragment. Paths are appended to it, so it must end in a path.";
  if (url.protocol === "http:" && !isLoopback(url)) {
    return "is plain http, which would expose the credential. Use https; only a loopback address may be http.";
  }
  return null;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

interface NumberFlag {
  readonly flag: string;
  readonly byDefault: number;
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
}

const CONCURRENCY: NumberFlag = { flag: "concurrency", byDefault: 10, least: 1, most: 64, whole: true };
const TIMEOUT: NumberFlag = { flag: "timeout", byDefault: 30, least: 0.001, most: 3600, whole: false };
/** A little more than the five minutes for which the service blocks a user over the limit. */
const MAX_WAIT: NumberFlag = { flag: "max-wait", byDefault: 330, least: 0, most: 86_400, whole: false };

function numberFrom({ flag, byDefault, least, most, whole }: NumberFlag, value = byDefault): Result<number> {
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return ok(value);
  const detail = `--${flag} is ${value}. It takes a ${whole ? "whole " : ""}number from ${least} to ${most}.`;
  return failed(problem("bad_flag", "Flag out of range", detail));
}

function ratesFrom(text: string | undefined): Result<readonly Rate[]> {
  if (text === undefined) return ok([DEFAULT_RATE, A_SECOND]);
  if (text === "off") return ok([]);
  const [, requests, seconds] = /^(\d{1,6})\/(\d{1,6}(?:\.\d{1,3})?)$/.exec(text) ?? [];
  const rate = { requests: Number(requests), perMs: Number(seconds) * 1000 };
  if (rate.requests >= 1 && rate.requests <= 100_000 && rate.perMs >= 1 && rate.perMs <= 86_400_000)
    return ok([rate, A_SECOND]);
  const detail =
    "--rate-limit takes REQUESTS/SECONDS, such as 960/300, with 1 to 100000 requests in up to 86400 seconds; or off.";
  return failed(problem("bad_flag", "Flag out of range", detail));
}

/** Lower-case variables win over upper-case ones. A loopback address is always reached directly. */
export function proxyFrom(baseUrl: string, env: Environment): Result<Proxies | null> {
  const http = env.http_proxy ?? env.HTTP_PROXY ?? "";
  const https = env.https_proxy ?? env.HTTPS_PROXY ?? "";
  if ((http === "" && https === "") || isLoopback(new URL(baseUrl))) return ok(null);
  const proxy = {
    http: withScheme(http),
    https: withScheme(https),
    except: env.no_proxy ?? env.NO_PROXY ?? "",
  };
  if ([proxy.http, proxy.https].every((each) => each === "" || isHttpUrl(each))) return ok(proxy);
  const detail =
    "HTTPS_PROXY or HTTP_PROXY is not the address of an HTTP proxy, such as http://proxy.example:3128.";
  return failed(problem("bad_proxy", "Proxy address cannot be used", detail));
}

function withScheme(address: string): string {
  return address === "" || address.includes("://") ? address : `http://${address}`;
}

function isHttpUrl(text: string): boolean {
  const url = readUrl(text);
  if (url === null) return false;
  const { protocol, username, password } = url;
  return /^https?:$/.test(protocol) && canDecode(username + password);
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
