import type { Client } from "../api/client.js";
import type { PlanAtService } from "../api/zones.js";
import { isLeftOutOf, notTried, wantedIn } from "../kinds/included.js";
import { type Kind, type Live, sectionIn } from "../kinds/kind.js";
import { liveSecrets } from "../kinds/sensitive.js";
import type { SectionNotPlanned } from "../model/plan.js";
import type { Problem, Result } from "../model/problem.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { inWordsOf } from "./entitlements.js";

interface ManagedSection {
  readonly kind: Kind;
  readonly declared: readonly Declared[];
}

interface SectionsRead<Section> {
  readonly read: readonly (Section & { readonly live: Live })[];
  /** Those that could not be. */
  readonly unread: readonly SectionNotPlanned[];
}

/**
 * What was read of a zone's sections. One that could not be read fails by itself, and is never taken for empty. What the
 * live objects have that is secret is hidden from then on.
 *
 * @param answers of the sections, in their order
 * @param zone what the files say of it
 * @param atService the zone's plan there; null: it is not known
 */
export function readSections<Section extends ManagedSection>(
  sections: readonly Section[],
  answers: readonly Result<Live>[],
  client: Pick<Client, "addSecrets" | "redact">,
  zone: WantedZone,
  atService: PlanAtService | null,
): SectionsRead<Section> {
  const all = sections.flatMap((section, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [{ section, answer }];
  });
  for (const { section, answer } of all)
    if (answer.ok) client.addSecrets(liveSecrets(section.kind, answer.value.items));
  const read = all.flatMap(({ section, answer }) =>
    answer.ok
      ? [{ section, live: answer.value, why: notPlannedFor(section, answer.value, zone, atService) }]
      : [],
  );
  return {
    read: read.flatMap(({ section, live, why }) => (why === null ? [{ ...section, live }] : [])),
    unread: [
      ...all.flatMap(({ section: { kind }, answer }) =>
        answer.ok ? [] : [unreadSection(kind, client.redact(answer.problems), zone)],
      ),
      ...read.flatMap(({ section: { kind }, why }) =>
        why === null ? [] : [unreadSection(kind, client.redact([why]), zone)],
      ),
    ],
  };
}

/**
 * Why nothing is planned of an optional section although it could be read: what the service says of the zone's plan where
 * it is written to would be the same with each apply. Null: it is planned.
 */
function notPlannedFor(
  { kind, declared }: ManagedSection,
  { items, unlisted }: Live,
  zone: WantedZone,
  atService: PlanAtService | null,
): Problem | null {
  const wanted = wantedIn(zone, kind);
  const isEmpty = items.length === 0 && unlisted !== true;
  const isForNothing = declared.every(({ body }) => body.ensure === "absent");
  if (atService === null || wanted.as !== "optional" || !isEmpty || isForNothing) return null;
  return isLeftOutOf(kind, atService.id) ? notTried(kind, wanted, atService.name) : null;
}

function unreadSection(kind: Kind, problems: readonly Problem[], zone: WantedZone): SectionNotPlanned {
  const section = sectionIn(kind, zone.sections);
  const told = problems.map((each) => inWordsOf(kind, each, wantedIn(zone, kind)));
  return {
    section: kind.section,
    problems: told.map((each) => ({ ...each, at: each.at ?? zone.locate([section], "key") })),
  };
}
