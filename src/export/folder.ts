import { hash } from "node:crypto";
import { defaultService } from "../config/schema.js";
import type { Service } from "../model/wanted.js";
import type { NamedBody } from "./bodies.js";
import { fileText, serviceBodyOf } from "./file-text.js";

export interface NamedText {
  readonly name: string;
  readonly text: string;
  /** Null: the file is for all zones. */
  readonly zone: string | null;
}

/** The content of all files of a folder. */
interface Content {
  readonly service: Service;
  readonly templates: readonly NamedBody[];
  readonly zones: readonly NamedBody[];
}

/** The file for everything that zones share. No zone has this name, since names of zones have a dot. */
const SHARED = "shared.yaml";

/** A file for each zone, and one for the service and the templates. */
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
 * The name of a zone's file. Names of zones have lower-case letters, digits, `-`, `_` and dots. So a name with a `+` is
 * no other zone's.
 */
function fileNameOf(zone: string): string {
  if (zone.length > MAX_NAME_CHARS) {
    const digest = hash("sha256", zone).slice(0, 16);
    return `${zone.slice(0, MAX_NAME_CHARS)}+${digest}.yaml`;
  }
  return DEVICE.test(zone) ? `+${zone}.yaml` : `${zone}.yaml`;
}

/** File systems allow 255 bytes. While a file is replaced, its temporary name is longer. */
const MAX_NAME_CHARS = 180;

/** Windows takes these names for devices, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)\./;
