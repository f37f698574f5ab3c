import { text } from "../text.js";
import type { BadInput } from "./bad-input.js";

export const outside: readonly BadInput[] = [
  {
    name: "a variable that is neither set nor has a default",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: "\${env:HOST} and \${env:PATH}"
      `,
    },
    env: {},
    problems: text`
      a.yaml:6:22 missing_variable /zones/a.example/policies/0/expression
        The environment has no HOST. Set it, or give a default: \${env:HOST:-default}.
      a.yaml:6:38 missing_variable /zones/a.example/policies/0/expression
        The environment has no PATH. Set it, or give a default: \${env:PATH:-default}.
    `,
  },
  {
    name: "a key left empty by an empty variable",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:EMPTY}
      `,
    },
    env: { EMPTY: "" },
    problems: text`
      a.yaml:6:21 wrong_value /zones/a.example/policies/0/expression
        expression must not be empty.
    `,
  },
  {
    name: "a key left empty by an empty default",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:NO:-}
      `,
    },
    problems: text`
      a.yaml:6:21 wrong_value /zones/a.example/policies/0/expression
        expression must not be empty.
    `,
  },
  {
    name: "variables of the runner and the client, in any letter case",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:CLOUDFLARE_X} \${env:Actions_X} \${env:github_x}
                renamed_from: \${env:RUNNER_X} \${env:INPUT_X} \${env:NODE_X:-a}
      `,
    },
    env: { CLOUDFLARE_X: "x", Actions_X: "x", github_x: "x", RUNNER_X: "x", INPUT_X: "x", NODE_X: "x" },
    problems: text`
      a.yaml:6:21 refused_variable /zones/a.example/policies/0/expression
        Remove the reference: files may not read CLOUDFLARE_* variables.
      a.yaml:6:41 refused_variable /zones/a.example/policies/0/expression
        Remove the reference: files may not read ACTIONS_* variables.
      a.yaml:6:58 refused_variable /zones/a.example/policies/0/expression
        Remove the reference: files may not read GITHUB_* variables.
      a.yaml:7:23 refused_variable /zones/a.example/policies/0/renamed_from
        Remove the reference: files may not read RUNNER_* variables.
      a.yaml:7:39 refused_variable /zones/a.example/policies/0/renamed_from
        Remove the reference: files may not read INPUT_* variables.
      a.yaml:7:54 refused_variable /zones/a.example/policies/0/renamed_from
        Remove the reference: files may not read NODE_* variables.
    `,
  },
  {
    name: "variables with names of secrets, in any letter case",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:MY_TOKEN} \${env:Secret} \${env:the_password_x} \${env:MONKEY}
      `,
    },
    env: { MY_TOKEN: "x", Secret: "x", the_password_x: "x", MONKEY: "x" },
    problems: text`
      a.yaml:6:21 refused_variable /zones/a.example/policies/0/expression
        \${env:…} shows its value in plans, so names with TOKEN are refused. Remove the reference. If the value is not secret, rename the variable MY_TOKEN.
      a.yaml:6:37 refused_variable /zones/a.example/policies/0/expression
        \${env:…} shows its value in plans, so names with SECRET are refused. Remove the reference. If the value is not secret, rename the variable Secret.
      a.yaml:6:51 refused_variable /zones/a.example/policies/0/expression
        \${env:…} shows its value in plans, so names with PASSWORD are refused. Remove the reference. If the value is not secret, rename the variable the_password_x.
      a.yaml:6:73 refused_variable /zones/a.example/policies/0/expression
        \${env:…} shows its value in plans, so names with KEY are refused. Remove the reference. If the value is not secret, rename the variable MONKEY.
    `,
  },
  {
    name: "variables outside a list of allowed names",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:A} \${env:B} \${env:C:-c}
      `,
    },
    env: { ZONEWARD_VARS: "A, X", A: "a", B: "b" },
    problems: text`
      a.yaml:6:30 refused_variable /zones/a.example/policies/0/expression
        ZONEWARD_VARS does not list B. Add it there, or use a listed name.
      a.yaml:6:39 refused_variable /zones/a.example/policies/0/expression
        ZONEWARD_VARS does not list C. Add it there, or use a listed name.
    `,
  },
  {
    name: "any variable when the list of names is empty",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:A}
      `,
    },
    env: { ZONEWARD_VARS: "", A: "a" },
    problems: text`
      a.yaml:6:21 refused_variable /zones/a.example/policies/0/expression
        ZONEWARD_VARS does not list A. Add it there, or use a listed name.
    `,
  },
  {
    name: "a listed variable that is always refused",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:GITHUB_REF}
      `,
    },
    env: { ZONEWARD_VARS: "GITHUB_REF", GITHUB_REF: "x" },
    problems: text`
      a.yaml:6:21 refused_variable /zones/a.example/policies/0/expression
        Remove the reference: files may not read GITHUB_* variables.
    `,
  },
  {
    name: "secrets in fields that plans show",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${secret:DESTINATION}
                value: "\${secret:A} \${secret:GITHUB_X}"
      `,
    },
    env: { DESTINATION: "x", A: "x", GITHUB_X: "x" },
    problems: text`
      a.yaml:6:21 misplaced_secret /zones/a.example/policies/0/expression
        Plans show this value. If they may, write \${env:DESTINATION}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:7:17 misplaced_secret /zones/a.example/policies/0/value
        Plans show this value. If they may, write \${env:A}. Only destination_conf, ownership_challenge and extra (but not its output_options) may hold a secret.
      a.yaml:7:29 refused_variable /zones/a.example/policies/0/value
        Remove the reference: files may not read GITHUB_* variables.
    `,
  },
  {
    name: "malformed references",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${HOST} \${} \${env:} \${env:1A} \${ENV:A} \${env:A-b}
                renamed_from: \${env:A B}
      `,
    },
    env: { A: "a" },
    problems: text`
      a.yaml:6:21 bad_reference /zones/a.example/policies/0/expression
        "\${HOST}" has no meaning here. Write \${env:HOST} for a variable, or \${secret:HOST} where a secret is allowed. For the characters themselves, write $\${.
      a.yaml:6:29 bad_reference /zones/a.example/policies/0/expression
        "\${}" has no meaning here. Write \${zone}, \${vars.NAME}, \${env:NAME} or \${secret:NAME}; the last two may have a default: \${env:NAME:-default}. For the characters themselves, write $\${.
      a.yaml:6:33 bad_reference /zones/a.example/policies/0/expression
        "\${env:}" has no meaning here. Write \${zone}, \${vars.NAME}, \${env:NAME} or \${secret:NAME}; the last two may have a default: \${env:NAME:-default}. For the characters themselves, write $\${.
      a.yaml:6:41 bad_reference /zones/a.example/policies/0/expression
        "\${env:1A}" has no meaning here. Write \${zone}, \${vars.NAME}, \${env:NAME} or \${secret:NAME}; the last two may have a default: \${env:NAME:-default}. For the characters themselves, write $\${.
      a.yaml:6:51 bad_reference /zones/a.example/policies/0/expression
        "\${ENV:A}" has no meaning here. Write \${zone}, \${vars.NAME}, \${env:NAME} or \${secret:NAME}; the last two may have a default: \${env:NAME:-default}. For the characters themselves, write $\${.
      a.yaml:6:60 bad_reference /zones/a.example/policies/0/expression
        "\${env:A-b}" has no meaning here. Write \${zone}, \${vars.NAME}, \${env:NAME} or \${secret:NAME}; the last two may have a default: \${env:NAME:-default}. For the characters themselves, write $\${.
      a.yaml:7:23 bad_reference /zones/a.example/policies/0/renamed_from
        "\${env:A B}" has no meaning here. Write \${zone}, \${vars.NAME}, \${env:NAME} or \${secret:NAME}; the last two may have a default: \${env:NAME:-default}. For the characters themselves, write $\${.
    `,
  },
  {
    name: "a reference without an end",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:A
      `,
    },
    env: { A: "a" },
    problems: text`
      a.yaml:6:21 bad_reference /zones/a.example/policies/0/expression
        No } closes this \${. Add it, or write $\${ for the two characters themselves.
    `,
  },
  {
    name: "a reference inside a default",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: "\${env:A:-\${env:B}}"
      `,
    },
    env: { B: "b" },
    problems: text`
      a.yaml:6:22 bad_reference /zones/a.example/policies/0/expression
        A default cannot contain another \${…}. Write the default out.
    `,
  },
  {
    name: "variables named like methods of every object",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                expression: \${env:toString} \${env:constructor} \${env:__proto__}
      `,
    },
    env: {},
    problems: text`
      a.yaml:6:21 missing_variable /zones/a.example/policies/0/expression
        The environment has no toString. Set it, or give a default: \${env:toString:-default}.
      a.yaml:6:37 missing_variable /zones/a.example/policies/0/expression
        The environment has no constructor. Set it, or give a default: \${env:constructor:-default}.
      a.yaml:6:56 missing_variable /zones/a.example/policies/0/expression
        The environment has no __proto__. Set it, or give a default: \${env:__proto__:-default}.
    `,
  },
  {
    name: "references in keys",
    files: {
      "a.yaml": text`
        version: 1
        templates:
          \${env:A}: {}
        zones:
          a.example:
            settings: { "\${env:FIELD}": true }
          \${env:ZONE}: {}
      `,
    },
    env: { A: "a", FIELD: "enabled", ZONE: "b.example" },
    problems: text`
      a.yaml:3:3 bad_reference /templates/\${env:A}
        A key cannot have a \${…}. Write the key out.
      a.yaml:6:17 bad_reference /zones/a.example/settings/\${env:FIELD}
        A key cannot have a \${…}. Write the key out.
      a.yaml:7:3 bad_reference /zones/\${env:ZONE}
        A key cannot have a \${…}. Write the key out.
      a.yaml:7:3 bad_zone_name /zones/\${env:ZONE}
        This is not a domain name. Write the name as Cloudflare lists it, such as shop.example.com.
    `,
  },
  {
    name: "a variable in place of a Boolean",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            settings: { enabled: "\${env:ON}" }
      `,
    },
    env: { ON: "true" },
    problems: text`
      a.yaml:4:26 wrong_type /zones/a.example/settings/enabled
        enabled is "true". It must be true or false. Write true without quotes. A value from the environment is always a string.
    `,
  },
  {
    name: "a variable in place of the version",
    files: {
      "a.yaml": `version: \${env:VERSION}\n`,
    },
    env: { VERSION: "1" },
    problems: text`
      a.yaml:1:10 wrong_value /version
        version is "1". It must be 1, without quotes.
    `,
  },
  {
    name: "invalid values from variables",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                action: \${env:ACTION}
                value: script-src \${env:HOST}
      `,
    },
    env: { ACTION: "block", HOST: "a, b" },
    problems: text`
      a.yaml:6:17 wrong_value /zones/a.example/policies/0/action
        action is "block". To block what the value does not allow, write allow. It must be log, allow or add_reporting_directives.
      a.yaml:7:27 csp_comma /zones/a.example/policies/0/value
        Separate sources with spaces and directives with \`;\`, and write a comma inside a URL as %2C. A comma starts a second policy, and browsers read the next word as a directive.
    `,
  },
  {
    name: "several sources from one variable",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                value: { script-src: ["\${env:HOSTS}"] }
      `,
    },
    env: { HOSTS: "a.example; img-src *" },
    problems: text`
      a.yaml:6:31 csp_token /zones/a.example/policies/0/value/script-src/0
        Write one directive per key and one source per item, without spaces, commas and semicolons.
    `,
  },
  {
    name: "missing variables, without judging the values",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies:
              - description: Scripts
                action: \${env:NO}
                value: \${env:NO}
                id: \${env:NO}
      `,
    },
    problems: text`
      a.yaml:6:17 missing_variable /zones/a.example/policies/0/action
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
      a.yaml:7:16 missing_variable /zones/a.example/policies/0/value
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
      a.yaml:8:13 missing_variable /zones/a.example/policies/0/id
        The environment has no NO. Set it, or give a default: \${env:NO:-default}.
    `,
  },
  {
    name: "two names that variables make equal",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            policies: [{ description: "\${env:A}" }, { description: b }]
      `,
    },
    env: { A: "b" },
    problems: text`
      a.yaml:4:60 duplicate_name /zones/a.example/policies/1/description
        The list has this name already, at a.yaml:4:31. Give each entry its own description.
    `,
  },
  {
    name: "a missing account variable, without judging the account",
    files: {
      "a.yaml": text`
        version: 1
        account_id: \${env:ACCOUNT}
        zones:
          a.example: {}
      `,
    },
    problems: text`
      a.yaml:2:13 missing_variable /account_id
        The environment has no ACCOUNT. Set it, or give a default: \${env:ACCOUNT:-default}.
    `,
  },
  {
    name: "references without env or secret",
    files: {
      "a.yaml": text`
        version: 1
        zones:
          a.example:
            account_id: \${ACCOUNT}
            logpush_jobs: [{ name: a, destination_conf: "\${DESTINATION}" }]
      `,
    },
    problems: text`
      a.yaml:4:17 bad_reference /zones/a.example/account_id
        "\${ACCOUNT}" has no meaning here. Write \${env:ACCOUNT} for a variable, or \${secret:ACCOUNT} where a secret is allowed. For the characters themselves, write $\${.
      a.yaml:5:50 bad_reference /zones/a.example/logpush_jobs/0/destination_conf
        This \${…} has no meaning here. Write \${secret:NAME} for a secret, or \${env:NAME} for another variable. For the characters themselves, write $\${.
    `,
  },
];
