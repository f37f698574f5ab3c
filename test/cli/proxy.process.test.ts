import { appendFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../src/index.js";
import { LAST_WEEK, selfSigned } from "../support/certificate.js";
import { folderWith, zoneward, zonewardProcess } from "../support/cli.js";
import { endOfWaiting } from "../support/no-waiting.js";
import { proxyTo, tlsInFrontOf } from "../support/proxy.js";

const PASSWORD = "canary-hunter2";
const FILE = "version: 1\nzones:\n  example.com:\n    settings: { enabled: true }\n";

/** A service behind TLS, with a name that only a proxy can resolve, or with an address. */
async function secured(host = "api.example.test", validity?: typeof LAST_WEEK) {
  const emulator = await createEmulator({ seed: { zones: { "example.com": {} } } });
  onTestFinished(() => emulator.close());
  const certificate = selfSigned(host, validity);
  const folder = await folderWith({ "zoneward.yaml": FILE, "authority.pem": certificate.cert });
  const port = await tlsInFrontOf(Number(new URL(emulator.url).port), certificate);
  const { pathname } = new URL(emulator.url);
  const env = {
    CLOUDFLARE_API_TOKEN: emulator.token,
    CLOUDFLARE_BASE_URL: `https://${host}:${port}${pathname}`,
    NODE_EXTRA_CA_CERTS: `${folder}/authority.pem`,
  };
  const plan = (more: Readonly<Record<string, string>> = {}) =>
    zonewardProcess(["plan", "-v"], { cwd: folder, env: { ...env, ...more } });
  // Certificates of NODE_EXTRA_CA_CERTS are only read when a process starts, so this one is not trusted
  // here.
  const planHere = (more: Readonly<Record<string, string>> = {}) =>
    zoneward(["plan", "-v"], { cwd: folder, env: { ...env, ...more } });
  return { emulator, port, pathname, folder, plan, planHere };
}

/** Counts the requests in the verbose output. */
function triesIn(err: string): number {
  return err.match(/^GET /gm)?.length ?? 0;
}

describe("a proxy", () => {
  test("is used as a tunnel to the service", async () => {
    const { emulator, port, plan } = await secured();
    const proxy = await proxyTo(port);
    const ran = await plan({ HTTPS_PROXY: `http://${proxy.host}` });
    expect(ran).toMatchObject({ code: 0, err: expect.not.stringContaining("error") });
    expect(ran.out).toContain("example.com");
    expect(emulator.log.length).toBeGreaterThan(0);
    expect(proxy.tunnels[0]).toMatchObject({ target: `api.example.test:${port}`, user: "" });
    // The credential must only reach the service.
    expect(JSON.stringify(proxy.tunnels)).not.toContain(emulator.token);
  });

  test.each([
    ["HTTPS_PROXY", `me:${PASSWORD}@`, `me:${PASSWORD}`],
    ["https_proxy", "me%40x:p%3A%2F@", "me@x:p:/"],
    ["HTTPS_PROXY", "me@", "me:"],
    ["https_proxy", "", ""],
  ])("in %s receives the user info %j of its address", async (variable, info, user) => {
    const { port, planHere } = await secured();
    const proxy = await proxyTo(port);
    await planHere({ [variable]: `http://${info}${proxy.host}` });
    expect(proxy.tunnels.map((each) => each.user)).toEqual([user]);
  });

  test("is not used for a host in NO_PROXY", async () => {
    const { emulator, port, plan } = await secured("0.0.0.0");
    const proxy = await proxyTo(port);
    const ran = await plan({ HTTPS_PROXY: `http://${proxy.host}`, NO_PROXY: "x.example, 0.0.0.0" });
    expect(ran.code).toBe(0);
    expect(emulator.log.length).toBeGreaterThan(0);
    expect(proxy.tunnels).toEqual([]);
  });

  test("is not used for a loopback address", async () => {
    const { plan } = await secured("127.0.0.1");
    const proxy = await proxyTo(1);
    expect(await plan({ HTTPS_PROXY: `http://${proxy.host}` })).toMatchObject({ code: 0 });
    expect(proxy.tunnels).toEqual([]);
  });

  test("that is unreachable causes one error without its password", async () => {
    onTestFinished(endOfWaiting());
    const { planHere } = await secured();
    const port = await unusedPort();
    const { code, out, err } = await planHere({ HTTPS_PROXY: `http://me:${PASSWORD}@127.0.0.1:${port}` });
    expect(code).toBe(1);
    expect(err.match(/error: /g)).toHaveLength(1);
    expect(err).toContain(`the proxy http://127.0.0.1:${port} cannot be reached`);
    expect(err).toContain("ECONNREFUSED");
    expect(out + err).not.toContain(PASSWORD);
  });

  test("that refuses the user causes one error", async () => {
    const { port, planHere } = await secured();
    const proxy = await proxyTo(port, 407);
    const { code, out, err } = await planHere({ HTTPS_PROXY: `http://me:${PASSWORD}@${proxy.host}` });
    expect(code).toBe(1);
    expect(err.match(/error: /g)).toHaveLength(1);
    expect(err).toMatch(/the proxy http:\/\/127\.0\.0\.1:\d+ answered with HTTP 407/);
    expect(proxy.tunnels).toHaveLength(1);
    expect(out + err).not.toContain(PASSWORD);
  });

  test("may be behind TLS", async () => {
    const { port, folder, plan } = await secured();
    const proxy = await proxyTo(port);
    const certificate = selfSigned("127.0.0.1");
    await appendFile(`${folder}/authority.pem`, certificate.cert);
    const front = await tlsInFrontOf(Number(proxy.host.split(":")[1]), certificate);
    expect(await plan({ HTTPS_PROXY: `https://127.0.0.1:${front}` })).toMatchObject({ code: 0 });
    expect(proxy.tunnels.length).toBeGreaterThan(0);
  });

  test("does not make an untrusted certificate trusted", async () => {
    const { port, planHere } = await secured();
    const proxy = await proxyTo(port);
    const { code, err } = await planHere({ HTTPS_PROXY: `http://${proxy.host}` });
    expect([code, triesIn(err)]).toEqual([1, 1]);
    expect(err).toContain("self-signed certificate");
  });

  test("does not make a certificate valid for another host", async () => {
    const { port, pathname, plan } = await secured();
    const proxy = await proxyTo(port);
    const { code, err } = await plan({
      HTTPS_PROXY: `http://${proxy.host}`,
      CLOUDFLARE_BASE_URL: `https://other.example.test:${port}${pathname}`,
    });
    expect([code, triesIn(err)]).toEqual([1, 1]);
    expect(err).toMatch(/does not match certificate's altnames/);
  });
});

describe("a certificate", () => {
  test("from an unknown authority is one error without a retry", async () => {
    const { emulator, planHere } = await secured("127.0.0.1");
    const { code, err } = await planHere();
    expect([code, triesIn(err)]).toEqual([1, 1]);
    expect(err.match(/error: /g)).toHaveLength(1);
    expect(err).toContain("self-signed certificate");
    expect(err).toContain("NODE_EXTRA_CA_CERTS");
    expect(emulator.log).toEqual([]);
  });

  test("for another host is one error without a retry", async () => {
    const { emulator, port, pathname, plan } = await secured("127.0.0.1");
    const { code, err } = await plan({ CLOUDFLARE_BASE_URL: `https://localhost:${port}${pathname}` });
    expect([code, triesIn(err)]).toEqual([1, 1]);
    expect(err.match(/error: /g)).toHaveLength(1);
    expect(err).toMatch(/does not match certificate's altnames/);
    expect(emulator.log).toEqual([]);
  });

  test("that has expired is one error without a retry", async () => {
    const { emulator, plan } = await secured("127.0.0.1", LAST_WEEK);
    const { code, err } = await plan();
    expect([code, triesIn(err)]).toEqual([1, 1]);
    expect(err.match(/error: /g)).toHaveLength(1);
    expect(err).toContain("certificate has expired");
    expect(emulator.log).toEqual([]);
  });
});

/** A port of this machine that was just closed. */
function unusedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

test("answer headers may be as large as Node.js allows", async () => {
  const server = createHttpServer((_, response) => {
    response.setHeader("x-large", "x".repeat(20_000));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ success: true, errors: [], messages: [], result: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // The server listens on TCP, so its address is an object.
  const cwd = await folderWith({ "zoneward.yaml": FILE });
  const env = { CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_BASE_URL: `http://127.0.0.1:${port}/client/v4` };
  const plan = (more: Readonly<Record<string, string>> = {}) =>
    zonewardProcess(["plan"], { cwd, env: { ...env, ...more } });
  expect((await plan()).err).toContain("Answer too large");
  const told = await plan({ NODE_OPTIONS: "--max-http-header-size=65536" });
  expect(told.err).not.toContain("Answer too large");
  expect(told.err).toContain("example.com");
});
