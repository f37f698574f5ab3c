import { hash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { allows } from "../csp/match/allows.js";
import { makeFolder } from "../disk/files.js";
import type { Seed, ZoneSeed } from "../emulator/index.js";
import { evaluate } from "../expression/evaluate/evaluate.js";
import { requestOf } from "../expression/evaluate/request.js";
import { dayOf } from "../model/day.js";
import { type JsonObject, textsIn } from "../model/json.js";
import { jsonLine } from "../model/json-text.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { readUrl } from "../model/url.js";

const DAYS = 14;
const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

/** One log file as the service writes them: a batch of lines of one dataset. */
interface LogFile {
  /** `shop.example.com/page_shield_events/20261101/20261101T000000Z_20261101T235959Z_1a2b3c4d.log.gz` */
  readonly file: string;
  readonly lines: readonly JsonObject[];
}

/**
 * Writes logs of the days before `now`, as log-push jobs would: requests, and reports of loads that the zones' policies
 * do not allow, some of them caused by browser extensions. Everything is made up, and is the same for the same zones
 * and day.
 *
 * @returns the number of files
 */
export async function writeLogs(folder: string, seed: Seed, now: Date): Promise<Result<number>> {
  try {
    makeFolder(folder);
    if ((await readdir(folder)).length > 0)
      return failed(notWritten(`${folder} is not empty. Name an empty or a new folder.`));
    const files = logFiles(seed, now);
    for (const { file, lines } of files) {
      const place = path.join(folder, file);
      makeFolder(path.dirname(place));
      await writeFile(place, gzipSync(lines.map(jsonLine).join("")));
    }
    return ok(files.length);
  } catch (error) {
    const { message } = error as NodeJS.ErrnoException; // node:fs throws errors
    return failed(notWritten(message));
  }
}

function notWritten(detail: string): Problem {
  return problem("not_written", "The logs cannot be written", detail);
}

function logFiles(seed: Seed, now: Date): readonly LogFile[] {
  const today = Date.parse(dayOf(now.getTime()));
  const days = Array.from({ length: DAYS }, (_, index) => today - (DAYS - index) * DAY_MS);
  return Object.entries(seed.zones).flatMap(([zone, body]) =>
    days.flatMap((day) =>
      [
        { dataset: "page_shield_events", lines: eventsOf(zone, body, day) },
        { dataset: "http_requests", lines: requestsOf(zone, day) },
      ].flatMap(({ dataset, lines }) =>
        lines.length === 0 ? [] : [{ file: fileOf(zone, dataset, day), lines }],
      ),
    ),
  );
}

function fileOf(zone: string, dataset: string, day: number): string {
  const date = dayOf(day).replaceAll("-", "");
  const part = numberOf("file", zone, dataset, day).toString(16).padStart(8, "0");
  // A seed may give a zone any name.
  const folder = zone.replace(/[^a-z0-9.-]/gi, "_").replace(/^\.+/, "_");
  return [folder, dataset, date, `${date}T000000Z_${date}T235959Z_${part}.log.gz`].join("/");
}

/** 0 to 2³² − 1, the same for the same words. */
function numberOf(...words: readonly (string | number)[]): number {
  return hash("sha256", JSON.stringify(words), "buffer").readUInt32BE(0);
}

function pick<T>(from: readonly [T, ...T[]], ...words: readonly (string | number)[]): T {
  return from[numberOf(...words) % from.length] ?? from[0];
}

interface Load {
  readonly kind: "script" | "connection";
  readonly url: string;
  readonly page: string;
}

/** Loads that the service did not detect: real sites have such loads. */
const THIRD_PARTIES: readonly Pick<Load, "kind" | "url">[] = [
  { kind: "script", url: "https://cdn.example.net/app.js" },
  { kind: "script", url: "https://tags.stats.example/collect.js" },
  { kind: "connection", url: "https://api.stats.example/v1/events" },
];

function loadsOf(zone: string, body: ZoneSeed): readonly Load[] {
  const detected = [
    ...(body.scripts ?? []).map((load) => ({ kind: "script", load }) as const),
    ...(body.connections ?? []).map((load) => ({ kind: "connection", load }) as const),
  ].flatMap(({ kind, load }) => {
    const pages = textsIn(load.page_urls).map((page) => (/^https?:/.test(page) ? page : `https://${page}`));
    const allPages = pages.length === 0 ? [`https://${load.host ?? zone}/`] : pages;
    return allPages.map((page) => ({ kind, url: load.url, page }));
  });
  const extra = pagesOf(zone).flatMap((page) => THIRD_PARTIES.map((each) => ({ ...each, page })));
  return [...detected, ...extra].filter(({ url, page }) => readUrl(url) !== null && readUrl(page) !== null);
}

function pagesOf(zone: string): readonly [string, ...string[]] {
  return [`https://${zone}/`, `https://${zone}/checkout/pay`, `https://${zone}/account`];
}

/** Reports of loads that live policies do not allow, and of one by a browser extension. */
function eventsOf(zone: string, body: ZoneSeed, day: number): readonly JsonObject[] {
  const live = (body.policies ?? []).filter(({ enabled }) => enabled !== false);
  const events = live.flatMap((policy) =>
    loadsOf(zone, body).flatMap((load) => {
      const { id = "", action = "log", expression = "true", value = "" } = policy;
      const request = requestOf(load.page);
      if (action === "add_reporting_directives" || !request.ok) return [];
      if (evaluate(String(expression), request.value) !== true) return [];
      const verdict = allows({ ...load, csp: String(value) });
      if (verdict.allowed !== false) return [];
      const reports = 1 + (numberOf("reports", zone, day, load.url, load.page) % 4);
      return Array.from({ length: reports }, (_, index) =>
        eventOf(load, String(action), String(id), timeOn(day, load.url, load.page, index)),
      );
    }),
  );
  const [first] = live;
  if (first === undefined) return [];
  const injected: Load = {
    kind: "script",
    url: "chrome-extension://made-up/inject.js",
    page: `https://${zone}/`,
  };
  return [...events, eventOf(injected, "log", String(first.id ?? ""), timeOn(day, "extension"))];
}

/** In whole seconds. */
function timeOn(day: number, ...words: readonly (string | number)[]): string {
  const ms = day + (numberOf("time", day, ...words) % (DAY_MS / SECOND_MS)) * SECOND_MS;
  return new Date(ms).toISOString().replace(".000", "");
}

function eventOf({ kind, url, page }: Load, action: string, policy: string, time: string): JsonObject {
  return {
    Action: action,
    CSPDirective: kind === "script" ? "script-src-elem" : "connect-src",
    Host: new URL(page).host,
    PageURL: page,
    PolicyID: policy,
    ResourceType: kind,
    Timestamp: time,
    URL: url,
    URLHost: new URL(url).host,
  };
}

const REQUESTS = 40;
const PATHS = [
  "/",
  "/checkout/pay",
  "/account",
  "/search?q=shoes",
  "/api/items",
  "/api/cart",
  "/login",
] as const;
const COUNTRIES = ["gb", "de", "fr", "us"] as const;
const AGENTS = ["Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (Macintosh)", "curl/8.5.0"] as const;

function requestsOf(zone: string, day: number): readonly JsonObject[] {
  return Array.from({ length: REQUESTS }, (_, index) => {
    const uri = pick([...PATHS], zone, day, index, "path");
    const method = uri.startsWith("/api/") || uri === "/login" ? pick(["POST", "GET"], day, index) : "GET";
    return {
      ClientASN: 64_496 + (numberOf(day, index, "asn") % 16),
      ClientCountry: pick([...COUNTRIES], day, index, "country"),
      ClientIP: `192.0.2.${numberOf(day, index, "ip") % 256}`,
      ClientRequestHost: zone,
      ClientRequestMethod: method,
      ClientRequestPath: uri.replace(/\?.*/, ""),
      ClientRequestProtocol: "HTTP/2",
      ClientRequestScheme: "https",
      ClientRequestURI: uri,
      ClientRequestUserAgent: pick([...AGENTS], day, index, "agent"),
      EdgeResponseStatus: pick([200, 200, 200, 304, 404], day, index, "status"),
      EdgeStartTimestamp: timeOn(day, "request", index),
      RayID: numberOf(zone, day, index, "ray").toString(16).padStart(16, "0"),
      ZoneName: zone,
    };
  });
}
