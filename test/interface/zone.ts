import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import {
  type ApplyOptions,
  apply,
  type Emulator,
  type LoggedRequest,
  type Planning,
  plan,
  type Seed,
  type ZoneSeed,
} from "../../src/index.js";
import type { JsonObject } from "../../src/model/json.js";
import { start, tickingClock, zoneId } from "../emulator/call.js";
import { folderWith, type Ran, reaching, zoneward } from "../support/cli.js";

const NAME = "shop.example";

/** A zone behind an emulator in the interface dialect, and what its user can do. */
export interface InterfaceZone {
  readonly emulator: Emulator;
  /** Declares these sections and plans. */
  readonly plan: (sections: JsonObject) => Promise<Planning>;
  /** Declares and applies these sections, expects the zone to match them, and returns all requests. */
  readonly apply: (sections: JsonObject, options?: ApplyOptions) => Promise<readonly LoggedRequest[]>;
  /** Runs the program for this zone and parses its JSON output. */
  readonly json: (...args: readonly string[]) => Promise<JsonObject>;
  readonly run: (...args: readonly string[]) => Promise<Ran>;
  readonly live: () => ZoneSeed;
}

export async function interfaceZone(live: ZoneSeed = {}, others: Partial<Seed> = {}): Promise<InterfaceZone> {
  const seed = { ...others, zones: { [NAME]: { id: zoneId, ...live } } };
  const emulator = await start({ dialect: "interface", seed, now: tickingClock() });
  const cwd = await folderWith({});
  const environment = reaching(emulator);
  const declare = (sections: JsonObject) => {
    const state = { version: 1, zones: { [NAME]: { id: zoneId, ...sections } } };
    return writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify(state));
  };
  const run = (...args: readonly string[]) => zoneward([...args, "--zone", NAME], { cwd, env: environment });
  return {
    emulator,
    plan: async (sections) => {
      await declare(sections);
      return plan({ cwd, environment, rateLimit: "off" });
    },
    apply: async (sections, options = {}) => {
      await declare(sections);
      const before = emulator.log.length;
      const { report, problems } = await apply({ cwd, environment, rateLimit: "off", ...options });
      expect(report?.converged, JSON.stringify(problems)).toBe(true);
      return emulator.log.slice(before);
    },
    json: async (...args) => JSON.parse((await run(...args, "--format", "json")).out),
    run,
    live: () => emulator.state().zones[NAME] ?? {},
  };
}

export function writesOf(requests: readonly LoggedRequest[]): readonly LoggedRequest[] {
  return requests.filter(({ method }) => method !== "GET");
}

/** `METHOD path`, with the names of the zone and the account in place of their ids. */
export function linesOf(requests: readonly LoggedRequest[], { account_id }: Emulator): readonly string[] {
  return requests.map(
    ({ method, path: at }) =>
      `${method} ${at.replace(zoneId, "{zone_id}").replace(account_id, "{account_id}")}`,
  );
}
