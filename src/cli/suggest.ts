import type { Granularity } from "../csp/suggest.js";
import { failed, ok, problem, type Result } from "../model/problem.js";
import { zonesJson } from "../render/problems.js";
import { suggestText } from "../render/suggest-text.js";
import { type SuggestInput, suggestions } from "../run/suggest.js";
import type { Arguments, Run } from "./command.js";
import { planInput } from "./inputs.js";
import { withService } from "./service.js";
import { policy } from "./shared-flags.js";
import { showZones } from "./show.js";

/** The sources that policies need for everything seen. */
export const run: Run = async (args, terminal) => {
  const schemes = schemesIn(args);
  if (!schemes.ok) return schemes;
  const by = granularity(args.text("by") ?? "host");
  if (!by.ok) return by;
  return withService(args, terminal, async (client, progress) => {
    const input: SuggestInput = {
      ...planInput(args, terminal),
      zones: [...args.operands, ...args.texts("zone")],
      named: args.texts(policy.name),
      by: by.value,
      schemes: schemes.value,
      write: !args.on("write") ? "nothing" : args.text("write") === "reported" ? "reported" : "detected",
    };
    const read = await suggestions(input, client, progress);
    if (!read.ok) return read;
    return showZones(read.value, args, terminal, {
      json: () => zonesJson(read.value, (policies) => ({ policies })),
      text: (colors) => suggestText(read.value, colors),
    });
  });
};

function granularity(text: string): Result<Granularity> {
  if (text === "host" || text === "path") return ok(text);
  const hosts = Number(/^wildcard:(\d{1,6})$/.exec(text)?.[1] ?? 0);
  if (hosts >= 2) return ok({ hosts });
  const detail = `--by is ${JSON.stringify(text)}. Pass host, path, or wildcard:N with N of 2 or more.`;
  return failed(problem("bad_flag", "--by has an unknown value", detail));
}

function schemesIn(args: Arguments): Result<readonly string[]> {
  const schemes = args.texts("scheme");
  const wrong = schemes.find((each) => !/^[a-z][a-z0-9+.-]*:$/.test(each));
  if (wrong === undefined) return ok(schemes);
  const detail = `--scheme is ${JSON.stringify(wrong)}. Pass a scheme with its colon, such as data: or blob:.`;
  return failed(problem("bad_flag", "--scheme is not a scheme", detail));
}
