import type { Declared } from "../../model/declared-zone.js";
import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { areAll, failed, ok, type Problem, problem, type Result } from "../../model/problem.js";
import { isId, type ReadApi } from "../../model/read-api.js";
import type { Live, ZoneReader } from "../kind.js";
import { HEADER, settings } from "./fields.js";
import { declaredIds, normalOf } from "./values.js";

export const KIND = "zone_settings";

/**
 * The declared settings, each read by itself. A setting that cannot be read fails the section, unless only the base has it
 * and the zone lacks it.
 */
export async function readSettings(
  zone: ZoneReader,
  declared: readonly Declared[],
  former: readonly Declared[] = [],
): Promise<Result<Live>> {
  const wanted = new Set(declared.flatMap(({ body }) => declaredIds(body)));
  const ids = new Set([...wanted, ...former.flatMap(({ body }) => declaredIds(body))]);
  const answers = await Promise.all([...ids].map((id) => readSetting(zone, id)));
  const isDenied = answers.every(({ answer }) => !answer.ok);
  const problems = answers.flatMap(({ id, answer }) => {
    if (answer.ok) return [];
    return answer.problems.flatMap((each) => {
      if (!isMissing(each, isDenied)) return [each];
      return wanted.has(id) ? [missing(id, each, zone)] : [];
    });
  });
  if (problems.length > 0) return failed(...withoutRepeats(problems));
  return liveOf(answers, declared.length > 0);
}

/**
 * All settings that the zone has, for a file. Settings that the zone's Cloudflare plan lacks are left out. A token that
 * may not read settings exports the rest.
 */
export async function readForExport(zone: ZoneReader): Promise<Result<Live>> {
  const [first = "", ...ids] = [...settings.keys(), HEADER];
  const firstRead = await readSetting(zone, first);
  if (!firstRead.answer.ok) {
    if (areAll(firstRead.answer.problems, ...ABSENT)) return liveOf([], false);
    const isDenied = areAll(firstRead.answer.problems, DENIED);
    return isDenied
      ? failed(...firstRead.answer.problems.map((each): Problem => ({ ...each, severity: "note" })))
      : firstRead.answer;
  }
  const answers = [firstRead, ...(await Promise.all(ids.map((id) => readSetting(zone, id))))];
  const problems = answers.flatMap(({ answer }) => (answer.ok ? [] : answer.problems));
  const failing = problems.filter((each) => !isMissing(each, false));
  return failing.length > 0 ? failed(...failing) : liveOf(answers, true);
}

interface SettingRead {
  readonly id: string;
  readonly answer: Result<Json>;
}

async function readSetting(
  { api, zoneId }: { readonly api: ReadApi; readonly zoneId: string },
  id: string,
): Promise<SettingRead> {
  // The id may come from an edited journal.
  return { id, answer: isId(id) ? await api.get(`/zones/${zoneId}/settings/${id}`) : failed(odd(id)) };
}

/**
 * One object for all settings that could be read.
 *
 * @param isThere whether there is an object, which may have no settings
 */
function liveOf(answers: readonly SettingRead[], isThere: boolean): Result<Live> {
  const raw: Record<string, JsonObject> = {};
  for (const { id, answer } of answers) {
    if (!answer.ok) continue;
    const setting = answer.value;
    if (!isObject(setting) || setting.value === undefined) return failed(odd(id));
    const { id: answered = id, value, editable = true } = setting;
    if (answered !== id) return failed(odd(id));
    raw[id] = { value, editable };
  }
  const normal = normalOf(raw);
  if (normal === null) return failed(odd(HEADER));
  const ref = { kind: KIND, key: KIND, id: null };
  const item: Item = { ref, normal, raw, owns: "nothing", at: null };
  return ok({ items: isThere ? [item] : [], context: null });
}

function odd(id: string): Problem {
  return problem(
    "unexpected_answer",
    "Unexpected zone setting from Cloudflare",
    `The zone setting ${id} has an unknown form. Remove it from the file.`,
  );
}

const DENIED: Problem["code"] = "unauthorized";
const ABSENT: readonly Problem["code"][] = ["not_found", "no_route"];
const REFUSED: readonly Problem["code"][] = [...ABSENT, "api_error", "not_entitled", "method_not_allowed"];

/** Whether the zone lacks the setting. Where no setting can be read, the token is the reason of a denial. */
function isMissing({ code }: Problem, isDenied: boolean): boolean {
  return REFUSED.includes(code) || (code === DENIED && !isDenied);
}

function missing(id: string, { detail }: Problem, { locate }: ZoneReader): Problem {
  const place = locate(settings.has(id) || id === HEADER ? [KIND, id] : [KIND, "other", id], "key");
  const advice = `The zone's Cloudflare plan may not have it. Remove ${id}, or write ${id}: null in the zone to remove what it inherits.`;
  return problem("setting_missing", `Cannot read zone setting ${id}`, `${detail} ${advice}`, place);
}

/** A problem of all settings is reported once. */
function withoutRepeats(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, at }) => {
    if (at !== null) return true;
    const isNew = !seen.has(code);
    seen.add(code);
    return isNew;
  });
}
