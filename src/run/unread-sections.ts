import type { Client } from "../api/client.js";
import { atPlace } from "../api/problems.js";
import type { PlanAtService } from "../api/zones.js";
import { foreseenRefusal, isLeftOutOf, wantedIn } from "../kinds/included.js";
import { type Kind, type Live, sectionIn } from "../kinds/kind.js";
import type { WantedZone } from "../model/declared-zone.js";
import type { SectionNotPlanned } from "../model/plan.js";
import { failed, ok, type Problem, type Result } from "../model/problem.js";
import { inWordsOf } from "./entitlements.js";
import type { SectionToRead } from "./live.js";

interface SectionsRead<Section> {
  readonly read: readonly (Section & { readonly live: Live })[];
  readonly unread: readonly (Section & SectionNotPlanned)[];
}

/**
 * Sorts sections into read and unread ones. An unread section fails alone, and never counts as empty.
 *
 * @param answers the live state of each section, in the order of the sections
 * @param atService the zone's Cloudflare plan; null: unknown
 */
export function readSections<Section extends SectionToRead>(
  sections: readonly Section[],
  answers: readonly Result<Live>[],
  client: Pick<Client, "redact">,
  atService: PlanAtService | null,
): SectionsRead<Section> {
  const all = sections.flatMap((section, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [{ section, live: withForeseen(section, answer, atService) }];
  });
  return {
    read: all.flatMap(({ section, live }) => (live.ok ? [{ ...section, live: live.value }] : [])),
    unread: all.flatMap(({ section, live }) =>
      live.ok
        ? []
        : [{ ...section, ...unreadSection(section.kind, client.redact(live.problems), section.zone) }],
    ),
  };
}

/** A section that the zone's Cloudflare plan lacks counts as unread if it is optional. Otherwise the files get a warning. */
function withForeseen(
  section: SectionToRead,
  answer: Result<Live>,
  atService: PlanAtService | null,
): Result<Live> {
  const foreseen = answer.ok ? foreseenOf(section, answer.value, atService) : null;
  if (!answer.ok || foreseen === null) return answer;
  if (foreseen.severity === "note") return failed(foreseen);
  const { problems } = unreadSection(section.kind, [foreseen], section.zone);
  return ok({ ...answer.value, warnings: [...(answer.value.warnings ?? []), ...problems] });
}

/** Whether the zone's Cloudflare plan decides which sections are planned. */
export function isPlanInQuestion(
  sections: readonly SectionToRead[],
  answers: readonly Result<Live>[],
): boolean {
  return sections.some((section, index) => {
    const answer = answers[index];
    const isOptional = wantedIn(section.zone, section.kind).as === "optional";
    return isOptional && answer?.ok === true && mayBeLeftOut(section, answer.value);
  });
}

/** Whether a section is empty and gets its first object: the zone's Cloudflare plan may lack the section. */
function mayBeLeftOut({ declared }: SectionToRead, { items, unlisted }: Live): boolean {
  const isEmpty = items.length === 0 && unlisted !== true;
  return isEmpty && declared.some(({ body }) => body.ensure !== "absent");
}

/** The refusal that a write to the section would get because of the zone's Cloudflare plan. Null: none is known. */
function foreseenOf(section: SectionToRead, live: Live, atService: PlanAtService | null): Problem | null {
  const { kind, zone } = section;
  if (atService === null || !mayBeLeftOut(section, live) || !isLeftOutOf(kind, atService.id)) return null;
  return foreseenRefusal(kind, wantedIn(zone, kind), atService.name);
}

/** The problem of a section that could not be read, in its kind's words and at its place in the files. */
export function unreadSection(kind: Kind, problems: readonly Problem[], zone: WantedZone): SectionNotPlanned {
  const section = sectionIn(kind, zone.sections);
  const reworded = problems.map((each) => inWordsOf(kind, each, wantedIn(zone, kind)));
  return {
    section: kind.section,
    problems: reworded.map((each) => atPlace(each, zone.locate([section], "key"))),
  };
}
