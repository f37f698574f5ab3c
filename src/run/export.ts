import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { allZones, findZones } from "../api/zones.js";
import { MAX_FILE_BYTES } from "../config/files.js";
import { desiredFrom } from "../config/index.js";
import { zoneName } from "../config/zone.js";
import { bodiesOf } from "../export/bodies.js";
import { fileText, serviceFor } from "../export/file-text.js";
import { folderTexts, type NamedText } from "../export/folder.js";
import { type ExportedZone, readForExport, type Section, sectionOf } from "../export/read-live.js";
import { settle } from "../export/settle.js";
import { type Sharing, share } from "../export/share.js";
import { toldKept } from "../export/split.js";
import { kinds } from "../kinds/index.js";
import type { Kind, ReadForExport, ZoneReader } from "../kinds/kind.js";
import { liveSecrets } from "../kinds/sensitive.js";
import { toldOnce } from "../match/told-once.js";
import { quoted } from "../model/cut.js";
import { failed, hasErrors, ok, type Problem, problem, type Result, remarked } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { secretsIn } from "../model/secrets-in-text.js";
import { suggest } from "../model/suggest.js";
import type { LiveUnmanaged } from "../model/unmanaged.js";
import { count } from "../render/plain.js";
import { inWordsOf } from "./entitlements.js";
import { isPattern, selectNamed } from "./select-zones.js";
import { accountFinder, idlenessOf, namingPermissions, type Place, someAtATime } from "./zones.js";

/** Live state as desired-state files: one, or one a zone. */
export interface Export {
  readonly files: readonly ExportedFile[];
  readonly zones: number;
  readonly objects: number;
  /** The names of the secrets that they take. */
  readonly secrets: readonly string[];
  /** What is live and in no file, with why, in sentences that begin with the zone's name. */
  readonly leftOut: readonly string[];
  /** What the zones share. Null: nobody has asked for it. */
  readonly template: SharedTemplate | null;
  /** What could not be read, and so is not in them. */
  readonly problems: readonly Problem[];
}

export interface SharedTemplate {
  readonly name: string;
  /** Keys of the template. None: the zones have nothing in common, and there is no template. */
  readonly sections: readonly string[];
  /** How many objects it has whole, and of how many a part. */
  readonly objects: Sharing["objects"];
  /** What is not in it, and why, in sentences. */
  readonly kept: readonly string[];
}

export interface ExportedFile {
  /** In a folder; the only file has any. */
  readonly name: string;
  readonly text: string;
  /** Null: it is no single zone's. */
  readonly zone: string | null;
  /** Whether something of its zones could not be read. */
  readonly lacksSomething: boolean;
}

interface Options {
  readonly layout?: "one file" | "a file a zone";
  /** The name of a template of what all zones share. */
  readonly template?: string | undefined;
}

/** Zones → live state → objects as a file declares them → its text, tried as a plan would read it. */
export async function runExport(
  named: readonly string[],
  client: Client,
  progress: Progress,
  options: Options = {},
): Promise<Result<Export>> {
  const { template } = options;
  if (template !== undefined && !TEMPLATE.test(template)) return failed(notATemplate(template));
  const found = await findNamed(named, client);
  if (!found.ok) return found;
  const { zones, problems } = found.value;
  const shared = new ZoneReads(client);
  const exported: Exported[] = [];
  progress(0, zones.length, "exporting");
  for await (const each of someAtATime(zones, 2 * client.concurrency, (zone) =>
    exportZone(zone, client, shared),
  )) {
    exported.push(each);
    progress(exported.length, zones.length, "exporting");
  }
  return filesOf(exported, problems, options, client);
}

/** Names that need no quotes anywhere. */
const TEMPLATE = /^[A-Za-z][\w.-]{0,63}$/;

function notATemplate(name: string): Problem {
  const detail = `${quoted(name)} cannot be the name of a template. Take a letter, and then up to 63 letters, digits, "-", "_" and ".".`;
  return problem("bad_template_name", "Not a template's name", detail);
}

interface NamedZone extends Place {
  readonly name: string;
}

interface Found {
  readonly zones: readonly NamedZone[];
  /** Of zones that cannot be declared. */
  readonly problems: readonly Problem[];
}

/** Names are looked up, so that a credential need not see more; for patterns, all zones are listed. */
async function findNamed(named: readonly string[], client: Client): Promise<Result<Found>> {
  if (named.length === 0 || named.some(isPattern)) return among(named, client);
  const names = named.map((written) => ({ written, name: zoneName(written) }));
  const wrong = names.filter(({ name }) => name === null);
  if (wrong.length > 0) return failed(...wrong.map(({ written }) => notAName(written)));
  const distinct = [...new Set(names.flatMap(({ name }) => name ?? []))];
  const records = await findZones(
    client,
    distinct.map((name) => ({ name, accountId: null })),
  );
  const found = distinct.map((name) => ({ name, record: records.get(name) }));
  const problems = found.flatMap(({ record }) => (record?.ok === false ? record.problems : []));
  if (problems.length > 0) return failed(...problems);
  const zones = found.flatMap(({ name, record }) => (record?.ok === true ? [{ ...record.value, name }] : []));
  return ok({ zones, problems: [] });
}

function notAName(written: string): Problem {
  const detail = `${written} is no zone's name. Name zones as the service lists them, such as shop.example.com.`;
  return problem("bad_zone_name", "Not a zone's name", detail);
}

async function among(patterns: readonly string[], client: Client): Promise<Result<Found>> {
  const listed = await allZones(client);
  if (!listed.ok) return listed;
  const selected = selectNamed(listed.value, ({ name }) => name, patterns, notListed);
  if (!selected.ok) return selected;
  const counts = new Map<string, number>();
  for (const { name } of selected.value) counts.set(name, (counts.get(name) ?? 0) + 1);
  const problems: Problem[] = [];
  const zones = selected.value.flatMap(({ name, id, accountId, idle }): readonly NamedZone[] => {
    const wrong =
      id === null ? "has no usable id" : zoneName(name) !== name ? "has a name that is none" : null;
    const twins = counts.get(name) ?? 0;
    if (wrong !== null) problems.push(notExported(name, `It ${wrong}.`));
    else if (twins > 1)
      problems.push(notExported(name, `There are ${twins} of this name; a file has each once (${id}).`));
    return wrong !== null || twins > 1 || id === null ? [] : [{ name, id, accountId, idle }];
  });
  return ok({ zones, problems });
}

function notListed(pattern: string, names: readonly string[]): Problem {
  const close = suggest(pattern, names);
  const advice =
    close === null ? "The token needs the permission group Zone Read for it." : `Did you mean ${close}?`;
  const detail = `${pattern} matches none of the ${names.length} zones that the credential can see. ${advice}`;
  return problem("zone_not_found", "No zone of this name", detail);
}

function notExported(name: string, why: string): Problem {
  return problem(
    "zone_not_exported",
    "A zone that cannot be exported",
    `The zone ${name} is left out. ${why}`,
  );
}

interface Exported {
  readonly zone: ExportedZone;
  readonly problems: readonly Problem[];
}

async function exportZone(
  { name, ...place }: NamedZone,
  client: Client,
  shared: ZoneReads,
): Promise<Exported> {
  const reads = new ZoneReads(client, shared);
  const readerFor = ({ permissions }: Kind, locate: ZoneReader["locate"] = () => null): ZoneReader => ({
    api: namingPermissions(reads, permissions),
    zoneId: place.id,
    accountId: accountFinder(name, place),
    locate,
  });
  const surveyed = await Promise.all(
    kinds.map(async (kind) => ({ kind, found: await readForExport(kind, readerFor(kind)) })),
  );
  const problems = [...client.redact(idlenessOf(name, place))].map((each) =>
    remarked(each, { before: `${name}: ` }),
  );
  const seen = surveyed.map(({ kind, found }) =>
    found.ok
      ? {
          items: found.value.live.items,
          told: kind.unmanaged(found.value.others ?? [], found.value.live.context),
        }
      : { items: [], told: [] },
  );
  const noted = toldOnce(seen, (each) => each);
  const sections = surveyed.map(({ kind, found }, index): Section => {
    if (found.ok) return knownSection(kind, found.value, noted[index] ?? [], client);
    const redacted = client.redact(found.problems.map((each) => inWordsOf(kind, each, "exported")));
    problems.push(...redacted.map((each) => remarked(each, { before: `${name}, ${kind.section}: ` })));
    const why = redacted.map(({ summary, detail }) => `${summary}. ${detail}`).join(" ");
    return {
      kind,
      name: kind.section,
      live: null,
      entries: [],
      others: [],
      notes: [`Not managed: ${kind.section} could not be read. ${why}`],
    };
  });
  const zone = await settle({ name, sections }, (kind, declared, locate) =>
    kind.read(readerFor(kind, locate), declared),
  );
  return { zone, problems };
}

function knownSection(
  kind: Kind,
  found: ReadForExport,
  noted: readonly LiveUnmanaged[],
  client: Client,
): Section {
  client.addSecrets(liveSecrets(kind, found.live.items));
  return sectionOf(kind, found, noted);
}

function filesOf(
  exported: readonly Exported[],
  remarked: readonly Problem[],
  { layout = "one file", template }: Options,
  client: Client,
): Result<Export> {
  const zones = exported.map(({ zone }) => zone);
  const problems = [...remarked, ...exported.flatMap((each) => each.problems)];
  const { bodies, secrets } = bodiesOf(zones);
  const sharing = template === undefined ? null : share(bodies, template);
  const content = {
    service: serviceFor(zones),
    templates: sharing?.template ? [sharing.template] : [],
    zones: sharing?.zones ?? bodies,
  };
  const remarks = remarked.map(({ detail }) => ` ${detail}`);
  const files =
    layout === "one file"
      ? [{ name: "export", text: fileText({ ...content, remarks }), zone: null }]
      : folderTexts(content);
  const wrong = whyNotWritten(files, secrets, zones.length, client);
  if (wrong.length > 0) return failed(...wrong);
  const lacking = new Set(exported.filter((each) => hasErrors(each.problems)).map(({ zone }) => zone.name));
  const sections = zones.flatMap((zone) => zone.sections);
  return ok({
    files: files.map((file) => ({
      ...file,
      lacksSomething: file.zone === null ? hasErrors(problems) : lacking.has(file.zone),
    })),
    zones: zones.length,
    objects: sections.reduce((sum, { entries }) => sum + entries.length, 0),
    secrets: [...secrets.keys()],
    leftOut: zones.flatMap(leftOutOf),
    template: template === undefined || sharing === null ? null : toldSharing(template, sharing),
    problems,
  });
}

function toldSharing(name: string, { template, objects, kept }: Sharing): SharedTemplate {
  const { sections = [], unmanaged = {} } = template?.body ?? {};
  const listing = Object.keys(unmanaged).length === 0 ? [] : ["unmanaged"];
  return {
    name,
    sections: [...sections.map((each) => each.name), ...listing],
    objects,
    kept: toldKept(kept),
  };
}

/** Why nothing may be written: the files are tried together, as a plan reads them. */
function whyNotWritten(
  files: readonly NamedText[],
  secrets: ReadonlyMap<string, string>,
  zones: number,
  client: Client,
): readonly Problem[] {
  const sizeBytes = Math.max(0, ...files.map(({ text }) => Buffer.byteLength(text)));
  if (sizeBytes > MAX_FILE_BYTES) return [tooLarge(sizeBytes, zones)];
  const texts = files.map(({ name, text }) => ({ file: name, text }));
  const { problems } = desiredFrom(texts, Object.fromEntries(secrets));
  if (hasErrors(problems)) return client.redact(problems.map((each) => ({ ...each, at: null })));
  if (files.some(({ text }) => secretsIn(text, secrets.values()).length > 0))
    return [exposed("The secret of a log destination")];
  return files.some(({ text }) => client.isCredentialIn(text)) ? [exposed("The credential of this run")] : [];
}

/** What the comments of the files say, without the reasons that are problems besides. */
function leftOutOf({ name, sections }: ExportedZone): readonly string[] {
  return sections.flatMap((section) => {
    const { notes, entries, live } = section;
    const all =
      live === null
        ? [`${section.name}, which could not be read: see above.`]
        : [...notes, ...entries.flatMap((entry) => entry.notes)];
    return all.map((note) => `${name}: ${note.replace(/^Not managed: /, "")}`);
  });
}

function tooLarge(sizeBytes: number, zones: number): Problem {
  const detail = `With ${count(zones, "zone")} the file would have ${sizeBytes} bytes; ${MAX_FILE_BYTES} are read at most. Nothing is written. Export some of the zones at a time, by their names or with --zone, into several files: together they are one desired state.`;
  return problem("export_too_large", "An export that is too large for one file", detail);
}

function exposed(what: string): Problem {
  const detail = `${what} stands in a live object, where it is no secret, and the file would show it. Take it out there, and make a new one in its place.`;
  return problem("secret_exposed", "A secret stands where all can see it", detail);
}
