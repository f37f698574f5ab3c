import type { Client } from "../api/client.js";
import { MAX_FILE_BYTES } from "../config/files.js";
import { desiredFrom } from "../config/index.js";
import { defaultService } from "../config/schema.js";
import { acknowledgedIn, bodiesOf, isListIn } from "../export/bodies.js";
import { fileText, folderTexts, type NamedText, serviceFor } from "../export/file-text.js";
import type { Entry, ExportedZone, Section } from "../export/read-live.js";
import { type Sharing, share } from "../export/share.js";
import { leftoverTexts } from "../export/split.js";
import { expressionsIn } from "../kinds/expression.js";
import { undeclaredAmong } from "../kinds/undeclared-fields.js";
import { firstFew } from "../model/cut.js";
import type { Service } from "../model/declared-zone.js";
import { groupBy } from "../model/group-by.js";
import { secretsIn } from "../model/looks-secret.js";
import {
  failed,
  hasErrors,
  ok,
  type Problem,
  problem,
  type Result,
  remarked as withRemark,
} from "../model/problem.js";
import type { UnmanagedObject } from "../model/unmanaged.js";
import { count } from "../render/safe-text.js";

/** Live state as one desired-state file, or as one for each zone. */
export interface Export {
  readonly files: readonly ExportedFile[];
  readonly zones: number;
  readonly objects: number;
  /** The names of the secrets in the files. */
  readonly secrets: readonly string[];
  /** Live objects that no file has, each with the reason, in sentences that begin with the zone's name. */
  readonly leftOut: readonly string[];
  /** The number of objects under `unmanaged` that weaken protection, or may. */
  readonly acknowledged: number;
  /** Declared objects that weaken protection, such as skip rules, in sentences that begin with the zone's name. */
  readonly weakening: readonly string[];
  /** Unknown expression fields, with the types that the files give them and the places of their use. */
  readonly learnt: readonly string[];
  /** Null: no template was asked for. */
  readonly template: SharedTemplate | null;
  /** Reasons why zones or sections could not be read. The files lack them. */
  readonly problems: readonly Problem[];
}

export interface SharedTemplate {
  readonly name: string;
  /** The sections of the template. Empty: the zones share nothing, and no template was written. */
  readonly sections: readonly string[];
  /** The numbers of complete and of partial objects. */
  readonly objects: Sharing["objects"];
  /** The differences that stay in the zones, in sentences. */
  readonly kept: readonly string[];
}

export interface ExportedFile {
  /** The file's name in a folder. A single file has a placeholder. */
  readonly name: string;
  readonly text: string;
  /** Null: the file has several zones, or what they share. */
  readonly zone: string | null;
  /** Whether a section of its zones could not be read. */
  readonly lacksSomething: boolean;
}

/** The layout of an export. */
export interface How {
  readonly layout?: "one file" | "one file per zone";
  /** The name of a template for everything that all zones share. */
  readonly template?: string | undefined;
  /** The `service` section to use and to repeat in the files. */
  readonly service?: Service | undefined;
  /** Whether a text has the value of a secret variable: an object that shows one is left out. */
  readonly isSecretIn?: (text: string) => boolean;
}

/** An exported zone with its problems. */
export interface Exported {
  readonly zone: ExportedZone;
  readonly problems: readonly Problem[];
}

/** The files of the zones. They are checked together as a plan would read them. */
export function filesOf(
  exported: readonly Exported[],
  remarked: readonly Problem[],
  { layout = "one file", template, service: declaredService = defaultService }: How,
  client: Client,
): Result<Export> {
  const zones = exported.map(({ zone }) => zone);
  const problems = [...remarked, ...problemsOf(exported)];
  const { bodies, secrets } = bodiesOf(zones);
  const sharing = template === undefined ? null : share(bodies, template);
  const service = serviceFor(zones, declaredService);
  const templates = sharing?.template ? [sharing.template] : [];
  const zoneBodies = sharing?.zones ?? bodies;
  const remarks = remarked.map(({ detail }) => ` ${detail}`);
  const files =
    layout === "one file"
      ? [{ name: "export", text: fileText({ remarks, service, templates, zones: zoneBodies }), zone: null }]
      : folderTexts(service, templates, zoneBodies);
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
    leftOut: [...zones.flatMap(objectsLeftOut), ...sectionsNotRead(zones)],
    acknowledged: zones.flatMap((zone) => acknowledgedIn(zone.sections)).filter(mayWeaken).length,
    weakening: zones.flatMap(objectsThatWeaken),
    learnt: learntIn(service, declaredService, zones),
    template: template === undefined || sharing === null ? null : templateOf(template, sharing),
    problems,
  });
}

/** Merges equal notes, such as features missing in a Cloudflare plan: the first zone's note names the other zones. */
function problemsOf(exported: readonly Exported[]): readonly Problem[] {
  const all = exported.flatMap(({ zone: { name }, problems }) =>
    problems.map((reason) => ({ name, reason })),
  );
  const same = groupBy(all, ({ reason: { severity, code, summary }, name }) =>
    JSON.stringify(severity === "note" ? [code, summary] : [name, code, summary]),
  );
  return [...same.values()].flatMap((each): readonly Problem[] => {
    const [{ name, reason }] = each;
    const otherNames = [...new Set(each.map((entry) => entry.name))].filter((other) => other !== name);
    if (reason.severity !== "note") return each.map((entry) => entry.reason);
    return [
      otherNames.length === 0
        ? reason
        : withRemark(reason, { after: ` The same holds for ${firstFew(otherNames, MAX_NAMED)}.` }),
    ];
  });
}

/** Expression fields that the export adds to the `service` section. */
function learntIn(
  service: Service,
  declaredService: Service,
  zones: readonly ExportedZone[],
): readonly string[] {
  const known = declaredService.extra_expression_fields;
  const fields = Object.entries(service.extra_expression_fields).filter(
    ([name]) => !Object.hasOwn(known, name),
  );
  return fields.map(([name, type]) => {
    const uses = zones.flatMap((zone) =>
      zone.sections.flatMap((section) =>
        section.entries.flatMap((entry) =>
          expressionsIn(section.kind, entry.body).some((text) => text.includes(name))
            ? [`${calledIn(section, entry)} in ${zone.name}`]
            : [],
        ),
      ),
    );
    return `${name}: ${type}, which fits ${firstFew(uses, 1)}`;
  });
}

function templateOf(name: string, { template, objects, leftovers }: Sharing): SharedTemplate {
  const { sections = [], unmanaged = {} } = template?.body ?? {};
  const listing = Object.keys(unmanaged).length === 0 ? [] : ["unmanaged"];
  return {
    name,
    sections: [...sections.map((each) => each.name), ...listing],
    objects,
    kept: leftoverTexts(leftovers),
  };
}

/** Errors of the files, checked together as a plan would read them. With errors, nothing is written. */
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

/** Objects that comments of the files name. Sections that could not be read are reported as problems. */
function objectsLeftOut({ name, sections }: ExportedZone): readonly string[] {
  return sections.flatMap((section) => {
    const { notes, entries, live } = section;
    if (live === null) return [];
    return [
      ...notes.map((note) => `${name}: ${bare(note)}`),
      ...entries.flatMap((entry) =>
        entry.notes.map((note) => `${name}, ${calledIn(section, entry)}: ${bare(note)}`),
      ),
    ];
  });
}

/** A live bypass becomes a declared one, which no later plan reports. */
function objectsThatWeaken({ name, sections }: ExportedZone): readonly string[] {
  return sections.flatMap(({ kind, entries, live }) => {
    const items = entries.map(({ item }) => item);
    const reported = live === null ? [] : undeclaredAmong(kind, items, [], live.context);
    return reported
      .filter(({ effect, ref }) => effect === "weakens" && items.some((item) => item.ref.id === ref.id))
      .map(({ ref, does }) => `${name}: ${ref.kind} ${JSON.stringify(ref.key)} ${does}`);
  });
}

function mayWeaken({ effect }: Pick<UnmanagedObject, "effect">): boolean {
  return effect !== "neutral" && effect !== "strengthens";
}

/** These come last, because most are just missing in the zone's Cloudflare plan. */
function sectionsNotRead(zones: readonly ExportedZone[]): readonly string[] {
  const unread = zones.flatMap(({ name: zone, sections }) =>
    sections.flatMap(({ name, live }) => (live === null ? [{ zone, name }] : [])),
  );
  return [...groupBy(unread, ({ name }) => name)].map(
    ([name, all]) => `${firstFew(all, MAX_NAMED, ({ zone }) => zone)}: ${name} could not be read: see above.`,
  );
}

const MAX_NAMED = 3;

function bare(note: string): string {
  return note.replace(/^Not managed: /, "");
}

function calledIn(section: Section, { item }: Entry): string {
  return isListIn(section) ? `${item.ref.kind} ${JSON.stringify(item.ref.key)}` : section.name;
}

function tooLarge(sizeBytes: number, zones: number): Problem {
  const detail = `With ${count(zones, "zone")} the file would have ${sizeBytes} bytes, more than ${MAX_FILE_BYTES}. Export fewer zones at a time into several files, by name or with --zone. Nothing is written.`;
  return problem("export_too_large", "Export too large for one file", detail);
}

function exposed(name: string): Problem {
  const detail = `${name} is in a live object in a field that is not secret, and the file would show it. Remove it there, and replace the secret.`;
  return problem("secret_exposed", "Secret would be exposed", detail);
}
