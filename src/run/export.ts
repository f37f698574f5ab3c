import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { allZones, notVisible } from "../api/zones.js";
import { defaultService } from "../config/schema.js";
import { zoneName } from "../config/zone.js";
import { settle } from "../export/drop-undeclarable.js";
import { othersIn, type Section, sectionOf } from "../export/read-live.js";
import { kinds } from "../kinds/index.js";
import { reportOnce } from "../match/report-once.js";
import { quoted } from "../model/cut.js";
import type { Service } from "../model/declared-zone.js";
import { failed, ok, type Problem, problem, type Result, remarked } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { inWordsOf } from "./entitlements.js";
import { type Export, type Exported, filesOf, type How } from "./export-files.js";
import { type FilesInput, readDesired } from "./files.js";
import { liveReader, type ZonePlace } from "./live.js";
import { findNamed, idlenessOf } from "./locate.js";
import { Redactor } from "./redact.js";
import { isPattern, selectNamed } from "./select-zones.js";
import { collected, someAtATime } from "./zones.js";

export interface Known {
  readonly service: Service;
  /** Whether a text has the value of a secret variable. No file may show one. */
  readonly isSecretIn: (text: string) => boolean;
}

/** The `service` section of the files, without files the default; and the secrets of the environment. */
export async function knownFrom(input: FilesInput): Promise<Result<Known>> {
  const { desired, secrets, problems } = await readDesired(input, "check");
  const redactor = new Redactor(secrets);
  const isSecretIn = (text: string) => redactor.in(text) !== text;
  if (input.config.length === 0) return ok({ service: defaultService, isSecretIn });
  return desired === null ? failed(...problems) : ok({ service: desired.service, isSecretIn });
}

/** Zones → live state → objects as a file declares them → its text, tried as a plan would read it. */
export async function runExport(
  named: readonly string[],
  client: Client,
  progress: Progress,
  options: How = {},
): Promise<Result<Export>> {
  const { template, service = defaultService, isSecretIn = () => false } = options;
  if (template !== undefined && !TEMPLATE.test(template)) return failed(notATemplate(template));
  const found = await zonesToExport(named, client);
  if (!found.ok) return found;
  const { zones, problems } = found.value;
  const shared = new ZoneReads(client);
  const looks = someAtATime(zones, 2 * client.concurrency, (zone) =>
    exportZone(zone, { service, isSecretIn }, client, shared),
  );
  const exported = await collected(looks, zones.length, progress, "exporting");
  return filesOf(exported, problems, options, client);
}

/** Names that need no quotes anywhere. */
const TEMPLATE = /^[A-Za-z][\w.-]{0,63}$/;

function notATemplate(name: string): Problem {
  const detail = `${quoted(name)} cannot name a template. Use a letter, then up to 63 letters, digits, "-", "_" and ".".`;
  return problem("bad_template_name", "Not a template name", detail);
}

interface NamedZone extends ZonePlace {
  readonly name: string;
}

interface Found {
  readonly zones: readonly NamedZone[];
  /** Of zones that cannot be declared. */
  readonly problems: readonly Problem[];
}

/** Names are looked up one by one, so that the token need not list all zones. Patterns need the list. */
async function zonesToExport(named: readonly string[], client: Client): Promise<Result<Found>> {
  if (named.length === 0 || named.some(isPattern)) return among(named, client);
  const found = await findNamed(named, client, notAName);
  if (!found.ok) return found;
  const problems = found.value.flatMap(({ place }) => (place.ok ? [] : place.problems));
  if (problems.length > 0) return failed(...problems);
  const zones = found.value.flatMap(({ name, place }) => (place.ok ? [{ ...place.value, name }] : []));
  return ok({ zones, problems: [] });
}

function notAName(written: string): Problem {
  const detail = `${written} is not a zone name. Name zones as the service lists them, such as shop.example.com.`;
  return problem("bad_zone_name", "Not a zone name", detail);
}

async function among(patterns: readonly string[], client: Client): Promise<Result<Found>> {
  const listed = await allZones(client);
  if (!listed.ok) return listed;
  const selected = selectNamed(listed.value, ({ name }) => name, patterns, notVisible);
  if (!selected.ok) return selected;
  const counts = new Map<string, number>();
  for (const { name } of selected.value) counts.set(name, (counts.get(name) ?? 0) + 1);
  const problems: Problem[] = [];
  const zones = selected.value.flatMap(({ name, id, accountId, ...listed }): readonly NamedZone[] => {
    const wrong = wrongWith(name, id);
    const twins = counts.get(name) ?? 0;
    if (wrong !== null) problems.push(notExported(name || (id ?? "of the list"), `It ${wrong}.`));
    else if (twins > 1)
      problems.push(notExported(name, `${twins} zones have this name, and a file can have it once (${id}).`));
    return wrong !== null || twins > 1 || id === null ? [] : [{ name, id, accountId, listed }];
  });
  return ok({ zones, problems });
}

/** Why a zone of the list cannot be declared; null: it can. */
function wrongWith(name: string, id: string | null): string | null {
  if (name === "") return id === null ? "has neither a name nor a usable id" : "has no name";
  if (id === null) return "has no usable id";
  return zoneName(name) !== name ? "has an invalid name" : null;
}

function notExported(name: string, why: string): Problem {
  return problem("zone_not_exported", "Zone not exported", `The zone ${name} is left out. ${why}`);
}

async function exportZone(
  { name, ...place }: NamedZone,
  known: Known,
  client: Client,
  shared: ZoneReads,
): Promise<Exported> {
  const reads = new ZoneReads(client, shared);
  const reader = liveReader({ name, place }, client, reads);
  const surveyed = await Promise.all(
    kinds.map(async (kind) => ({ kind, found: await reader.readForExport(kind) })),
  );
  const problems = [...client.redact(idlenessOf(name, place))].map((each) =>
    remarked(each, { before: `${name}: ` }),
  );
  const seen = surveyed.map(({ kind, found }) =>
    found.ok
      ? { items: found.value.items, reported: othersIn(kind, found.value) }
      : { items: [], reported: [] },
  );
  const noted = reportOnce(seen, (each) => each);
  const sections = surveyed.map(({ kind, found }, index): Section => {
    if (found.ok) return sectionOf(kind, found.value, noted[index] ?? []);
    const redacted = client.redact(
      found.problems.map((each) => inWordsOf(kind, each, { as: "exported", section: kind.section })),
    );
    problems.push(...redacted.map((each) => remarked(each, { before: `${name}, ${kind.section}: ` })));
    // A feature missing in the zone's Cloudflare plan gets no detail, because a request id would differ in each export.
    const why = redacted
      .map(({ severity, summary, detail }) => (severity === "note" ? `${summary}.` : `${summary}. ${detail}`))
      .join(" ");
    return {
      kind,
      name: kind.section,
      live: null,
      entries: [],
      foreign: [],
      notes: [`Not managed: ${kind.section} could not be read. ${why}`],
    };
  });
  const zone = await settle({ name, sections }, known, (kind, declared, locate) =>
    reader.locating(locate).read(kind, declared),
  );
  return { zone, problems };
}
