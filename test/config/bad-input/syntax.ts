import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const syntax: readonly BadInput[] = [
  {
    name: "tabs do not indent",
    files: {
      "a.yaml": "version: 1\nzones:\n\ta.example:\n\t\tsettings: {}\n",
    },
    problems: text`
      a.yaml:3:1 yaml_tab_as_indent
        A tab stands where only spaces may, here and on 1 more line. Indent with spaces.
    `,
  },
  {
    name: "a tab after spaces does not indent either",
    files: {
      "a.yaml": "version: 1\nzones:\n  a.example:\n  \tsettings: {}\n",
    },
    problems: text`
      a.yaml:4:3 yaml_tab_as_indent
        A tab stands where only spaces may. Indent with spaces.
    `,
  },
  {
    name: "sections that are alike belong to their keys each by its own column",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings:
             enabled: true
          b.example:
              settings:
             enabled: true
          c.example:
            settings: { enabled: false }
      `,
    },
    problems: text`
      a.yaml:7:16 yaml_bad_indent
        The indentation fits nothing above. The keys of a map all start in one column.
    `,
  },
  {
    name: "an alias needs an anchor",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: *nothing
      `,
    },
    problems: text`
      a.yaml:3:14 unresolved_alias /zones/a.example
        *nothing is an alias, and no &nothing is complete before it. If it is a text, put it in quotes.
    `,
  },
  {
    name: "an alias cannot stand inside what it stands for",
    files: {
      "a.yaml": text`
        version: 1
        zones: &all
          a.example: *all
      `,
    },
    problems: text`
      a.yaml:3:14 unresolved_alias /zones/a.example
        *all is an alias, and no &all is complete before it. If it is a text, put it in quotes.
    `,
  },
  {
    name: "a text that begins with a star is no alias once it is in quotes",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: [*.example.com, "*.example.net"] }
      `,
    },
    problems: text`
      a.yaml:6:31 unresolved_alias /zones/a.example/policies/0/value/script-src/0
        *.example.com is an alias, and no &.example.com is complete before it. If it is a text, put it in quotes.
    `,
  },
  {
    name: "a lone star is no alias",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: *
      `,
    },
    problems: text`
      a.yaml:3:14 yaml_bad_alias
        An anchor (&) or an alias (*) unnamed stands here. If it is a text, put it in quotes.
    `,
  },
  {
    name: "merge keys are not read",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: &shop { settings: { enabled: true } }
          b.example:
            <<: *shop
            settings: { enabled: false }
      `,
    },
    problems: text`
      a.yaml:5:5 merge_key /zones/b.example/<<
        "<<" is a merge key of YAML 1.1, not of 1.2. Put what is shared into templates, and name them in extends.
    `,
  },
  {
    name: "a merge key in quotes is one too, and what it has is read for more",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            "<<": [*x]
      `,
    },
    problems: text`
      a.yaml:4:5 merge_key /zones/a.example/<<
        "<<" is a merge key of YAML 1.1, not of 1.2. Put what is shared into templates, and name them in extends.
      a.yaml:4:12 unresolved_alias /zones/a.example/<</0
        *x is an alias, and no &x is complete before it. If it is a text, put it in quotes.
    `,
  },
  {
    name: "keys with a meaning in JavaScript are refused, all at once",
    files: {
      "a.yaml": text`
        version: 1
        __proto__: { version: 2 }
        zones:
          constructor: {}
          a.example:
            settings:
              prototype: 1
              valueOf: 1
              toString: a
              hasOwnProperty: {}
      `,
    },
    problems: text`
      a.yaml:2:1 forbidden_key /__proto__
        No key may be called "__proto__". Remove it, or give it another name.
      a.yaml:4:3 forbidden_key /zones/constructor
        No key may be called "constructor". Remove it, or give it another name.
      a.yaml:7:7 forbidden_key /zones/a.example/settings/prototype
        No key may be called "prototype". Remove it, or give it another name.
      a.yaml:8:7 forbidden_key /zones/a.example/settings/valueOf
        No key may be called "valueOf". Remove it, or give it another name.
      a.yaml:9:7 forbidden_key /zones/a.example/settings/toString
        No key may be called "toString". Remove it, or give it another name.
      a.yaml:10:7 forbidden_key /zones/a.example/settings/hasOwnProperty
        No key may be called "hasOwnProperty". Remove it, or give it another name.
    `,
  },
  {
    name: "such a key is refused in a CSP map and by any spelling",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          "__proto\\x5f_":
            policies:
              - description: Scripts
                value: { __proto__: [] }
      `,
    },
    problems: text`
      a.yaml:3:3 forbidden_key /zones/__proto__
        No key may be called "__proto__". Remove it, or give it another name.
      a.yaml:6:18 forbidden_key /zones/__proto__/policies/0/value/__proto__
        No key may be called "__proto__". Remove it, or give it another name.
    `,
  },
  {
    name: "keys are text",
    files: {
      "a.yaml": text`
        version: 1
        1: a
        true: b
        ~: c
        ? [a]
        : d
        ? { a: b }
        : e
      `,
    },
    problems: text`
      a.yaml:2:1 key_not_text
        Keys are text, and 1 is not. Put it in quotes.
      a.yaml:3:1 key_not_text
        Keys are text, and true is not. Put it in quotes.
      a.yaml:4:1 key_not_text
        Keys are text, and ~ is not. Put it in quotes.
      a.yaml:5:3 key_not_text
        This key is a list, a map or an alias, and keys are text. Write it out.
      a.yaml:7:3 key_not_text
        This key is a list, a map or an alias, and keys are text. Write it out.
    `,
  },
  {
    name: "a colon needs a key",
    files: {
      "a.yaml": text`
        version: 1
        : nothing
      `,
    },
    problems: text`
      a.yaml:2:1 key_not_text
        A key is missing before this colon. Write one.
    `,
  },
  {
    name: "a key cannot be an alias",
    files: {
      "a.yaml": text`
        version: &v account_id
        *v : abc
      `,
    },
    problems: text`
      a.yaml:1:13 wrong_value /version
        version is "account_id"; it must be 1.
      a.yaml:2:1 key_not_text
        This key is a list, a map or an alias, and keys are text. Write it out.
    `,
  },
  {
    name: "what cannot be read hides no other error, and what it leaves out is none",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings: *x
            policies:
              - { <<: *y, value: script-src 'self' }
              - { description: B, action: lock, expression: "true", value: script-src 'self' }
            logpush_jobs: [{ name: j, destination_conf: .inf }]
          b.example:
            setings: {}
      `,
    },
    problems: text`
      a.yaml:4:15 unresolved_alias /zones/a.example/settings
        *x is an alias, and no &x is complete before it. If it is a text, put it in quotes.
      a.yaml:6:11 merge_key /zones/a.example/policies/0/<<
        "<<" is a merge key of YAML 1.1, not of 1.2. Put what is shared into templates, and name them in extends.
      a.yaml:6:15 unresolved_alias /zones/a.example/policies/0/<<
        *y is an alias, and no &y is complete before it. If it is a text, put it in quotes.
      a.yaml:7:35 wrong_value /zones/a.example/policies/1/action
        action is "lock"; it can only be log, allow or add_reporting_directives. Did you mean "log"?
      a.yaml:8:49 not_json /zones/a.example/logpush_jobs/0/destination_conf
        This is no number that can be used here. Put text in quotes.
      a.yaml:10:5 unknown_key /zones/b.example/setings
        "setings" is unknown. Did you mean "settings"?
    `,
  },
  {
    name: "a key stands once in its map, however it is spelt",
    files: {
      "a.yaml": text`
        version: 1
        zones: {}
        "version": 1
        'zones': {}
        "\\x76ersion": 2
      `,
    },
    problems: text`
      a.yaml:3:1 duplicate_key /version
        "version" stands twice in this map, first at a.yaml:1:1. Remove one of them.
      a.yaml:4:1 duplicate_key /zones
        "zones" stands twice in this map, first at a.yaml:2:1. Remove one of them.
      a.yaml:5:1 duplicate_key /version
        "version" stands twice in this map, first at a.yaml:1:1. Remove one of them.
    `,
  },
  {
    name: "a key stands once in an inner map",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings: { enabled: true, enabled: false }
          a.example: {}
      `,
    },
    problems: text`
      a.yaml:4:32 duplicate_key /zones/a.example/settings/enabled
        "enabled" stands twice in this map, first at a.yaml:4:17. Remove one of them.
      a.yaml:5:3 duplicate_key /zones/a.example
        "a.example" stands twice in this map, first at a.yaml:3:3. Remove one of them.
    `,
  },
  {
    name: "YAML 1.1 is not read",
    files: {
      "a.yaml": text`
        %YAML 1.1
        ---
        version: 1
      `,
    },
    problems: text`
      a.yaml:1:1 yaml_version
        Only YAML 1.2 is read. Remove the %YAML line.
    `,
  },
  {
    name: "a YAML version that does not exist is not read",
    files: {
      "a.yaml": text`
        %YAML 3.0
        ---
        version: 1
      `,
    },
    problems: text`
      a.yaml:1:7 yaml_bad_directive
        Unsupported YAML version 3.0. Remove the line: no file here needs one that begins with %.
    `,
  },
  {
    name: "directives are not read",
    files: {
      "a.yaml": text`
        %SHOP a
        ---
        version: 1
      `,
    },
    problems: text`
      a.yaml:1:1 yaml_bad_directive
        Unknown directive %SHOP. Remove the line: no file here needs one that begins with %.
    `,
  },
  {
    name: "a directive without a document is two mistakes",
    files: {
      "a.yaml": text`
        %SHOP a
        version: 1
      `,
    },
    problems: text`
      a.yaml:1:1 yaml_bad_directive
        Unknown directive %SHOP. Remove the line: no file here needs one that begins with %.
      a.yaml:2:1 yaml_missing_char
        A line that begins with % stands before this. Remove that line.
    `,
  },
  {
    name: "tags are not read",
    files: {
      "a.yaml": text`
        version: !one 1
        zones: !!set { a.example }
        account_id: !!binary aGVsbG8=
      `,
    },
    problems: text`
      a.yaml:1:10 yaml_tag_resolve_failed
        This tag is not used here. Remove it.
      a.yaml:2:8 yaml_tag_resolve_failed
        This tag is not used here. Remove it.
      a.yaml:3:13 yaml_tag_resolve_failed
        This tag is not used here. Remove it.
    `,
  },
  {
    name: "a tag can make the version a text, which it is not",
    files: {
      "a.yaml": "version: !!str 1\n",
    },
    problems: text`
      a.yaml:1:16 wrong_value /version
        version is "1"; it must be 1, without quotes.
    `,
  },
  {
    name: "a file is one document",
    files: {
      "a.yaml": text`
        ---
        version: 1
        ---
        version: 1
      `,
    },
    problems: text`
      a.yaml:3:1 yaml_multiple_docs
        The file has more than one document. Put each into a file of its own.
    `,
  },
  {
    name: "a second document is refused though it is empty",
    files: {
      "a.yaml": text`
        version: 1
        ---
      `,
    },
    problems: text`
      a.yaml:2:1 yaml_multiple_docs
        The file has more than one document. Put each into a file of its own.
    `,
  },
  {
    name: "an empty file is refused",
    files: {
      "a.yaml": "",
    },
    problems: text`
      a.yaml:1:1 empty_file
        There is nothing in it. The least that a file needs is "version: 1".
    `,
  },
  {
    name: "a file of comments is empty",
    files: {
      "a.yaml": text`
        # Nothing yet

        # Later
      `,
    },
    problems: text`
      a.yaml:1:1 empty_file
        There is nothing in it. The least that a file needs is "version: 1".
    `,
  },
  {
    name: "a file of a document mark is empty",
    files: {
      "a.yaml": "---\n",
    },
    problems: text`
      a.yaml:1:1 empty_file
        There is nothing in it. The least that a file needs is "version: 1".
    `,
  },
  {
    name: "a file of a null is empty",
    files: {
      "a.yaml": "~\n",
    },
    problems: text`
      a.yaml:1:1 empty_file
        There is nothing in it. The least that a file needs is "version: 1".
    `,
  },
  {
    name: "a list is no desired state",
    files: {
      "a.yaml": "- version: 1\n",
    },
    problems: text`
      a.yaml:1:1 wrong_type
        The file is a list; it must be a map.
    `,
  },
  {
    name: "a text is no desired state",
    files: {
      "a.yaml": "version=1\n",
    },
    problems: text`
      a.yaml:1:1 wrong_type
        The file is "version=1"; it must be a map.
    `,
  },
  {
    name: "100,000 brackets are too deep",
    files: {
      "a.yaml": "[".repeat(100_000),
    },
    problems: text`
      a.yaml:1:42 too_deep
        This is nested more than 40 levels deep, and nothing here has to be. Remove some of the levels.
    `,
  },
  {
    name: "100,000 brackets that close are too deep",
    files: {
      "a.yaml": `version: 1\nzones: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n`,
    },
    problems: text`
      a.yaml:2:48 too_deep
        This is nested more than 40 levels deep, and nothing here has to be. Remove some of the levels.
    `,
  },
  {
    name: "100,000 braces with keys are too deep",
    files: {
      "a.yaml": "{a: ".repeat(100_000),
    },
    problems: text`
      a.yaml:1:165 too_deep
        This is nested more than 40 levels deep, and nothing here has to be. Remove some of the levels.
    `,
  },
  {
    name: "a block map can be too deep",
    files: {
      "a.yaml": Array.from({ length: 1_000 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
    },
    problems: text`
      a.yaml:42:42 too_deep
        This is nested more than 40 levels deep, and nothing here has to be. Remove some of the levels.
    `,
  },
  {
    name: "what follows a mistake may be an echo of it",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: [a] b
          b.example: {}
          c.example: {}
      `,
    },
    problems: text`
      a.yaml:3:18 yaml_unexpected_token
        The value has ended before this. If it belongs to it, put the whole value in double quotes.
    `,
  },
  {
    name: "a block list can be too deep",
    files: {
      "a.yaml": `version: 1\nzones:\n  ${"- ".repeat(10_000)}a\n`,
    },
    problems: text`
      a.yaml:3:83 too_deep
        This is nested more than 40 levels deep, and nothing here has to be. Remove some of the levels.
    `,
  },
  {
    name: "a billion laughs are refused",
    files: {
      "a.yaml": `version: 1\na0: &a0 [lol, lol]\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]\n`).join("")}`,
    },
    problems: text`
      a.yaml:7:20 alias_bomb /a5/2
        The aliases of this file stand for more than 100000 values. Use templates instead.
    `,
  },
  {
    name: "many aliases of one large list are refused",
    files: {
      "a.yaml": `version: 1\na: &a [${"x, ".repeat(1_000)}]\nb: [${"*a, ".repeat(1_000)}]\n`,
    },
    problems: text`
      a.yaml:3:401 alias_bomb /b/99
        The aliases of this file stand for more than 100000 values. Use templates instead.
    `,
  },
  {
    name: "aliases can nest too deep",
    files: {
      "a.yaml": `version: 1\na0: &a0 []\n${Array.from({ length: 50 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}]\n`).join("")}`,
    },
    problems: text`
      a.yaml:42:12 too_deep /a40/0
        With what it stands for, this alias is more than 40 levels deep. Use templates instead.
    `,
  },
  {
    name: "control characters are not YAML",
    files: {
      "a.yaml": 'version: 1\nzones:\n  a.example: { id: "a\u0000b" }\n',
    },
    problems: text`
      a.yaml:3:22 control_character
        A control character (U+0000) stands here. Remove it, or write it as an escape in double quotes. Where there are many, the file is not saved as UTF-8 text.
    `,
  },
  {
    name: "a carriage return alone ends no line",
    files: {
      "a.yaml": "version: 1\rzones: {}\r",
    },
    problems: text`
      a.yaml:1:11 control_character
        A control character (U+000D) stands here. Remove it, or write it as an escape in double quotes. Where there are many, the file is not saved as UTF-8 text.
    `,
  },
  {
    name: "a quote has an end",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: "Scripts
                action: log
      `,
    },
    problems: text`
      a.yaml:5:22 yaml_missing_char
        Nothing closes this quote. Write it once more where the text ends.
    `,
  },
  {
    name: "a single quote has an end",
    files: {
      "a.yaml": text`
        version: 1
        account_id: 'abc
      `,
    },
    problems: text`
      a.yaml:2:13 yaml_missing_char
        Nothing closes this quote. Write it once more where the text ends.
    `,
  },
  {
    name: "brackets have an end",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: { settings: { enabled: true }
      `,
    },
    problems: text`
      a.yaml:3:14 yaml_not_closed
        Nothing closes this {. Write } where it ends, and indent every line up to it, with spaces.
    `,
  },
  {
    name: "brackets end before the indentation does",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: { settings: {
          enabled: true
          } }
      `,
    },
    problems: text`
      a.yaml:3:26 yaml_not_closed
        Nothing closes this {. Write } where it ends, and indent every line up to it, with spaces.
    `,
  },
  {
    name: "a bracket closes something",
    files: {
      "a.yaml": text`
        version: 1
        zones: {}}
      `,
    },
    problems: text`
      a.yaml:2:10 yaml_unexpected_token
        This bracket closes nothing. Remove it.
    `,
  },
  {
    name: "commas separate something",
    files: {
      "a.yaml": text`
        version: 1
        zones: { a.example: { extends: [, a] } }
      `,
    },
    problems: text`
      a.yaml:2:33 yaml_unexpected_token
        Nothing stands before this comma. Remove it.
    `,
  },
  {
    name: "a key has a colon",
    files: {
      "a.yaml": text`
        version: 1
        zones
          a.example: {}
      `,
    },
    problems: text`
      a.yaml:2:1 yaml_multiline_implicit_key
        This is no key: a key has ": " after it, on the same line. Is the colon missing, or the space after it?
    `,
  },
  {
    name: "a colon has a space after it",
    files: {
      "a.yaml": text`
        version:1
        zones: {}
      `,
    },
    problems: text`
      a.yaml:1:1 yaml_multiline_implicit_key
        This is no key: a key has ": " after it, on the same line. Is the colon missing, or the space after it?
    `,
  },
  {
    name: "a text with a colon is in quotes",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Shop: scripts
      `,
    },
    problems: text`
      a.yaml:5:22 yaml_block_as_implicit_key
        Is this one text? Then put it in quotes: a ":" before a blank or the line's end makes a map, and a map begins on a line of its own.
    `,
  },
  {
    name: "a text with several colons is told of once",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Images
                value: img-src 'self' data: blob:
      `,
    },
    problems: text`
      a.yaml:6:16 yaml_block_as_implicit_key
        Is this one text? Then put it in quotes: a ":" before a blank or the line's end makes a map, and a map begins on a line of its own.
    `,
  },
  {
    name: "a text with quotes at its start is in quotes whole",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: 'self' https://cdn.example.net
      `,
    },
    problems: text`
      a.yaml:6:23 yaml_unexpected_token
        The value has ended before this. If it belongs to it, put the whole value in double quotes.
    `,
  },
  {
    name: "a text does not begin with a character that YAML keeps to itself",
    files: {
      "a.yaml": text`
        version: 1
        account_id: @shop
      `,
    },
    problems: text`
      a.yaml:2:13 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
    `,
  },
  {
    name: "a backslash in double quotes begins an escape",
    files: {
      "a.yaml": text`
        version: 1
        account_id: "\\q"
      `,
    },
    problems: text`
      a.yaml:2:14 yaml_bad_dq_escape
        YAML has no such escape. In double quotes a backslash is written \\\\; in single quotes it is just itself.
    `,
  },
  {
    name: "keys of a map stand in one column",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings:
              enabled: true
           b.example: {}
      `,
    },
    problems: text`
      a.yaml:6:4 yaml_bad_indent
        The indentation fits nothing above: this line begins in column 4, and what is above it in column 7, 5, 3 or 1. The keys of a map all start in one column, and so do the items of a list.
    `,
  },
  {
    name: "a blank that is missing is one mistake, whatever stands below it",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: A
               action: log
                expression: "true"
                value: img-src 'self'
              - description: B
                value: a: b
      `,
    },
    problems: text`
      a.yaml:6:8 yaml_missing_char
        The indentation fits nothing above: this line begins in column 8, and what is above it in column 9, 7, 5 or 3. The keys of a map all start in one column, and so do the items of a list.
      a.yaml:10:16 yaml_block_as_implicit_key
        Is this one text? Then put it in quotes: a ":" before a blank or the line's end makes a map, and a map begins on a line of its own.
    `,
  },
  {
    name: "an item has a blank after its dash",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              -description: A
                action: log
      `,
    },
    problems: text`
      a.yaml:5:7 yaml_block_as_implicit_key
        An item of a list has a blank after its "-". Write one.
    `,
  },
  {
    name: "a tab before an item is one mistake, whatever stands around it",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
        \t- description: A
              action: log
            settings:
              enabled: true
      `,
    },
    problems: text`
      a.yaml:5:1 yaml_tab_as_indent
        A tab stands where only spaces may. Indent with spaces.
    `,
  },
  {
    name: "a blank that is none beside a key is named",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings:
            \u00a0 enabled: true
          b.example:
            settings:
              enabled\u202f: true
      `,
    },
    problems: text`
      a.yaml:5:5 odd_blank /zones/a.example/\u00a0 enabled
        A no-break space (U+00A0) stands beside this key, which YAML takes for a part of it. Write a plain blank.
      a.yaml:8:7 odd_blank /zones/b.example/settings/enabled
        A narrow no-break space (U+202F) stands beside this key, which YAML takes for a part of it. Write a plain blank.
    `,
  },
  {
    name: "a blank that is none where YAML wants one is named once, whatever it makes of the lines below",
    files: {
      "a.yaml":
        "version: 1\nzones:\n  a.example:\n    policies:\n      - description: A\n       \u00a0action: log\n        value: img-src *\n",
      "b.yaml":
        "version: 1\nzones:\n  b.example:\n    policies:\n      -\u00a0description: B\n        action: log\n",
      "c.yaml":
        "version: 1\nzones:\n  c.example:\n    policies:\n      - description: C\n        action:\u202flog\n",
    },
    problems: text`
      a.yaml:6:8 yaml_missing_char
        A no-break space (U+00A0) stands here, which is no blank to YAML. Write a plain one.
      b.yaml:5:8 yaml_block_as_implicit_key
        A no-break space (U+00A0) stands here, which is no blank to YAML. Write a plain one.
      c.yaml:6:16 yaml_missing_char
        A narrow no-break space (U+202F) stands here, which is no blank to YAML. Write a plain one.
    `,
  },
  {
    name: "a blank that is none in a value is named where the value is wrong",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings:
              enabled:\u00a0true
          b.example:
            settings: { enabled: \u00a0true }
          c.example:
            settings:
              enabled:true
      `,
    },
    problems: text`
      a.yaml:5:7 wrong_type /zones/a.example/settings
        settings is "enabled:\u00a0true"; it must be a map. A no-break space (U+00A0) stands in it, which is no blank to YAML: write a plain one.
      a.yaml:7:26 wrong_type /zones/b.example/settings/enabled
        enabled is "\u00a0true"; it must be true or false. A no-break space (U+00A0) stands in it, which is no blank to YAML: write a plain one.
      a.yaml:10:7 wrong_type /zones/c.example/settings
        settings is "enabled:true"; it must be a map. Is a blank missing after its ":"?
    `,
  },
  {
    name: "a key that stands twice does not hide what else is wrong",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies: []
            settings: { enabled: 7 }
            policies: []
      `,
    },
    problems: text`
      a.yaml:5:26 wrong_type /zones/a.example/settings/enabled
        enabled is 7; it must be true or false.
      a.yaml:6:5 duplicate_key /zones/a.example/policies
        "policies" stands twice in this map, first at a.yaml:4:5. Remove one of them.
    `,
  },
  {
    name: "a list begins on a line of its own",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            extends: - shop
      `,
    },
    problems: text`
      a.yaml:4:14 yaml_unexpected_token
        A list begins on a line of its own, each item after "- ".
    `,
  },
  {
    name: "block lists do not stand in brackets",
    files: {
      "a.yaml": text`
        version: 1
        zones: { a.example: { extends: - shop } }
      `,
    },
    problems: text`
      a.yaml:2:32 yaml_block_in_flow
        This does not fit between brackets. Is a comma or a bracket missing? Inside { } and [ ], maps and lists have brackets too.
      a.yaml:2:34 yaml_missing_char
        A comma is missing before this.
    `,
  },
  {
    name: "a document does not begin on the line of its mark",
    files: {
      "a.yaml": "--- version: 1\n",
    },
    problems: text`
      a.yaml:1:5 yaml_missing_char
        What follows --- begins on a line of its own.
    `,
  },
  {
    name: "a value has one anchor",
    files: {
      "a.yaml": "version: &a &b 1\n",
    },
    problems: text`
      a.yaml:1:13 yaml_multiple_anchors
        A node can have at most one anchor. Remove what is too much.
    `,
  },
  {
    name: "a number without a value is refused",
    files: {
      "a.yaml": text`
        version: 1
        account_id: .inf
        zones:
          a.example: { id: .nan }
      `,
    },
    problems: text`
      a.yaml:2:13 not_json /account_id
        .inf is no number that can be used here. Put text in quotes.
      a.yaml:4:20 not_json /zones/a.example/id
        .nan is no number that can be used here. Put text in quotes.
    `,
  },
  {
    name: "an implicit key has at most 1,024 characters",
    files: {
      "a.yaml": `version: 1\n${"k".repeat(1_025)}: 1\n`,
    },
    problems: text`
      a.yaml:2:1 yaml_key_over_1024_chars
        This key has more than 1024 characters. Shorten it.
    `,
  },
  {
    name: "only the first twenty syntax errors are shown",
    files: {
      "a.yaml": `version: 1\n${"a: @\n".repeat(100)}`,
    },
    problems: text`
      a.yaml:2:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:3:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:4:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:5:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:6:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:7:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:8:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:9:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:10:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:11:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:12:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:13:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:14:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:15:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:16:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:17:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:18:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:19:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:20:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
      a.yaml:21:4 yaml_bad_scalar_start
        A text without quotes cannot start with reserved character @. Put the whole text in quotes.
    `,
  },
];
