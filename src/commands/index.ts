import type { Command, Flag } from "./command.js";
import * as flags from "./flags.js";

const detectionFlags: readonly Flag[] = [
  flags.config,
  {
    name: "host",
    value: "HOST",
    many: true,
    help: "list: only what was seen on this host; * matches any start or end. May be repeated.",
  },
  {
    name: "status",
    value: "STATUS",
    many: true,
    help: "list: active (default), infrequent, inactive, or several: active,infrequent. May be repeated.",
  },
  { name: "malicious", help: "list: only malicious ones." },
  {
    name: "format",
    value: "FORMAT",
    choices: ["text", "table", "json", "csv"],
    help: "A table (default; text is the same), json or csv.",
  },
  ...flags.service,
  flags.quiet,
  flags.verbose,
];

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: "validate",
    summary: "check the files offline: shape, rules, CSP values",
    flags: [flags.config, flags.format, flags.quiet],
    examples: ["zoneward validate", "zoneward validate -c zones/ --format json"],
    load: () => import("./validate.js"),
  },
  {
    name: "plan",
    summary: "read live state, show what would change, write a plan file",
    flags: [
      flags.config,
      { name: "out", short: "o", value: "FILE", help: "Write the plan to a file, for apply." },
      { name: "detailed-exitcode", help: "Exit with 2 when there are changes." },
      flags.format,
      flags.allow,
      ...flags.service,
      flags.quiet,
      flags.verbose,
    ],
    examples: [
      "zoneward plan",
      "zoneward plan --zone 'shop.*' -o plan.json",
      "zoneward plan --format json | jq .summary",
    ],
    load: () => import("./plan.js"),
  },
  {
    name: "apply",
    summary: "carry out a saved plan, or plan and apply after a yes",
    operands: ["[plan.json]"],
    flags: [
      flags.config,
      { name: "yes", help: "Ask nothing. Needed where there is no terminal and no saved plan." },
      flags.format,
      flags.allow,
      ...flags.service,
      flags.quiet,
      flags.verbose,
    ],
    examples: [
      "zoneward apply",
      "zoneward plan -o plan.json && zoneward apply plan.json",
      "zoneward apply --yes --format json",
    ],
    load: () => import("./apply.js"),
  },
  {
    name: "scripts",
    summary: "the scripts that the service has detected: a list, or one with its pages and versions",
    operands: ["list|show", "[ID]"],
    flags: detectionFlags,
    examples: [
      "zoneward scripts list --zone shop.example.com",
      "zoneward scripts list --host '*.shop.example.com' --status active,infrequent --format csv",
      "zoneward scripts list --malicious --format json | jq '.scripts[].url'",
      "zoneward scripts show --zone shop.example.com 023e105f4ecef8ad9ca31a8372d0c353",
    ],
    load: () => import("./scripts.js"),
  },
  {
    name: "connections",
    summary: "the connections that the service has detected: a list, or one with all that is known",
    operands: ["list|show", "[ID]"],
    flags: detectionFlags,
    examples: [
      "zoneward connections list --zone shop.example.com",
      "zoneward connections list --malicious --format json",
      "zoneward connections show --zone shop.example.com 023e105f4ecef8ad9ca31a8372d0c353",
    ],
    load: () => import("./connections.js"),
  },
  {
    name: "emulator",
    summary: "the API on loopback, in memory or kept in a file",
    flags: [
      { name: "port", value: "PORT", help: "Where to listen. Default: any free port." },
      {
        name: "dialect",
        value: "DIALECT",
        choices: ["service", "interface"],
        help: "service (default): as the real service is seen to answer; interface: as its interface is described.",
      },
      { name: "seed", value: "FILE", help: "The state to start from, as YAML or JSON." },
      { name: "state", value: "FILE", help: "Keep the state in this file; if it is there, start from it." },
      {
        name: "log",
        value: "FILE",
        help: "Write each request and its answer to this file, one line of JSON each.",
      },
    ],
    examples: ["zoneward emulator", "zoneward emulator --seed live.yaml --state state.json --port 8787"],
    load: () => import("./emulator.js"),
  },
  {
    name: "demo",
    summary: "the whole loop against the embedded emulator, no account needed",
    flags: [],
    examples: ["zoneward demo"],
    load: () => import("./demo.js"),
  },
  {
    name: "schema",
    summary: "print the JSON Schema of desired-state files, or of plan documents",
    operands: ["[config|plan]"],
    flags: [],
    examples: ["zoneward schema > zoneward.schema.json", "zoneward schema plan"],
    load: () => import("./schema.js"),
  },
  {
    name: "completion",
    summary: "print a completion script for a shell",
    operands: ["bash|zsh|fish"],
    flags: [],
    examples: ["source <(zoneward completion bash)", "zoneward completion fish | source"],
    load: () => import("./completion.js"),
  },
  {
    name: "version",
    summary: "print the version",
    flags: [],
    examples: ["zoneward version"],
    load: () => import("./version.js"),
  },
];
