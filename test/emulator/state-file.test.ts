import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isObject, type Json } from "../../src/model/json.js";
import { call, newPolicy, policyId, seed, shield, start, zoneId } from "./call.js";

let folder = "";
let stateFile = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "zoneward-emulator-"));
  stateFile = join(folder, "state.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function kept(): Promise<Json> {
  return JSON.parse(await readFile(stateFile, "utf8"));
}

describe("a state file", () => {
  test("is created from the seed", async () => {
    const emulator = await start({ seed, stateFile });
    expect(await kept()).toEqual(emulator.state());
  });

  test("takes precedence over the seed", async () => {
    const first = await start({ seed, stateFile });
    await call(first, "DELETE", `${shield}/policies/${policyId}`);
    await first.close();
    const second = await start({ seed, stateFile });
    expect(second.state()).toEqual(first.state());
    expect(second.zones).toEqual({ "shop.example": zoneId });
  });

  test("contains every write before it is answered", async () => {
    const emulator = await start({ seed, stateFile });
    const writes: readonly [string, string, Json?][] = [
      ["PUT", shield, { enabled: false }],
      ["POST", `${shield}/policies`, newPolicy],
      ["PUT", `${shield}/policies/${policyId}`, { action: "log" }],
      ["DELETE", `${shield}/policies/${policyId}`],
    ];
    let before = await kept();
    for (const [method, path, body] of writes) {
      expect((await call(emulator, method, path, body)).status).toBeLessThan(300);
      expect(await kept()).toEqual(emulator.state());
      expect(await kept()).not.toEqual(before);
      before = await kept();
    }
    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  test("of one dialect can be used in the other", async () => {
    const first = await start({ seed, stateFile, dialect: "interface" });
    await first.close();
    const second = await start({ stateFile });
    expect(second.state()).toEqual((await start({ seed })).state());
  });

  test("gives new policies unused ids after a restart", async () => {
    const first = await start({ seed, stateFile });
    const one = await call(first, "POST", `${shield}/policies`, newPolicy);
    await first.close();
    const second = await start({ stateFile });
    const two = await call(second, "POST", `${shield}/policies`, newPolicy);
    expect(isObject(two.body) && two.body.result).not.toEqual(isObject(one.body) && one.body.result);
    expect(second.state().zones["shop.example"]?.policies).toHaveLength(3);
  });

  test("makes a request fail with 500 if it cannot be written", async () => {
    const emulator = await start({ seed, stateFile });
    await rm(folder, { recursive: true });
    const reply = await call(emulator, "PUT", shield, { enabled: false });
    expect([reply.status, reply.body]).toMatchObject([500, { success: false }]);
    expect(JSON.stringify(reply.body)).toContain("ENOENT");
  });
});

describe("a broken state file keeps the emulator from starting:", () => {
  test.each([
    ["not JSON", "{", "it is not JSON"],
    ["empty", "", "it is not JSON"],
    ["nested too deeply", "[".repeat(5000), "it is nested more than 100 levels deep"],
    ["invalid state", '{"zones":{"a.example":{"id":1}}}', "At /zones/a.example/id: "],
  ])("%s", async (_, text, message) => {
    await writeFile(stateFile, text);
    await expect(start({ seed, stateFile })).rejects.toThrow(message);
    await expect(start({ seed, stateFile })).rejects.toThrow(stateFile);
    expect(await readFile(stateFile, "utf8")).toBe(text);
  });

  test("a folder", async () => {
    await expect(start({ seed, stateFile: folder })).rejects.toThrow("it is not a file");
  });

  test("a file in a missing folder", async () => {
    const nowhere = join(folder, "none", "state.json");
    await expect(start({ seed, stateFile: nowhere })).rejects.toThrow("it cannot be written (ENOENT)");
  });
});
