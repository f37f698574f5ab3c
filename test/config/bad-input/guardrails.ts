import { FORBIDDABLE } from "../../../src/model/guardrails.js";
import { limitNames } from "../../../src/model/limits.js";
import { choices } from "../../support/choices.js";
import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const guardrails: readonly BadInput[] = [
  {
    name: "guardrails in two files",
    files: {
      "a.yaml": "version: 1\nguardrails: { max_deletes: 3 }\nzones: { a.example: {} }\n",
      "b.yaml": "version: 1\nguardrails: { max_deletes: 300 }\n",
      "c.yaml": "version: 1\nguardrails: {}\n",
    },
    problems: text`
      b.yaml:2:1 duplicate_guardrails /guardrails
        guardrails also stands at a.yaml:2:1. Keep it in one of the files.
      c.yaml:2:1 duplicate_guardrails /guardrails
        guardrails also stands at a.yaml:2:1. Keep it in one of the files.
    `,
  },
  {
    name: "unknown keys of guardrails",
    files: {
      "a.yaml": text`
        version: 1
        guardrails:
          max_delete: 3
          forbids: [deletes]
          allow: [deletes]
      `,
    },
    problems: text`
      a.yaml:3:3 unknown_key /guardrails/max_delete
        guardrails has no such key. Did you mean "max_deletes"?
      a.yaml:4:3 unknown_key /guardrails/forbids
        guardrails has no such key. Did you mean "forbid"?
      a.yaml:5:3 unknown_key /guardrails/allow
        guardrails has no such key. Keys here: ${limitNames.join(", ")}, evidence_days, forbid.
    `,
  },
  {
    name: "guardrail counts that are not whole numbers from 0",
    files: {
      "a.yaml": 'version: 1\nguardrails: { max_changes: -1, max_deletes: "3" }\n',
      "b.yaml": "version: 1\nzones: { a.example: {} }\n",
    },
    problems: text`
      a.yaml:2:28 wrong_value /guardrails/max_changes
        max_changes is -1. It must be 0 or more.
      a.yaml:2:45 wrong_type /guardrails/max_deletes
        max_deletes is "3". It must be a whole number. Remove the quotes.
    `,
  },
  {
    name: "a fractional count",
    files: {
      "a.yaml": "version: 1\nguardrails: { max_deletes: 2.5 }\n",
    },
    problems: text`
      a.yaml:2:28 wrong_type /guardrails/max_deletes
        max_deletes is 2.5. It must be a whole number.
    `,
  },
  {
    name: "a share written as a percentage",
    files: {
      "a.yaml": "version: 1\nguardrails: { max_changed_share: 12.5% }\n",
    },
    problems: text`
      a.yaml:2:34 wrong_type /guardrails/max_changed_share
        max_changed_share is "12.5%". It must be a number. Write 0.125 for 12.5 %.
    `,
  },
  {
    name: "a share above 1",
    files: {
      "a.yaml": "version: 1\nguardrails: { max_changed_share: 20 }\n",
    },
    problems: text`
      a.yaml:2:34 wrong_value /guardrails/max_changed_share
        max_changed_share is 20. It must be 1 or less.
    `,
  },
  {
    name: "a negative share, and a share in quotes",
    files: {
      "a.yaml": 'version: 1\nguardrails: { max_changed_share: "0.2" }\n',
      "b.yaml": "version: 1\nguardrails: { max_changed_share: -0.2 }\n",
    },
    problems: text`
      a.yaml:2:34 wrong_type /guardrails/max_changed_share
        max_changed_share is "0.2". It must be a number. Remove the quotes.
      b.yaml:2:1 duplicate_guardrails /guardrails
        guardrails also stands at a.yaml:2:1. Keep it in one of the files.
      b.yaml:2:34 wrong_value /guardrails/max_changed_share
        max_changed_share is -0.2. It must be 0 or more.
    `,
  },
  {
    name: "unknown and fixed guardrails in forbid",
    files: {
      "a.yaml": text`
        version: 1
        guardrails:
          forbid: [delete, service_off, drift, conflict, prune_all, max_deletes, 3]
      `,
    },
    problems: text`
      a.yaml:3:12 wrong_value /guardrails/forbid/0
        Item 1 of forbid is "delete". Did you mean "deletes"? It must be ${choices(FORBIDDABLE)}.
      a.yaml:3:50 wrong_value /guardrails/forbid/4
        Item 5 of forbid is "prune_all". Remove it: this guardrail always holds.
      a.yaml:3:61 wrong_value /guardrails/forbid/5
        Item 6 of forbid is "max_deletes". It must be ${choices(FORBIDDABLE)}.
      a.yaml:3:74 wrong_value /guardrails/forbid/6
        Item 7 of forbid is 3. It must be ${choices(FORBIDDABLE)}.
    `,
  },
  {
    name: "forbid without a list",
    files: {
      "a.yaml": "version: 1\nguardrails: { forbid: deletes }\n",
    },
    problems: text`
      a.yaml:2:23 wrong_type /guardrails/forbid
        forbid is "deletes". It must be a list. Write ["deletes"].
    `,
  },
  {
    name: "guardrails without a value",
    files: {
      "a.yaml": "version: 1\nguardrails:\n",
    },
    problems: text`
      a.yaml:2:1 no_value /guardrails
        guardrails has no value. Give it one, or remove the key. An absent key is not managed.
    `,
  },
];
