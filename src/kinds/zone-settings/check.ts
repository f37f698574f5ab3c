import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { isSame } from "../fields.js";
import { error, type Finding, type InCommands, warningAt } from "../kind.js";
import { unusual } from "../rule-actions.js";
import { fields, HEADER, settings } from "./fields.js";
import { normalOf, settingWith, toDesired } from "./values.js";

export function checkDeclared(body: JsonObject): readonly Finding[] {
  return [...misplaced(body), ...unknownTimes(body), ...preloadProblems(toDesired(body), () => true)];
}

function unknownTimes({ challenge_ttl: seconds }: JsonObject): readonly Finding[] {
  if (typeof seconds !== "number" || CHALLENGE_SECONDS.includes(seconds)) return [];
  const reason = `Cloudflare documents ${CHALLENGE_SECONDS.join(", ")} seconds, not ${seconds}.`;
  return [unusual(["challenge_ttl"], reason)];
}

const CHALLENGE_SECONDS = [
  300, 900, 1800, 2700, 3600, 7200, 10800, 14400, 28800, 57600, 86400, 604800, 2592000, 31536000,
];

/** Settings under `other` that have a place of their own. */
function misplaced({ other }: JsonObject): readonly Finding[] {
  return Object.keys(isObject(other) ? other : {}).flatMap((id) =>
    settings.has(id) || id === HEADER
      ? [
          error(
            ["other", id],
            "misplaced_setting",
            `Setting ${id} belongs outside other`,
            `zoneward knows the setting ${id}. Move it from other to zone_settings.`,
          ),
        ]
      : [],
  );
}

/** Findings that depend on the live settings. */
export function checkWhole(want: Item): readonly Finding[] {
  const live = normalOf(want.raw ?? {}) ?? {};
  const isOwned = (field: string) => want.owns === "all" || want.owns.includes(field);
  const changed = Object.keys(want.normal).filter(
    (field) => isOwned(field) && !isSame(live[field] ?? null, want.normal[field] ?? null, fields[field]),
  );
  const isChangedTo = (part: string, value: boolean) =>
    changed.includes(`${HEADER}.${part}`) && want.normal[`${HEADER}.${part}`] === value;
  return [
    ...preloadProblems(want.normal, (field) => !isOwned(field)),
    ...(isChangedTo("enabled", false) ? [hstsOff(live[`${HEADER}.max_age`])] : []),
    ...(isChangedTo("preload", true) ? [preloadOn()] : []),
  ];
}

/** Changed settings that can only be read in this zone. */
export function checkSent(
  _: JsonObject,
  sent: "all" | readonly string[],
  __: InCommands,
  live: Item | null,
): readonly Finding[] {
  const changed = sent === "all" ? [] : sent;
  return changed.filter((field) => !isEditable(live?.raw ?? null, field)).map(notEditable);
}

function isEditable(raw: JsonObject | null, field: string): boolean {
  const setting = raw?.[settingWith(field)];
  return !isObject(setting) || setting.editable !== false;
}

function notEditable(field: string): Finding {
  const id = settingWith(field);
  return error(
    field.split("."),
    "not_editable",
    `Zone setting ${id} cannot be changed`,
    `Cloudflare says that ${id} is not editable in this zone: its Cloudflare plan may not allow it. Declare the live value, or remove ${id}.`,
  );
}

const YEAR = 31_536_000;

/** Warns if the settings lack a requirement of browsers' preload lists. */
function preloadProblems(
  { [`${HEADER}.preload`]: preload, ...normal }: SealedObject,
  isAsked: (field: string) => boolean,
): readonly Finding[] {
  const isLacking = (field: string, isEnough: (value: unknown) => boolean) =>
    normal[field] !== undefined && isAsked(field) && !isEnough(normal[field]);
  const lacking = [
    ...(isLacking(`${HEADER}.max_age`, (age) => typeof age === "number" && age >= YEAR)
      ? [`max_age is below ${YEAR}`]
      : []),
    ...(isLacking(`${HEADER}.include_subdomains`, (value) => value === true)
      ? ["include_subdomains is false"]
      : []),
    ...(isLacking("always_use_https", (value) => value === "on") ? ["always_use_https is off"] : []),
  ];
  if (preload !== true || lacking.length === 0) return [];
  return [
    warningAt(
      [HEADER, "preload"],
      "preload_incomplete",
      "HSTS preload is incomplete",
      `Browsers' preload lists refuse the zone: ${lacking.join(", ")}. They need max_age: ${YEAR}, include_subdomains: true and a redirect to HTTPS. Declare these, or set preload: false.`,
    ),
  ];
}

function hstsOff(maxAge: Json | undefined): Finding {
  const time = typeof maxAge === "number" ? `${maxAge} seconds` : "the former max_age";
  return warningAt(
    [HEADER, "enabled"],
    "hsts_off",
    "Browsers remember HSTS",
    `Browsers that visited the zone keep using only HTTPS for up to ${time} after HSTS is off. Keep HTTPS working until then. To make browsers forget HSTS, set max_age: 0 first.`,
  );
}

function preloadOn(): Finding {
  return warningAt(
    [HEADER, "preload"],
    "hsts_preload",
    "HSTS preload is hard to undo",
    "Browsers may ship with the zone and all its subdomains listed as HTTPS only. Removal from their lists takes months. Set preload: true only if every subdomain has HTTPS for good.",
  );
}
