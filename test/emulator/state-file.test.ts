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
  test("is made of the seed when there is none", async () => {
    const emulator = await start({ seed, stateFile });
    expect(await kept()).toEqual(emulator.state());
  });

  test("wins over the seed when there is one", async () => {
    const first = await start({ seed, stateFile });
    await call(first, "DELETE", `${shield}/policies/${policyId}`);
    await first.close();
    const second = await start({ seed, stateFile });
    expect(second.state()).toEqual(first.state());
    expect(second.zones).toEqual({ "shop.example": zoneId });
  });

  test("has every effect before the answer is given", async () => {
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

  test("of one dialect can be gone on with in the other", async () => {
    const first = await start({ seed, stateFile, dialect: "interface" });
    await first.close();
    const second = await start({ stateFile });
    expect(second.state()).toEqual((await start({ seed })).state());
  });

  test("gives new policies ids that no other has, after a new start too", async () => {
    const first = await start({ seed, stateFile });
    const one = await call(first, "POST", `${shield}/policies`, newPolicy);
    await first.close();
    const second = await start({ stateFile });
    const two = await call(second, "POST", `${shield}/policies`, newPolicy);
    expect(isObject(two.body) && two.body.result).not.toEqual(isObject(one.body) && one.body.result);
    expect(second.state().zones["shop.example"]?.policies).toHaveLength(3);
  });

  test("that cannot be written makes a request fail with 500", async () => {
    const emulator = await start({ seed, stateFile });
    await rm(folder, { recursive: true });
    const reply = await call(emulator, "PUT", shield, { enabled: false });
    expect([reply.status, reply.body]).toMatchObject([500, { success: false }]);
    expect(JSON.stringify(reply.body)).toContain("ENOENT");
  });
});

describe("a broken state file keeps the emulator from starting:", () => {
  test.each([
    ["one that is not JSON", "{", "it is not JSON"],
    ["an empty one", "", "it is not JSON"],
    ["one that is nested too deep", "[".repeat(5000), "it is nested more than 100 levels deep"],
    ["one with a mistake", '{"zones":{"a.example":{"id":1}}}', "At /zones/a.example/id: "],
  ])("%s", async (_, text, message) => {
    await writeFile(stateFile, text);
    await expect(start({ seed, stateFile })).rejects.toThrow(message);
    await expect(start({ seed, stateFile })).rejects.toThrow(stateFile);
    expect(await readFile(stateFile, "utf8")).toBe(text);
  });

  test("one that is a folder", async () => {
    await expect(start({ seed, stateFile: folder })).rejects.toThrow("it is no file");
  });

  test("one whose folder does not exist", async () => {
    const nowhere = join(folder, "none", "state.json");
    await expect(start({ seed, stateFile: nowhere })).rejects.toThrow("it cannot be written (ENOENT)");
  });
});
