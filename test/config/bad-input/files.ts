import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

const good = "version: 1\nzones:\n  a.example: {}\n";

export const files: readonly BadInput[] = [
  {
    name: "a saved plan as one error",
    files: { "plan.json": '{ "format_version": "1", "digest": "sha256:0", "calls": [], "zones": [] }\n' },
    problems: text`
      plan.json:1:1 foreign_file
        Apply it with zoneward apply plan.json, or show it with zoneward show plan.json.
    `,
  },
  {
    name: "a file of another program as one error",
    files: { "package.json": '{ "name": "site", "version": "0.1.0", "scripts": {}, "type": "module" }\n' },
    problems: text`
      package.json:1:1 foreign_file
        It has none of the keys account_id, defaults, templates, zones, tests, guardrails, service. Name another file.
    `,
  },
  {
    name: "a missing named file",
    files: { "a.yaml": good },
    config: ["a.yaml", "b.yaml"],
    problems: text`
      - no_such_file
        b.yaml does not exist. Check the path. It is relative to the folder that zoneward runs in.
    `,
  },
  {
    name: "a default file with the other ending",
    files: { "zoneward.yml": good },
    config: [],
    problems: text`
      - no_such_file
        zoneward.yaml does not exist. Rename zoneward.yml, or name it with -c.
    `,
  },
  {
    name: "a missing default file",
    files: { "a.yaml": good },
    config: [],
    problems: text`
      - no_such_file
        zoneward.yaml does not exist. Name the file with -c, or run zoneward in the folder that has zoneward.yaml or zones/.
    `,
  },
  {
    name: "an empty file name",
    files: { "a.yaml": good },
    config: [""],
    problems: text`
      - no_such_file
        "" does not exist. Check the path. It is relative to the folder that zoneward runs in.
    `,
  },
  {
    name: "a file name with a NUL",
    files: { "a.yaml": good },
    config: ["a.yaml\0"],
    problems: text`
      a.yaml\0:1:1 odd_name
        Rename the file.
    `,
  },
  {
    name: "a glob without matches",
    files: { "a.yaml": good },
    config: ["*.yml", "zones/**"],
    problems: text`
      - no_files
        No file matches *.yml. Check the pattern. It is relative to the folder that zoneward runs in.
      - no_files
        No file matches zones/**. Check the pattern. It is relative to the folder that zoneward runs in.
    `,
  },
  {
    name: "a folder without YAML files",
    files: { "zones/a.json": "{}", "zones/.hidden.yaml": good, "zones/node_modules/a.yaml": good },
    config: ["zones"],
    problems: text`
      - no_files
        zones has no *.yaml or *.yml files. Name the file or folder that has the zones.
    `,
  },
  {
    name: "a file used as a folder",
    files: { "a.yaml": good },
    config: ["a.yaml/b.yaml"],
    problems: text`
      - no_such_file
        a.yaml/b.yaml does not exist. Check the path. It is relative to the folder that zoneward runs in.
    `,
  },
  {
    name: "a file that is not UTF-8",
    files: { "a.yaml": Buffer.from("version: 1\naccount_id: b\u00fccher\n", "latin1") },
    problems: text`
      a.yaml:1:1 not_utf8
        Some bytes are not UTF-8. Save the file as UTF-8.
    `,
  },
  {
    name: "a UTF-16 file",
    files: { "a.yaml": Buffer.from(`\ufeff${good}`, "utf16le") },
    problems: text`
      a.yaml:1:1 not_utf8
        Some bytes are not UTF-8. Save the file as UTF-8.
    `,
  },
  {
    name: "a UTF-16 file without a byte-order mark",
    files: { "a.yaml": Buffer.from(good, "utf16le") },
    problems: text`
      a.yaml:1:2 control_character
        YAML does not allow this character. Remove it, or write it as an escape in double quotes. If the file has many, save it as UTF-8 text.
    `,
  },
  {
    name: "half of a surrogate pair",
    files: { "a.yaml": Buffer.from([0x61, 0x3a, 0x20, 0xed, 0xa0, 0x80]) },
    problems: text`
      a.yaml:1:1 not_utf8
        Some bytes are not UTF-8. Save the file as UTF-8.
    `,
  },
  {
    name: "a file of more than 16 MiB",
    files: { "a.yaml": Buffer.alloc(16 * 1024 * 1024 + 1, "#\n") },
    problems: text`
      a.yaml:1:1 file_too_large
        It has more than 16777216 bytes. Split it, for example by zone. Several files together are one desired state.
    `,
  },
  {
    name: "problems of all files together",
    files: {
      "a.yaml": "zones: [\n",
      "b.yaml": "version: 1\nzones: { a.example: { extends: [shop] } }\n",
      "c.yaml": Buffer.from([0xff]),
      "zones/d.yaml": "version: 1\nxones: {}\n",
    },
    config: ["zones", "a.yaml", "none.yaml", "b.yaml", "c.yaml"],
    problems: text`
      - no_such_file
        none.yaml does not exist. Check the path. It is relative to the folder that zoneward runs in.
      c.yaml:1:1 not_utf8
        Some bytes are not UTF-8. Save the file as UTF-8.
      zones/d.yaml:2:1 unknown_key /xones
        The file has no such key. Did you mean "zones"?
      a.yaml:1:8 yaml_not_closed
        No ] closes this [. Write ] where it ends, and indent every line up to it with spaces.
      b.yaml:2:33 unknown_template /zones/a.example/extends/0
        No file defines this template. Define it under templates, or remove it from extends.
    `,
  },
];
