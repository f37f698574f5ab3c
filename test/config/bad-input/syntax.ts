import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const syntax: readonly BadInput[] = [
  {
    name: "an apostrophe inside single quotes",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: 'Shop's checkout'
      `,
    },
    problems: text`
      a.yaml:5:27 yaml_unexpected_token
        This ' ends the string in single quotes. Put the string in double quotes, or write the apostrophe twice.
    `,
  },
  {
    name: "a key in the column of the items above",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Shop
              action: log
      `,
    },
    problems: text`
      a.yaml:6:7 yaml_bad_indent
        List items begin in this column. Begin a new item with "- ", or continue the item above in column 9.
    `,
  },
  {
    name: "an unresolved merge conflict once",
    files: {
      "a.yaml": text`
        version: 1
        zones:
        <<<<<<< HEAD
          a.example: {}
        =======
          b.example: {}
        >>>>>>> other
      `,
    },
    problems: text`
      a.yaml:3:1 merge_conflict
        git left two versions here, between <<<<<<< and >>>>>>>. Keep one of them, and delete the marker lines.
    `,
  },
  {
    name: "a Terraform file",
    files: {
      "a.yaml": text`
        # Policies
        resource "cloudflare_page_shield_policy" "checkout" {
          action = "log"
        }
      `,
    },
    problems: text`
      a.yaml:2:1 hcl_file
        Files are YAML or JSON. Follow docs/terraform.md to move: zoneward export writes the live state as YAML.
    `,
  },
  {
    name: "indentation with tabs",
    files: {
      "a.yaml": "version: 1\nzones:\n\ta.example:\n\t\tsettings: {}\n",
    },
    problems: text`
      a.yaml:3:1 yaml_tab_as_indent
        This line is indented with a tab, like 1 more line. Indent with spaces.
    `,
  },
  {
    name: "indentation with a tab after spaces",
    files: {
      "a.yaml": "version: 1\nzones:\n  a.example:\n  \tsettings: {}\n",
    },
    problems: text`
      a.yaml:4:3 yaml_tab_as_indent
        This line is indented with a tab. Indent with spaces.
    `,
  },
  {
    name: "sections of similar keys in different columns",
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
        This line matches no line above. Begin all keys of a map in one column.
    `,
  },
  {
    name: "an alias without an anchor",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: *nothing
      `,
    },
    problems: text`
      a.yaml:3:14 unresolved_alias /zones/a.example
        Anchor &nothing is not defined above. Define it there; if this is a string, put it in quotes.
    `,
  },
  {
    name: "an alias inside its own anchor",
    files: {
      "a.yaml": text`
        version: 1
        zones: &all
          a.example: *all
      `,
    },
    problems: text`
      a.yaml:3:14 unresolved_alias /zones/a.example
        Anchor &all is not defined above. Define it there; if this is a string, put it in quotes.
    `,
  },
  {
    name: "a text that starts with a star and lacks quotes",
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
        Anchor &.example.com is not defined above. Define it there; if this is a string, put it in quotes.
    `,
  },
  {
    name: "a lone star",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: *
      `,
    },
    problems: text`
      a.yaml:3:14 yaml_bad_alias
        A name is missing after this & or *. Add the name; if this is a string, put it in quotes.
    `,
  },
  {
    name: "a merge key",
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
        "<<" belongs to YAML 1.1, and files are read as YAML 1.2. Move the shared part into a template, and name the template in extends.
    `,
  },
  {
    name: "a quoted merge key, and problems in its value",
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
        "<<" belongs to YAML 1.1, and files are read as YAML 1.2. Move the shared part into a template, and name the template in extends.
      a.yaml:4:12 unresolved_alias /zones/a.example/<</0
        Anchor &x is not defined above. Define it there; if this is a string, put it in quotes.
    `,
  },
  {
    name: "all keys with a meaning in JavaScript",
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
        This name is reserved. Remove the key, or rename it.
      a.yaml:4:3 forbidden_key /zones/constructor
        This name is reserved. Remove the key, or rename it.
      a.yaml:7:7 forbidden_key /zones/a.example/settings/prototype
        This name is reserved. Remove the key, or rename it.
      a.yaml:8:7 forbidden_key /zones/a.example/settings/valueOf
        This name is reserved. Remove the key, or rename it.
      a.yaml:9:7 forbidden_key /zones/a.example/settings/toString
        This name is reserved. Remove the key, or rename it.
      a.yaml:10:7 forbidden_key /zones/a.example/settings/hasOwnProperty
        This name is reserved. Remove the key, or rename it.
    `,
  },
  {
    name: "keys with a meaning in JavaScript in a CSP map, in any spelling",
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
        This name is reserved. Remove the key, or rename it.
      a.yaml:6:18 forbidden_key /zones/__proto__/policies/0/value/__proto__
        This name is reserved. Remove the key, or rename it.
    `,
  },
  {
    name: "keys that are not texts",
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
        1 is not a string, and keys are strings. Put it in quotes.
      a.yaml:3:1 key_not_text
        true is not a string, and keys are strings. Put it in quotes.
      a.yaml:4:1 key_not_text
        ~ is not a string, and keys are strings. Put it in quotes.
      a.yaml:5:3 key_not_text
        This key is a list, a map or an alias. Write it as a string.
      a.yaml:7:3 key_not_text
        This key is a list, a map or an alias. Write it as a string.
    `,
  },
  {
    name: "a colon without a key",
    files: {
      "a.yaml": text`
        version: 1
        : nothing
      `,
    },
    problems: text`
      a.yaml:2:1 key_not_text
        No key stands before this colon. Write one.
    `,
  },
  {
    name: "an alias as a key",
    files: {
      "a.yaml": text`
        version: &v account_id
        *v : abc
      `,
    },
    problems: text`
      a.yaml:1:13 wrong_value /version
        version is "account_id". It must be 1.
      a.yaml:2:1 key_not_text
        This key is a list, a map or an alias. Write it as a string.
    `,
  },
  {
    name: "other problems beside unreadable values",
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
        Anchor &x is not defined above. Define it there; if this is a string, put it in quotes.
      a.yaml:6:11 merge_key /zones/a.example/policies/0/<<
        "<<" belongs to YAML 1.1, and files are read as YAML 1.2. Move the shared part into a template, and name the template in extends.
      a.yaml:6:15 unresolved_alias /zones/a.example/policies/0/<<
        Anchor &y is not defined above. Define it there; if this is a string, put it in quotes.
      a.yaml:7:35 wrong_value /zones/a.example/policies/1/action
        action is "lock". Did you mean "log"? It must be log, allow or add_reporting_directives.
      a.yaml:8:49 not_json /zones/a.example/logpush_jobs/0/destination_conf
        This is not a JSON number. If it is a string, put it in quotes.
      a.yaml:10:5 unknown_key /zones/b.example/setings
        b.example has no such key. Did you mean "settings"?
    `,
  },
  {
    name: "a repeated key in any spelling",
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
        This map has the key already, at a.yaml:1:1. Remove one of the two.
      a.yaml:4:1 duplicate_key /zones
        This map has the key already, at a.yaml:2:1. Remove one of the two.
      a.yaml:5:1 duplicate_key /version
        This map has the key already, at a.yaml:1:1. Remove one of the two.
    `,
  },
  {
    name: "a repeated key in an inner map",
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
        This map has the key already, at a.yaml:4:17. Remove one of the two.
      a.yaml:5:3 duplicate_key /zones/a.example
        This map has the key already, at a.yaml:3:3. Remove one of the two.
    `,
  },
  {
    name: "a file in YAML 1.1",
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
    name: "an unknown YAML version",
    files: {
      "a.yaml": text`
        %YAML 3.0
        ---
        version: 1
      `,
    },
    problems: text`
      a.yaml:1:7 yaml_bad_directive
        Unsupported YAML version 3.0. Remove the line that begins with %.
    `,
  },
  {
    name: "an unknown directive",
    files: {
      "a.yaml": text`
        %SHOP a
        ---
        version: 1
      `,
    },
    problems: text`
      a.yaml:1:1 yaml_bad_directive
        Unknown directive %SHOP. Remove the line that begins with %.
    `,
  },
  {
    name: "a directive without a document as two mistakes",
    files: {
      "a.yaml": text`
        %SHOP a
        version: 1
      `,
    },
    problems: text`
      a.yaml:1:1 yaml_bad_directive
        Unknown directive %SHOP. Remove the line that begins with %.
      a.yaml:2:1 yaml_missing_char
        A line above begins with %. Remove that line.
    `,
  },
  {
    name: "tags",
    files: {
      "a.yaml": text`
        version: !one 1
        zones: !!set { a.example }
        account_id: !!binary aGVsbG8=
      `,
    },
    problems: text`
      a.yaml:1:10 yaml_tag_resolve_failed
        \`!\` starts a YAML tag here. Put the whole value in quotes, or remove the tag.
      a.yaml:2:8 yaml_tag_resolve_failed
        \`!\` starts a YAML tag here. Put the whole value in quotes, or remove the tag.
      a.yaml:3:13 yaml_tag_resolve_failed
        \`!\` starts a YAML tag here. Put the whole value in quotes, or remove the tag.
    `,
  },
  {
    name: "a version that a tag makes a text",
    files: {
      "a.yaml": "version: !!str 1\n",
    },
    problems: text`
      a.yaml:1:16 wrong_value /version
        version is "1". It must be 1, without quotes.
    `,
  },
  {
    name: "a second document",
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
        A second document begins here. Put each document into a file of its own.
    `,
  },
  {
    name: "an empty second document",
    files: {
      "a.yaml": text`
        version: 1
        ---
      `,
    },
    problems: text`
      a.yaml:2:1 yaml_multiple_docs
        A second document begins here. Put each document into a file of its own.
    `,
  },
  {
    name: "an empty file",
    files: {
      "a.yaml": "",
    },
    problems: text`
      a.yaml:1:1 empty_file
        It declares nothing. Write at least "version: 1".
    `,
  },
  {
    name: "a file of comments",
    files: {
      "a.yaml": text`
        # Nothing yet

        # Later
      `,
    },
    problems: text`
      a.yaml:1:1 empty_file
        It declares nothing. Write at least "version: 1".
    `,
  },
  {
    name: "a file of a document marker",
    files: {
      "a.yaml": "---\n",
    },
    problems: text`
      a.yaml:1:1 empty_file
        It declares nothing. Write at least "version: 1".
    `,
  },
  {
    name: "a file of a null",
    files: {
      "a.yaml": "~\n",
    },
    problems: text`
      a.yaml:1:1 empty_file
        It declares nothing. Write at least "version: 1".
    `,
  },
  {
    name: "a file of a list",
    files: {
      "a.yaml": "- version: 1\n",
    },
    problems: text`
      a.yaml:1:1 wrong_type
        The file is a list. It must be a map.
    `,
  },
  {
    name: "a file of a text",
    files: {
      "a.yaml": "version=1\n",
    },
    problems: text`
      a.yaml:1:1 wrong_type
        The file is "version=1". It must be a map.
    `,
  },
  {
    name: "100,000 nested brackets",
    files: {
      "a.yaml": "[".repeat(100_000),
    },
    problems: text`
      a.yaml:1:42 too_deep
        This is nested more than 40 levels deep. Remove some of the levels.
    `,
  },
  {
    name: "100,000 nested and closed brackets",
    files: {
      "a.yaml": `version: 1\nzones: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n`,
    },
    problems: text`
      a.yaml:2:48 too_deep
        This is nested more than 40 levels deep. Remove some of the levels.
    `,
  },
  {
    name: "100,000 nested braces with keys",
    files: {
      "a.yaml": "{a: ".repeat(100_000),
    },
    problems: text`
      a.yaml:1:165 too_deep
        This is nested more than 40 levels deep. Remove some of the levels.
    `,
  },
  {
    name: "a block map that is nested too deeply",
    files: {
      "a.yaml": Array.from({ length: 1_000 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
    },
    problems: text`
      a.yaml:42:42 too_deep
        This is nested more than 40 levels deep. Remove some of the levels.
    `,
  },
  {
    name: "text after a quoted value once",
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
        The value ends before this text. Remove the text, or quote the whole value: use single quotes around a value that contains double quotes.
    `,
  },
  {
    name: "a block list that is nested too deeply",
    files: {
      "a.yaml": `version: 1\nzones:\n  ${"- ".repeat(10_000)}a\n`,
    },
    problems: text`
      a.yaml:3:83 too_deep
        This is nested more than 40 levels deep. Remove some of the levels.
    `,
  },
  {
    name: "aliases that grow exponentially",
    files: {
      "a.yaml": `version: 1\na0: &a0 [lol, lol]\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]\n`).join("")}`,
    },
    problems: text`
      a.yaml:7:20 alias_bomb /a5/2
        The aliases of this file expand to more than 100000 values. Use templates instead.
    `,
  },
  {
    name: "many aliases of one large list",
    files: {
      "a.yaml": `version: 1\na: &a [${"x, ".repeat(1_000)}]\nb: [${"*a, ".repeat(1_000)}]\n`,
    },
    problems: text`
      a.yaml:3:401 alias_bomb /b/99
        The aliases of this file expand to more than 100000 values. Use templates instead.
    `,
  },
  {
    name: "aliases that are nested too deeply",
    files: {
      "a.yaml": `version: 1\na0: &a0 []\n${Array.from({ length: 50 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}]\n`).join("")}`,
    },
    problems: text`
      a.yaml:42:12 too_deep /a40/0
        With its content, this alias is more than 40 levels deep. Use templates instead.
    `,
  },
  {
    name: "control characters",
    files: {
      "a.yaml": 'version: 1\nzones:\n  a.example: { id: "a\u0000b" }\n',
    },
    problems: text`
      a.yaml:3:22 control_character
        YAML does not allow this character. Remove it, or write it as an escape in double quotes. If the file has many, save it as UTF-8 text.
    `,
  },
  {
    name: "a lone carriage return",
    files: {
      "a.yaml": "version: 1\rzones: {}\r",
    },
    problems: text`
      a.yaml:1:11 control_character
        YAML does not allow this character. Remove it, or write it as an escape in double quotes. If the file has many, save it as UTF-8 text.
    `,
  },
  {
    name: "an unclosed double quote",
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
        No quote closes this string. Write the quote where the string ends.
    `,
  },
  {
    name: "an unclosed single quote",
    files: {
      "a.yaml": text`
        version: 1
        account_id: 'abc
      `,
    },
    problems: text`
      a.yaml:2:13 yaml_missing_char
        No quote closes this string. Write the quote where the string ends.
    `,
  },
  {
    name: "an unclosed bracket",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example: { settings: { enabled: true }
      `,
    },
    problems: text`
      a.yaml:3:14 yaml_not_closed
        No } closes this {. Write } where it ends, and indent every line up to it with spaces.
    `,
  },
  {
    name: "an unclosed bracket before the indentation ends",
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
        No } closes this {. Write } where it ends, and indent every line up to it with spaces.
    `,
  },
  {
    name: "a bracket without an opening one",
    files: {
      "a.yaml": text`
        version: 1
        zones: {}}
      `,
    },
    problems: text`
      a.yaml:2:10 yaml_unexpected_token
        No bracket is open here. Remove this one.
    `,
  },
  {
    name: "a comma without an item",
    files: {
      "a.yaml": text`
        version: 1
        zones: { a.example: { extends: [, a] } }
      `,
    },
    problems: text`
      a.yaml:2:33 yaml_unexpected_token
        No item stands before this comma. Remove the comma.
    `,
  },
  {
    name: "a key without a colon",
    files: {
      "a.yaml": text`
        version: 1
        zones
          a.example: {}
      `,
    },
    problems: text`
      a.yaml:2:1 yaml_multiline_implicit_key
        A key must be followed by ": " on the same line. Add the missing colon or space.
    `,
  },
  {
    name: "a colon without a space",
    files: {
      "a.yaml": text`
        version:1
        zones: {}
      `,
    },
    problems: text`
      a.yaml:1:1 yaml_multiline_implicit_key
        A key must be followed by ": " on the same line. Add the missing colon or space.
    `,
  },
  {
    name: "a text with a colon and without quotes",
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
        The ": " in this string starts a map. Put the string in quotes, or begin the map on a line of its own.
    `,
  },
  {
    name: "a text with several colons once",
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
        The ": " in this string starts a map. Put the string in quotes, or begin the map on a line of its own.
    `,
  },
  {
    name: "a text of which only the start is quoted",
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
        The value ends before this text. Remove the text, or quote the whole value: use single quotes around a value that contains double quotes.
    `,
  },
  {
    name: "a text that starts with a reserved character",
    files: {
      "a.yaml": text`
        version: 1
        account_id: @shop
      `,
    },
    problems: text`
      a.yaml:2:13 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
    `,
  },
  {
    name: "an unknown escape",
    files: {
      "a.yaml": text`
        version: 1
        account_id: "\\q"
      `,
    },
    problems: text`
      a.yaml:2:14 yaml_bad_dq_escape
        YAML has no such escape. Write the backslash as \\\\, or put the string in single quotes.
    `,
  },
  {
    name: "keys of a map in different columns",
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
        This line begins in column 4, which matches no line above. Begin it in column 7, 5, 3 or 1.
    `,
  },
  {
    name: "a missing space once, whatever lines follow",
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
        This line begins in column 8, which matches no line above. Begin it in column 9, 7, 5 or 3.
      a.yaml:10:16 yaml_block_as_implicit_key
        The ": " in this string starts a map. Put the string in quotes, or begin the map on a line of its own.
    `,
  },
  {
    name: "a dash without a space",
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
        A list item needs a space after its "-". Add the space.
    `,
  },
  {
    name: "a tab before an item once, whatever lines are around",
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
        This line is indented with a tab. Indent with spaces.
    `,
  },
  {
    name: "a wrong kind of space beside a key",
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
        A no-break space (U+00A0) stands beside this key. YAML reads it as a part of the key. Use a normal space.
      a.yaml:8:7 odd_blank /zones/b.example/settings/enabled
        A narrow no-break space (U+202F) stands beside this key. YAML reads it as a part of the key. Use a normal space.
    `,
  },
  {
    name: "a wrong kind of space where YAML needs a space, once",
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
        A no-break space (U+00A0) stands here. YAML does not treat it as a space. Use a normal space.
      b.yaml:5:8 yaml_block_as_implicit_key
        A no-break space (U+00A0) stands here. YAML does not treat it as a space. Use a normal space.
      c.yaml:6:16 yaml_missing_char
        A narrow no-break space (U+202F) stands here. YAML does not treat it as a space. Use a normal space.
    `,
  },
  {
    name: "a wrong kind of space in a wrong value",
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
        settings is "enabled:\u00a0true". It must be a map. A no-break space (U+00A0) stands in it. YAML does not treat it as a space: use a normal space.
      a.yaml:7:26 wrong_type /zones/b.example/settings/enabled
        enabled is "\u00a0true". It must be true or false. A no-break space (U+00A0) stands in it. YAML does not treat it as a space: use a normal space.
      a.yaml:10:7 wrong_type /zones/c.example/settings
        settings is "enabled:true". It must be a map. Add the space that is missing after ":".
    `,
  },
  {
    name: "a repeated key together with other mistakes",
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
        enabled is 7. It must be true or false.
      a.yaml:6:5 duplicate_key /zones/a.example/policies
        This map has the key already, at a.yaml:4:5. Remove one of the two.
    `,
  },
  {
    name: "a list that starts on the line of its key",
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
        Begin the list on the next line, each item after "- ".
    `,
  },
  {
    name: "block lists inside brackets",
    files: {
      "a.yaml": text`
        version: 1
        zones: { a.example: { extends: - shop } }
      `,
    },
    problems: text`
      a.yaml:2:32 yaml_block_in_flow
        Add the comma or the bracket that is missing here. Inside { } and [ ], maps and lists have brackets too.
      a.yaml:2:34 yaml_missing_char
        No comma separates this from the item before. Add the comma, or put the whole item in single quotes if this is a part of it.
    `,
  },
  {
    name: "a document that starts on the line of its marker",
    files: {
      "a.yaml": "--- version: 1\n",
    },
    problems: text`
      a.yaml:1:5 yaml_missing_char
        Only a comment may follow --- on its line. Begin on the next line.
    `,
  },
  {
    name: "a value with two anchors",
    files: {
      "a.yaml": "version: &a &b 1\n",
    },
    problems: text`
      a.yaml:1:13 yaml_multiple_anchors
        A node can have at most one anchor. Remove the extra one.
    `,
  },
  {
    name: "infinity and NaN",
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
        .inf is not a JSON number. If it is a string, put it in quotes.
      a.yaml:4:20 not_json /zones/a.example/id
        .nan is not a JSON number. If it is a string, put it in quotes.
    `,
  },
  {
    name: "a key of more than 1,024 characters",
    files: {
      "a.yaml": `version: 1\n${"k".repeat(1_025)}: 1\n`,
    },
    problems: text`
      a.yaml:2:1 yaml_key_over_1024_chars
        This key has more than 1024 characters. Shorten it.
    `,
  },
  {
    name: "only the first 20 syntax errors",
    files: {
      "a.yaml": `version: 1\n${"a: @\n".repeat(100)}`,
    },
    problems: text`
      a.yaml:2:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:3:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:4:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:5:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:6:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:7:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:8:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:9:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:10:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:11:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:12:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:13:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:14:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:15:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:16:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:17:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:18:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:19:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:20:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
      a.yaml:21:4 yaml_bad_scalar_start
        A string without quotes cannot start with reserved character @. Put the whole string in quotes.
    `,
  },
  {
    name: "a reference without quotes inside brackets",
    files: { "a.yaml": "version: 1\nzones: { a.example: { extends: [shop, ${env:CDN}] } }\n" },
    problems: text`
      a.yaml:2:39 yaml_missing_char
        Inside [ ] and { }, the { of \${…} starts a map. Put the string in quotes: "\${env:NAME}".
    `,
  },
  {
    name: "a key that is indented below a key with a value",
    files: {
      "a.yaml":
        "version: 1\nzones:\n  a.example:\n    settings:\n      enabled: true\n        use_connection_url_path: true\n",
      "b.yaml":
        "version: 1\nzones:\n  b.example:\n    policies:\n      - description: A\n          action: log\n",
    },
    problems: text`
      a.yaml:6:9 yaml_block_as_implicit_key
        This line begins in column 9, which matches no line above. Begin it in column 7, 5, 3 or 1.
      b.yaml:6:11 yaml_block_as_implicit_key
        This line begins in column 11, which matches no line above. Begin it in column 9, 7, 5 or 3.
    `,
  },
  {
    name: "double quotes inside double quotes, and a quoted part of an item",
    files: {
      "a.yaml": 'version: 1\nzones: { a.example: { id: "a != "/login"" } }\n',
      "b.yaml": 'version: 1\naccount_id: "a != "/login""\n',
      "c.yaml": 'version: 1\naccount_id: [ip.src, http.request.headers["X-Key"]]\n',
    },
    problems: text`
      a.yaml:2:34 yaml_unexpected_token
        The value ends before this text. Remove the text, or quote the whole value: use single quotes around a value that contains double quotes.
      b.yaml:2:20 yaml_unexpected_token
        The value ends before this text. Remove the text, or quote the whole value: use single quotes around a value that contains double quotes.
      c.yaml:2:42 yaml_missing_char
        No comma separates this from the item before. Add the comma, or put the whole item in single quotes if this is a part of it.
    `,
  },
  {
    name: "brackets inside an unquoted text between brackets once",
    files: { "a.yaml": "version: 1\nzones: { a.example: { id: ip.src in [192.0.2.1] } }\n" },
    problems: text`
      a.yaml:2:37 yaml_unexpected_token
        The value ends before this text. Remove the text, or quote the whole value: use single quotes around a value that contains double quotes.
    `,
  },
  {
    name: "a missing quote inside brackets once",
    files: { "a.yaml": `version: 1\naccount_id: ["'self', js.example]\nzones: []\n` },
    problems: text`
      a.yaml:2:14 yaml_missing_char
        No quote closes this string. Write the quote where the string ends.
    `,
  },
];
