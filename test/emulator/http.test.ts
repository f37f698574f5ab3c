import { describe, expect, test } from "vitest";
import type { Emulator, LoggedRequest } from "../../src/emulator/index.js";
import { LOG_LIMIT, record } from "../../src/emulator/log.js";
import { answered, call, policyId, refused, seed, send, shield, start, zoneId } from "./call.js";

describe("authentication", () => {
  const denied = { code: 10000, message: "Authentication error" };

  test("a bearer token opens every endpoint", async () => {
    const emulator = await start({ seed });
    const reply = await send(emulator, "GET", shield, { authorization: `Bearer ${emulator.token}` }, null);
    expect(reply.status).toBe(200);
  });

  test("the account's email and key open every endpoint", async () => {
    const emulator = await start({ seed });
    const headers = { "x-auth-email": emulator.email, "x-auth-key": emulator.key };
    expect((await send(emulator, "GET", shield, headers, null)).status).toBe(200);
  });

  const wrong: readonly [
    what: string,
    headers: (emulator: Emulator) => { readonly [name: string]: string },
  ][] = [
    ["no credentials at all", () => ({})],
    ["a wrong token", () => ({ authorization: "Bearer wrong" })],
    ["a token without its scheme", ({ token }) => ({ authorization: token })],
    ["an email without its key", ({ email }) => ({ "x-auth-email": email })],
    ["a wrong key", ({ email }) => ({ "x-auth-email": email, "x-auth-key": "wrong" })],
    [
      "a wrong token beside the right key",
      ({ email, key }) => ({ authorization: "Bearer wrong", "x-auth-email": email, "x-auth-key": key }),
    ],
  ];
  test.each(wrong)("%s is refused with 403 and code 10000", async (_, headers) => {
    const emulator = await start({ seed });
    const reply = await send(emulator, "GET", shield, headers(emulator), null);
    expect([reply.status, reply.body]).toEqual([403, refused(denied)]);
  });

  test("a refused write changes nothing and is logged", async () => {
    const emulator = await start({ seed });
    await send(emulator, "DELETE", `${shield}/policies/${policyId}`, {}, null);
    expect(emulator.state().zones["shop.example"]?.policies).toHaveLength(1);
    expect(emulator.writes()).toMatchObject([{ method: "DELETE", status: 403, body: null }]);
  });
});

describe("routing", () => {
  const unroutable = (path: string) => ({
    code: 7003,
    message: `Could not route to ${path}, is the object identifier right?`,
  });

  test("an unknown path is a 404 with both codes of a missing route", async () => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "GET", "/zones/x/y");
    const errors = [unroutable("/client/v4/zones/x/y"), { code: 7000, message: "No route for that URI" }];
    expect([reply.status, reply.body]).toEqual([404, { result: null, success: false, errors, messages: [] }]);
  });

  test("a path outside the base address is a 404", async () => {
    const emulator = await start({ seed });
    const outside = { ...emulator, url: emulator.url.replace("/client/v4", "") };
    expect((await call(outside, "GET", "/zones")).status).toBe(404);
    expect((await call(outside, "GET", "/client/v41/zones")).status).toBe(404);
  });

  test.each([
    ["a malformed zone id", "example.com"],
    ["a zone id in upper case", zoneId.replaceAll("1", "A")],
    ["an unknown zone id", "99999999999999999999999999999999"],
    ["an encoded slash in place of a zone id", "%2f"],
  ])("%s is a 404 with code 7003", async (_, id) => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "GET", `/zones/${id}/page_shield`);
    expect([reply.status, reply.body]).toEqual([404, refused(unroutable(`/zones/${id}/page_shield`))]);
  });

  test("an unsupported method is a 405", async () => {
    const emulator = await start({ seed });
    const reply = await call(emulator, "PATCH", shield, {});
    expect([reply.status, reply.body]).toMatchObject([405, { success: false }]);
  });
});

describe("bodies", () => {
  test.each([
    ["a body that is not JSON", '{"enabled":'],
    ["a body that is nested too deeply", `{"enabled":${"[".repeat(5000)}${"]".repeat(5000)}}`],
    ["an empty body", ""],
    ["JSON that is not an object", "[true]"],
    ["a null body", "null"],
  ])("%s is refused with 400", async (_, body) => {
    const emulator = await start({ seed });
    const headers = { authorization: `Bearer ${emulator.token}` };
    expect((await send(emulator, "PUT", shield, headers, body)).status).toBe(400);
    expect(emulator.state()).toEqual(stateOfSeed);
  });

  test("a body of one mebibyte is read, and one byte more is refused with 413", async () => {
    const emulator = await start({ seed });
    const headers = { authorization: `Bearer ${emulator.token}` };
    const full = `{"enabled":false}`.padEnd(1024 * 1024, " ");
    expect((await send(emulator, "PUT", shield, headers, full)).status).toBe(200);
    expect((await send(emulator, "PUT", shield, headers, `${full} `)).status).toBe(413);
  });

  test("an endless body is cut off", async () => {
    const emulator = await start({ seed });
    const headers = { authorization: `Bearer ${emulator.token}` };
    const endless = " ".repeat(40 * 1024 * 1024);
    await expect(send(emulator, "PUT", shield, headers, endless)).rejects.toThrow();
  });

  test("the content type does not matter", async () => {
    const emulator = await start({ seed });
    const headers = { authorization: `Bearer ${emulator.token}`, "content-type": "text/plain" };
    expect((await send(emulator, "PUT", shield, headers, '{"enabled":false}')).status).toBe(200);
  });
});

describe("every answer", () => {
  test("has its own cf-ray header", async () => {
    const emulator = await start({ seed });
    const replies = [await call(emulator, "GET", shield), await send(emulator, "GET", "/nowhere", {}, null)];
    const rays = replies.map((reply) => reply.headers["cf-ray"]);
    expect(new Set(rays).size).toBe(2);
    for (const ray of rays) expect(ray).toMatch(/^[0-9a-f]{16}-[A-Z]{3}$/);
  });

  test("is logged with its request, in order of arrival", async () => {
    const emulator = await start({ seed, dialect: "interface" });
    await call(emulator, "GET", "/zones?per_page=5");
    await call(emulator, "DELETE", `${shield}/policies/${policyId}`);
    await call(emulator, "PUT", shield, { enabled: "off" });
    expect(emulator.log.map(({ method, path, status }) => [method, path, status])).toEqual([
      ["GET", "/zones?per_page=5", 200],
      ["DELETE", `${shield}/policies/${policyId}`, 200],
      ["PUT", shield, 400],
    ]);
    expect(emulator.log[1]).toMatchObject({ body: null, response: answered({ id: policyId }) });
    expect(emulator.writes()).toEqual(emulator.log.slice(1));
    expect(emulator.writes()[1]?.body).toEqual({ enabled: "off" });
  });
});

test("a full log loses its oldest entries and never grows beyond its limit", () => {
  const log: LoggedRequest[] = [];
  const unsaid = { body: null, status: 200, response: null, tookEffect: false };
  const entry = (path: string) => ({ method: "GET", path, ...unsaid });
  for (let n = 0; n <= LOG_LIMIT; n += 1) record(log, entry(`/${n}`));
  expect([log.length, log[0]?.path, log.at(-1)?.path]).toEqual([90_001, "/10000", "/100000"]);
});

describe("the server", () => {
  test("listens on the loopback address, and on the given port", async () => {
    const first = await start();
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/client\/v4$/);
    const port = Number(new URL(first.url).port);
    await first.close();
    expect((await start({ port })).url).toBe(first.url);
  });

  test("reports that its port is in use", async () => {
    const port = Number(new URL((await start()).url).port);
    await expect(start({ port })).rejects.toThrow(`The emulator cannot listen on 127.0.0.1:${port}`);
  });

  test("stops on close despite open connections, and close can be repeated", async () => {
    const emulator = await start({ seed });
    await call(emulator, "GET", shield);
    await emulator.close();
    await emulator.close();
    await expect(call(emulator, "GET", shield)).rejects.toThrow();
    expect(emulator.log).toHaveLength(1);
  });
});

const stateOfSeed = {
  ...seed,
  zones: { "shop.example": { ...seed.zones["shop.example"], account_id: seed.account_id } },
};
