import type { Flag } from "./command.js";

/** Commands of other tools, with what zoneward has instead. */
const COMMANDS: { readonly [name: string]: string } = {
  init: "There is nothing to set up. zoneward export ZONE -o zoneward.yaml writes the first file.",
  import: "zoneward export writes live zones into files.",
  destroy: "Set ensure: absent on the object, or list its section under prune, and apply.",
  delete: "Set ensure: absent on the object, or list its section under prune, and apply.",
  undo: "zoneward rollback undoes an apply.",
  history: "zoneward rollback --list shows past applies.",
  status: "zoneward doctor checks the token and the zones; zoneward rollback --list shows past applies.",
  state: "There is no state file: zoneward compares the files with the live zone.",
  refresh:
    "zoneward drift shows changes made outside the files, and zoneward adopt writes them into the files.",
  diff: "zoneward plan shows what would change.",
  preview: "zoneward plan shows what would change.",
  sync: "zoneward apply makes the live state as the files say.",
  dump: "zoneward export writes live zones into files.",
  lint: "zoneward validate checks the files offline.",
};

/** Flags of other tools, with the flags that zoneward has instead. */
const FLAGS: { readonly [name: string]: readonly string[] } = {
  "auto-approve": ["yes"],
  force: ["yes"],
  y: ["yes"],
  f: ["config"],
  file: ["config"],
  "config-file": ["config"],
  target: ["only", "zone"],
  parallelism: ["concurrency"],
  doit: ["yes"],
};

/** Null: the name is not known from another tool. */
export function commandInstead(name: string): string | null {
  return Object.hasOwn(COMMANDS, name) ? (COMMANDS[name] ?? null) : null;
}

/** Null: the name is not known from another tool, or the command has no such flag. */
export function flagInstead(name: string, flags: readonly Flag[]): string | null {
  const word = name.replace(/^-+/, "");
  const wanted = Object.hasOwn(FLAGS, word) ? (FLAGS[word] ?? []) : [];
  const instead = flags.filter((each) => wanted.includes(each.name)).map(spelled);
  return instead.length === 0 ? null : `Use ${instead.join(" or ")}.`;
}

function spelled({ name, short }: Flag): string {
  return short === undefined ? `--${name}` : `-${short} (--${name})`;
}
