import type { Client } from "../api/client.js";
import { wantedIn } from "../kinds/included.js";
import { type Kind, type Live, sectionIn } from "../kinds/kind.js";
import { liveSecrets } from "../kinds/sensitive.js";
import type { SectionNotPlanned } from "../model/plan.js";
import type { Problem, Result } from "../model/problem.js";
import type { WantedZone } from "../model/wanted.js";
import { inWordsOf } from "./entitlements.js";

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
 */
export function readSections<Section extends { readonly kind: Kind }>(
  sections: readonly Section[],
  answers: readonly Result<Live>[],
  client: Pick<Client, "addSecrets" | "redact">,
  zone: WantedZone,
): SectionsRead<Section> {
  const all = sections.flatMap((section, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [{ section, answer }];
  });
  for (const { section, answer } of all)
    if (answer.ok) client.addSecrets(liveSecrets(section.kind, answer.value.items));
  return {
    read: all.flatMap(({ section, answer }) => (answer.ok ? [{ ...section, live: answer.value }] : [])),
    unread: all.flatMap(({ section: { kind }, answer }) =>
      answer.ok ? [] : [unreadSection(kind, client.redact(answer.problems), zone)],
    ),
  };
}

function unreadSection(kind: Kind, problems: readonly Problem[], zone: WantedZone): SectionNotPlanned {
  const section = sectionIn(kind, zone.sections);
  const told = problems.map((each) => inWordsOf(kind, each, wantedIn(zone, kind)));
  return {
    section: kind.section,
    problems: told.map((each) => ({ ...each, at: each.at ?? zone.locate([section], "key") })),
  };
}
