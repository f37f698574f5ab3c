/** What is wrong with `logpull_options`, a URL or the query of one; "" when nothing is. Other parameters are let be. */
export function logpullMistake(options: string): string {
  const query = new URLSearchParams(options.slice(options.indexOf("?") + 1));
  const wrong = parameters.find(([name, pattern]) => query.getAll(name).some((text) => !pattern.test(text)));
  return wrong === undefined ? "" : `${wrong[0]} must be ${wrong[2]}`;
}

/** All of them are optional, says the service's documentation of logpull options. */
const parameters: readonly (readonly [name: string, pattern: RegExp, wanted: string])[] = [
  ["fields", /^\w+(,\w+)*$/, "names of fields with commas between them"],
  ["timestamps", /^(unix|unixnano|rfc3339|rfc3339ms|rfc3339ns)$/, "unixnano, unix or rfc3339"],
  ["sample", /^(1(\.0*)?|0?\.\d*[1-9]\d*)$/, "greater than 0 and at most 1"],
  ["CVE-2021-44228", /^(true|false)$/, "true or false"],
];
