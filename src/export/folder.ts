import { hash } from "node:crypto";
import { defaultService } from "../config/schema.js";
import type { Service } from "../model/wanted.js";
import type { NamedBody } from "./bodies.js";
import { fileText, serviceBodyOf } from "./file-text.js";

/** A text, and its file's name in the folder. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
  /** Null: it is about all zones. */
  readonly zone: string | null;
}

/** What the files of a folder say together. */
interface Content {
  readonly service: Service;
  readonly templates: readonly NamedBody[];
  readonly zones: readonly NamedBody[];
}

/** The file of a folder that has what all its zones share. No zone's file has this name: zones have a dot in theirs. */
const SHARED = "shared.yaml";

/** A file a zone, which are one desired state together: one file speaks of the service, and has the templates. */
export function folderTexts({ service, templates, zones }: Content): readonly NamedText[] {
  const files = zones.map((zone): NamedText => {
    const text = fileText({ remarks: [], service: defaultService, templates: [], zones: [zone] });
    return { name: fileNameOf(zone.name), text, zone: zone.name };
  });
  if (templates.length === 0 && Object.keys(serviceBodyOf(service)).length === 0) return files;
  const shared = fileText({ remarks: [], service, templates, zones: null });
  return [{ name: SHARED, text: shared, zone: null }, ...files];
}

/**
 * A zone's file. Names of zones are lower-case letters, digits, `-`, `_` and dots, so that a `+` keeps what is made up from
 * being another zone's.
 */
function fileNameOf(zone: string): string {
  if (zone.length > MAX_NAME_CHARS) {
    const digest = hash("sha256", zone).slice(0, 16);
    return `${zone.slice(0, MAX_NAME_CHARS)}+${digest}.yaml`;
  }
  return DEVICE.test(zone) ? `+${zone}.yaml` : `${zone}.yaml`;
}

/** File systems take 255 bytes; a file that replaces another has a longer name for a moment. */
const MAX_NAME_CHARS = 180;

/** What Windows takes for a device, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)\./;
