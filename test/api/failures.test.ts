import { createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { isDenied } from "../../src/api/problems.js";
import { proxyTo } from "../support/proxy.js";
import {
  accepting,
  answer,
  CANARY,
  connection,
  impatient,
  problemOf,
  type Respond,
  refusal,
  serve,
  success,
} from "./serve.js";

type Case = readonly [
  sentence: string,
  respond: Respond,
  code: string,
  facts: {
    readonly status: number | null;
    readonly codes?: readonly number[];
    readonly sent: boolean | "unknown";
  },
  detail: RegExp,
];

/** An envelope nested this many levels deep. */
function deep(levels: number): string {
  return `{"success":true,"result":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
}

const HTML = "<html><title>Just a moment</title></html>";

const cases: readonly Case[] = [
  [
    "does not follow a redirect",
    (_, r) => answer(r, 302, "", { location: "https://elsewhere.example/" }),
    "redirect",
    { status: 302, sent: true },
    /HTTP 302 .* to https:\/\/elsewhere\.example\//,
  ],
  [
    "reports HTML as not JSON",
    (_, r) => answer(r, 200, HTML),
    "not_json",
    { status: 200, sent: true },
    /HTTP 200 \(request id 8f00d-LOC\).*not JSON.*Just a moment/,
  ],
  [
    "reports an empty answer as not JSON",
    (_, r) => answer(r, 200, ""),
    "not_json",
    { status: 200, sent: true },
    /empty body/,
  ],
  [
    "reports a 204 answer to a read",
    (_, r) => answer(r, 204, ""),
    "not_json",
    { status: 204, sent: true },
    /HTTP 204/,
  ],
  [
    "reports truncated JSON",
    (_, r) => answer(r, 200, '{"result":[{"id":"a'),
    "truncated_json",
    { status: 200, sent: true },
    /the body is cut off/,
  ],
  [
    "reports JSON without an envelope",
    (_, r) => answer(r, 200, { id: "a" }),
    "no_envelope",
    { status: 200, sent: true },
    /no envelope of the API: .*Check the base address/,
  ],
  [
    "reports a list without an envelope",
    (_, r) => answer(r, 200, []),
    "no_envelope",
    { status: 200, sent: true },
    /no envelope/,
  ],
  [
    "requires a result in the envelope",
    (_, r) => answer(r, 200, { success: true, errors: [] }),
    "no_envelope",
    { status: 200, sent: true },
    /an envelope without a result: .*Try again/,
  ],
  [
    "requires the success field",
    (_, r) => answer(r, 200, { result: {} }),
    "no_envelope",
    { status: 200, sent: true },
    /an envelope without success/,
  ],
  [
    "requires success to be the Boolean true",
    (_, r) => answer(r, 200, { result: {}, success: "true" }),
    "no_envelope",
    { status: 200, sent: true },
    /an envelope without success/,
  ],
  [
    "reports success: false with status 200",
    (_, r) => answer(r, 200, refusal({ code: 1004, message: "no." })),
    "api_error",
    { status: 200, codes: [1004], sent: true },
    /HTTP 200 \(request id 8f00d-LOC\): no \(code 1004\)\.$/,
  ],
  [
    "reports a 400 with the service's reason and pointer",
    (_, r) =>
      answer(
        r,
        400,
        refusal({
          code: 20125,
          message: "blank",
          source: { pointer: "/rules/0/expression" },
          documentation_url: "https://d.example/",
        }),
      ),
    "api_error",
    { status: 400, codes: [20125], sent: true },
    /blank \(code 20125, \/rules\/0\/expression\) see https:\/\/d\.example\//,
  ],
  [
    "shows an error's chain, and counts what it leaves out",
    (_, r) =>
      answer(r, 400, refusal({ code: 1, message: "outer", error_chain: [{ code: 2, message: "inner" }] })),
    "api_error",
    { status: 400, codes: [1, 2], sent: true },
    /outer \(code 1\) ← inner \(code 2\)/,
  ],
  [
    "accepts an error without a code, and null messages",
    (_, r) =>
      answer(r, 403, { success: false, errors: [{ message: "request is not authorized" }], messages: null }),
    "unauthorized",
    { status: 403, codes: [], sent: true },
    /: request is not authorized\. Check the credential \(CLOUDFLARE_API_TOKEN, or CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY\): it is wrong/,
  ],
  [
    "accepts a code as text and an error as text",
    (_, r) => answer(r, 400, refusal({ code: "7", message: "x" }, "y")),
    "api_error",
    { status: 400, codes: [7], sent: true },
    /x \(code 7\); y/,
  ],
  [
    "accepts null errors",
    (_, r) => answer(r, 400, { success: false, errors: null }),
    "api_error",
    { status: 400, sent: true },
    /and no reason/,
  ],
  [
    "accepts errors as text",
    (_, r) => answer(r, 400, { success: false, errors: "boom" }),
    "api_error",
    { status: 400, sent: true },
    /HTTP 400 .*: boom\.$/,
  ],
  [
    "accepts one error without a list",
    (_, r) => answer(r, 400, { success: false, errors: { code: 7, message: "boom" } }),
    "api_error",
    { status: 400, codes: [7], sent: true },
    /: boom \(code 7\)\.$/,
  ],
  [
    "refuses an answer that is nested too deeply, without a retry",
    (_, r) => answer(r, 200, deep(5000)),
    "too_deep",
    { status: 200, sent: true },
    /HTTP 200 .*more than 100 levels/,
  ],
  [
    "refuses a refusal that is nested too deeply",
    (_, r) => answer(r, 404, deep(101)),
    "too_deep",
    { status: 404, sent: true },
    /more than 100 levels/,
  ],
  [
    "refuses an answer with a key like a method of every object, and names its place",
    (_, r) => answer(r, 200, { success: true, result: [{ id: "a" }, { valueOf: "b" }] }),
    "bad_key",
    { status: 200, sent: true },
    /HTTP 200 .*and the key \/result\/1\/valueOf, a reserved name\. Check/,
  ],
  [
    "finds a reason among the messages",
    (_, r) => answer(r, 400, { success: false, errors: [], messages: [{ message: "this" }] }),
    "api_error",
    { status: 400, sent: true },
    /: this/,
  ],
  [
    "blames the credential for a 401",
    (_, r) => answer(r, 401, refusal({ code: 10000, message: "Authentication error" })),
    "unauthorized",
    { status: 401, codes: [10000], sent: true },
    /Authentication error \(code 10000\)/,
  ],
  [
    "blames the credential for a 401 without an envelope",
    (_, r) => answer(r, 401, "Unauthorized"),
    "unauthorized",
    { status: 401, sent: true },
    /not JSON/,
  ],
  [
    "blames the credential for an authentication code with any status",
    (_, r) => answer(r, 400, refusal({ code: 9109, message: "no" })),
    "unauthorized",
    { status: 400, codes: [9109], sent: true },
    /no \(code 9109\)/,
  ],
  [
    "does not blame permissions for a 403 from another server",
    (_, r) => answer(r, 403, HTML),
    "not_json",
    { status: 403, sent: true },
    /HTTP 403/,
  ],
  [
    "reads the API's 404 as an absent object",
    (_, r) => answer(r, 404, refusal({ code: 10003, message: "could not find" })),
    "not_found",
    { status: 404, codes: [10003], sent: true },
    /could not find/,
  ],
  [
    "does not read a 404 from another server as absent",
    (_, r) => answer(r, 404, HTML),
    "not_json",
    { status: 404, sent: true },
    /HTTP 404/,
  ],
  [
    "does not read a 404 without an envelope as absent",
    (_, r) => answer(r, 404, { message: "not found" }),
    "no_envelope",
    { status: 404, sent: true },
    /HTTP 404/,
  ],
  [
    "does not read a 404 with success: true as absent",
    (_, r) => answer(r, 404, { success: true, result: {} }),
    "no_envelope",
    { status: 404, sent: true },
    /an envelope with success: true/,
  ],
  [
    "does not read a truncated 404 as absent",
    (_, r) => answer(r, 404, '{"success":false'),
    "truncated_json",
    { status: 404, sent: true },
    /HTTP 404/,
  ],
  [
    "does not read the 404 of an unknown path as absent",
    (_, r) => answer(r, 404, refusal({ code: 7003, message: "Could not route" })),
    "no_route",
    { status: 404, codes: [7003], sent: true },
    /Could not route/,
  ],
  [
    "reports a 405 as an unsupported call",
    (_, r) => answer(r, 405, refusal({ message: "no" })),
    "method_not_allowed",
    { status: 405, sent: true },
    /HTTP 405/,
  ],
  [
    "reports a 409 as a conflict",
    (_, r) => answer(r, 409, refusal({ message: "no" })),
    "conflict",
    { status: 409, sent: true },
    /Plan again/,
  ],
  [
    "reports a 422 as unprocessable",
    (_, r) => answer(r, 422, refusal({ message: "no" })),
    "unprocessable",
    { status: 422, sent: true },
    /HTTP 422/,
  ],
  [
    "gives up on endless 429 answers",
    (_, r) => answer(r, 429, refusal({ message: "slow" })),
    "rate_limited",
    { status: 429, sent: true },
    /slow.*tried 6 times/,
  ],
  [
    "treats the code of a 429 with another status as a 429",
    (_, r) => answer(r, 403, refusal({ code: 971, message: "slow" })),
    "rate_limited",
    { status: 403, codes: [971], sent: true },
    /slow.*The limit counts all requests of this user/,
  ],
  [
    "gives up on endless 500 answers",
    (_, r) => answer(r, 500, refusal({ message: "oops" })),
    "server_error",
    { status: 500, sent: true },
    /oops.*tried 6 times/,
  ],
  [
    "reports a 502 with HTML as a server error",
    (_, r) => answer(r, 502, HTML),
    "server_error",
    { status: 502, sent: true },
    /HTTP 502 \(request id 8f00d-LOC\) and a body that is not JSON/,
  ],
  [
    "reports that a request on a broken connection may have arrived",
    (q) => q.socket.destroy(),
    "connection_lost",
    { status: null, sent: "unknown" },
    /at http:\/\/127.*got no answer/,
  ],
  [
    "reports a truncated body as a broken connection",
    (q, r) => {
      r.writeHead(200, { "content-length": "100" });
      r.write("{");
      setTimeout(() => q.socket.destroy(), 20);
    },
    "connection_lost",
    { status: null, sent: true },
    /\(6 tries\)/,
  ],
  [
    "refuses a body beyond the limit",
    (_, r) => answer(r, 200, success("x".repeat(2 * 1024 * 1024))),
    "response_too_large",
    { status: null, sent: true },
    /base address/,
  ],
];

describe("a failed read", () => {
  test.each(cases)("%s", async (_sentence, respond, code, facts, detail) => {
    const server = await serve(accepting(respond));
    const { client } = impatient(connection(server.baseUrl));
    const found = problemOf(await client.get("/zones/z/page_shield"));
    expect(found.code).toBe(code);
    expect(found.http).toEqual({ codes: [], ...facts });
    expect(found.detail).toMatch(detail);
    expect(found.detail).toMatch(/^GET \/zones\/z\/page_shield /);
    expect(found.severity).toBe("error");
    expect(isDenied(found)).toBe(code === "unauthorized");
    await client.close();
    await server.close();
  });

  test("brackets inside a string are not levels", async () => {
    const result = { text: `${"[{".repeat(5000)}\\"[` };
    const server = await serve((_, r) => answer(r, 200, success(result)));
    const { client } = impatient(connection(server.baseUrl));
    expect(await client.get("/zones")).toEqual({ ok: true, value: result });
    await server.close();
  });

  test("reports a refused connection as not sent", async () => {
    const server = await serve(() => {});
    await server.close();
    const { client } = impatient(connection(server.baseUrl));
    const found = problemOf(await client.get("/zones"));
    expect(found).toMatchObject({ code: "connection_refused", http: { status: null, sent: false } });
    expect(found.detail).toMatch(/ECONNREFUSED/);
  });

  test("reports a server without TLS at once, before sending", async () => {
    const server = await serve(() => {});
    const { client } = impatient(connection(server.baseUrl.replace("http:", "https:")));
    const found = problemOf(await client.get("/zones"));
    expect(found).toMatchObject({ code: "tls_failure", http: { status: null, sent: false } });
    expect(client.requests).toBe(1);
    await server.close();
  });

  test("reports a server that does not speak HTTP", async () => {
    const server = createTcpServer((socket) =>
      socket.on("data", () => socket.end("SSH-2.0-OpenSSH_9.9\r\n")),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { client } = impatient(connection(`http://127.0.0.1:${port}`));
    expect(problemOf(await client.get("/zones")).code).toBe("not_http");
    server.close();
  });

  test("reports a result that is not a list", async () => {
    for (const result of [{}, "x"]) {
      const server = await serve((_, r) => answer(r, 200, success(result)));
      const { client } = impatient(connection(server.baseUrl));
      expect(problemOf(await client.list("/zones/z/x")).code).toBe("not_a_list");
      await server.close();
    }
  });
});

describe("a proxy", () => {
  test.each([
    [
      407,
      "proxy_refused",
      /the proxy http:\/\/127\.0\.0\.1:\d+ answered with HTTP 407\. Check HTTPS_PROXY\. The proxy may need a user/,
    ],
    [403, "proxy_refused", /answered with HTTP 403/],
    [502, "proxy_failed", /answered with HTTP 502 \(2 tries\)\. Check HTTPS_PROXY/],
  ])("that answers with %i has not forwarded the request", async (status, code, detail) => {
    const { host } = await proxyTo(0, status);
    const found = problemOf(await through(`http://me:${CANARY}@${host}`).get("/zones"));
    expect(found).toMatchObject({ code, http: { status: null, sent: false } });
    expect(found.detail).toMatch(detail);
    expect(found.detail).not.toContain(CANARY);
  });

  test("that does not speak HTTP is named in the problem", async () => {
    const server = createTcpServer((socket) => socket.once("data", () => socket.end("SSH-2.0-x\r\n")));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const http = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const found = problemOf(await through(http).get("/zones"));
    expect(found).toMatchObject({ code: "proxy_failed", http: { status: null, sent: false } });
    expect(found.detail).toContain(`the proxy ${http} cannot be reached: Parse Error`);
    server.close();
  });

  function through(address: string) {
    const proxy = { http: "", https: address, except: "" };
    return impatient(connection("https://api.example.test", { proxy })).client;
  }
});

describe("a compressed answer", () => {
  const text = JSON.stringify(success({ id: "a" }));
  async function got(coding: string, body: Buffer) {
    const server = await serve((_, r) => {
      r.writeHead(200, { "content-encoding": coding });
      r.end(body);
    });
    const { client } = impatient(connection(server.baseUrl));
    const result = await client.get("/zones");
    await server.close();
    return { result, asked: server.requests[0]?.headers["accept-encoding"] };
  }

  test("is not asked for", async () => {
    const { result, asked } = await got("Identity", Buffer.from(text));
    expect(result).toEqual({ ok: true, value: { id: "a" } });
    expect(asked).toBe("identity");
  });

  test("gives one clear error", async () => {
    const found = problemOf((await got("gzip", gzipSync(text))).result);
    expect(found.code).toBe("not_json");
    expect(found.detail).toMatch(/an unknown encoding/);
  });
});

describe("the time limit", () => {
  const slow: readonly (readonly [string, Respond, boolean | "unknown"])[] = [
    ["a missing answer", () => {}, "unknown"],
    [
      "a body that never ends",
      (_, r) => {
        r.writeHead(200);
        r.write("{");
      },
      true,
    ],
    [
      "a body that arrives byte by byte",
      (_, r) => {
        r.writeHead(200);
        const drip = setInterval(() => r.write(" "), 20);
        r.on("close", () => clearInterval(drip));
      },
      true,
    ],
    [
      "a header that arrives byte by byte",
      (q) => {
        q.socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
        const drip = setInterval(() => q.socket.write("s"), 20);
        q.socket.on("close", () => clearInterval(drip));
      },
      "unknown",
    ],
    [
      "endless interim answers",
      (_, r) => {
        const again = setInterval(() => r.writeProcessing(), 20);
        r.on("close", () => clearInterval(again));
      },
      true,
    ],
  ];

  test.each(slow)("ends %s", async (_sentence, respond, sent) => {
    const server = await serve(respond);
    // A busy machine must have sent the request by then.
    const { client } = impatient(connection(server.baseUrl, { timeoutMs: 500 }));
    const found = problemOf(await client.send("PUT", "/zones/z/x", {}));
    expect(found).toMatchObject({ code: "timeout", http: { status: null, sent } });
    expect(found.detail).toMatch(/within 0\.5 s/);
    await server.close();
  });

  test("reports a proxy that never opens its tunnel as not sent", async () => {
    // This proxy accepts the connection and never confirms the tunnel.
    const silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const http = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const proxied = connection("https://api.example.test", {
      timeoutMs: 120,
      proxy: { http, https: http, except: "" },
    });
    const { client } = impatient(proxied);
    expect(problemOf(await client.get("/zones"))).toMatchObject({ code: "timeout", http: { sent: false } });
    silent.close();
  });
});

describe("text from the service", () => {
  async function detailOf(
    respond: Respond,
    credential = { as: "token", token: CANARY } as const,
  ): Promise<string> {
    const server = await serve(respond);
    const { client } = impatient(connection(server.baseUrl, { credential }));
    const found = problemOf(await client.get("/zones"));
    await server.close();
    return found.detail + found.summary;
  }

  test("never repeats the credential from any part of an answer", async () => {
    const echoes = [
      CANARY,
      CANARY.toUpperCase(),
      encodeURIComponent(CANARY),
      Buffer.from(CANARY).toString("base64"),
    ];
    for (const echo of echoes) {
      const item = {
        code: 1,
        message: `bad ${echo}.`,
        source: { pointer: `/${echo}` },
        documentation_url: echo,
        error_chain: [{ message: echo }],
      };
      const texts = [
        await detailOf((_, r) => answer(r, 400, refusal(item), { "cf-ray": echo })),
        await detailOf((_, r) => answer(r, 200, `<p>${echo}</p>`)),
        await detailOf((_, r) => answer(r, 302, "", { location: `https://x.example/?t=${echo}` })),
        await detailOf((_, r) => answer(r, 400, refusal({ message: "x".repeat(490) + echo }))),
      ];
      for (const text of texts) expect(text.toLowerCase()).not.toContain(echo.toLowerCase().slice(0, 8));
    }
  });

  test("never repeats email, key or protected values", async () => {
    const server = await serve((_, r) =>
      answer(r, 400, refusal({ message: `me@x.example has ${CANARY} for s3://bucket?key=hush` })),
    );
    const { client } = impatient(
      connection(server.baseUrl, { credential: { as: "key", email: "me@x.example", key: CANARY } }),
    );
    client.addSecrets(["s3://bucket?key=hush"]);
    const found = problemOf(await client.send("POST", "/zones/z/jobs", {}));
    expect(found.detail).toContain("[redacted] has [redacted] for [redacted]");
    await server.close();
  });

  test("is shortened and escaped", async () => {
    const item = { message: `\u001b[31mred\u202e\r\n${"long ".repeat(1000)}` };
    const text = await detailOf((_, r) => answer(r, 400, refusal(...Array.from({ length: 50 }, () => item))));
    expect(text).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(text).toContain("and 40 more");
    expect(text.length).toBeLessThan(6000);
  });
});
