import type { Client } from "../api/client.js";
import { MAX_FILE_BYTES } from "../config/files.js";
import { desiredFrom } from "../config/index.js";
import { defaultService } from "../config/schema.js";
import { acknowledgedIn, bodiesOf, isListIn } from "../export/bodies.js";
import { fileText, serviceFor } from "../export/file-text.js";
import { folderTexts, type NamedText } from "../export/folder.js";
import type { Entry, ExportedZone, Section } from "../export/read-live.js";
import { type Sharing, share } from "../export/share.js";
import { leftoverTexts } from "../export/split.js";
import { expressionsIn } from "../kinds/expression.js";
import { firstFew } from "../model/cut.js";
import { groupBy } from "../model/group-by.js";
import {
  failed,
  hasErrors,
  ok,
  type Problem,
  problem,
  type Result,
  remarked as withRemark,
} from "../model/problem.js";
import { secretsIn } from "../model/secrets-in-text.js";
import type { UnmanagedObject } from "../model/unmanaged.js";
import type { Service } from "../model/wanted.js";
import { count } from "../render/plain.js";

/** Live state as desired-state files: one, or one a zone. */
export interface Export {
  readonly files: readonly ExportedFile[];
  readonly zones: number;
  readonly objects: number;
  /** The names of the secrets that they take. */
  readonly secrets: readonly string[];
  /** What is live and in no file, with why, in sentences that begin with the zone's name. */
  readonly leftOut: readonly string[];
  /** How many live objects the files acknowledge under `unmanaged` although they weaken protection, or may. */
  readonly acknowledged: number;
  /** Fields of expressions that are not known, with the types that the files give them, and where they are used. */
  readonly learnt: readonly string[];
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

/** How it is to be written. */
export interface How {
  readonly layout?: "one file" | "a file a zone";
  /** The name of a template of what all zones share. */
  readonly template?: string | undefined;
  /** What is known of the service: the files say it again. */
  readonly service?: Service | undefined;
  /** Whether a text has the value of a secret variable: an object that shows one is left out. */
  readonly isSecretIn?: (text: string) => boolean;
}

/** A zone that was read. */
export interface Exported {
  readonly zone: ExportedZone;
  readonly problems: readonly Problem[];
}

/** Zones as files, tried together as a plan would read them. */
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
  const content = {
    service,
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
    leftOut: [...zones.flatMap(objectsLeftOut), ...sectionsNotRead(zones)],
    acknowledged: zones.flatMap((zone) => acknowledgedIn(zone.sections)).filter(mayWeaken).length,
    learnt: learntIn(service, declaredService, zones),
    template: template === undefined || sharing === null ? null : toldSharing(template, sharing),
    problems,
  });
}

/** What a zone's plan does not have is said of the first such zone, and the others are named with it. */
function problemsOf(exported: readonly Exported[]): readonly Problem[] {
  const all = exported.flatMap(({ zone: { name }, problems }) =>
    problems.map((reason) => ({ name, reason })),
  );
  const same = groupBy(all, ({ reason: { severity, code, summary }, name }) =>
    JSON.stringify(severity === "note" ? [code, summary] : [name, code, summary]),
  );
  return [...same.values()].flatMap((each): readonly Problem[] => {
    const [{ name, reason }] = each;
    const otherNames = [...new Set(each.map((one) => one.name))].filter((other) => other !== name);
    if (reason.severity !== "note") return each.map((one) => one.reason);
    return [
      otherNames.length === 0
        ? reason
        : withRemark(reason, { after: ` The same holds for ${firstFew(otherNames, MAX_NAMED)}.` }),
    ];
  });
}

/** What the files say of the service that nobody has said before. */
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

function toldSharing(name: string, { template, objects, leftovers }: Sharing): SharedTemplate {
  const { sections = [], unmanaged = {} } = template?.body ?? {};
  const listing = Object.keys(unmanaged).length === 0 ? [] : ["unmanaged"];
  return {
    name,
    sections: [...sections.map((each) => each.name), ...listing],
    objects,
    kept: leftoverTexts(leftovers),
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

function mayWeaken({ effect }: Pick<UnmanagedObject, "effect">): boolean {
  return effect !== "neutral" && effect !== "strengthens";
}

/** After all else, since most of it is what a zone's plan does not have. */
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
