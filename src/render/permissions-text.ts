import { firstFew } from "../model/cut.js";
import { groupBy } from "../model/group-by.js";
import { plain } from "./safe-text.js";

interface Group {
  readonly group: string;
  readonly why: readonly string[];
}

interface Needs {
  readonly zones: readonly string[];
  readonly plan: readonly Group[];
  readonly apply: readonly Group[];
}

/** The permissions of a token as tables: one for all zones with the same needs, and one for each account. */
export function permissionsText(all: {
  readonly zones: readonly Needs[];
  readonly accounts: readonly (Needs & { readonly account: string | null })[];
}): string {
  const zones = all.zones.map((needs) => table(`Zone permissions, for ${listed(needs.zones)}`, needs));
  const accounts = all.accounts.map((needs) => {
    const where = needs.account === null ? "the account" : `account ${plain(needs.account)}`;
    return table(`Account permissions, for ${where} of ${listed(needs.zones)}`, needs);
  });
  return `${[...zones, ...accounts, NOTE].join("\n")}`;
}

const NOTE = `A Write group reads too: a token for apply needs no Read group.
`;

/** The names of a fleet do not fit on a line. */
const MAX_NAMES = 5;

function listed(names: readonly string[]): string {
  return firstFew(names, MAX_NAMES, plain);
}

function table(title: string, { plan, apply }: Needs): string {
  const whys = [...new Set([...plan, ...apply].flatMap(({ why }) => why))];
  if (whys.length === 0) return `${title}: none.\n`;
  const groupFor = (groups: readonly Group[], why: string) =>
    groups.find((each) => each.why.includes(why))?.group ?? "";
  const cells = (why: string) => [groupFor(plan, why), groupFor(apply, why)];
  const alike = [...groupBy(whys, (why) => JSON.stringify(cells(why))).values()];
  const rows = alike.map((group) => [...cells(group[0]), group.join(", ")]);
  const lines = [["PLAN", "APPLY", "FOR"], ...rows];
  const widths = [0, 1].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${title}\n${text.map((line) => `  ${line}\n`).join("")}`;
}
