import { writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { createEmulator, type Dialect, plan, type Seed } from "../../src/index.js";
import { quickFolder } from "../apply/run.js";
import { fc, runs, untilMet } from "../support/random.js";
import { liveZone, zone } from "../support/random-zones.js";

const dialects = fc.constantFrom<Dialect>("service", "interface");

test("a plan from recorded answers equals the plan from the service", async () => {
  const cwd = await quickFolder("");
  await untilMet(
    { changes: runs(80) },
    (met) =>
      fc.asyncProperty(dialects, liveZone, zone, async (dialect, live, body) => {
        await writeFile(
          path.join(cwd, "zoneward.yaml"),
          JSON.stringify({ version: 1, zones: { "a.example.com": body } }),
        );
        const seed = { zones: { "a.example.com": { id: "a".repeat(32), ...live } } } as Seed; // generated as valid seeds
        const emulator = await createEmulator({ dialect, seed });
        const environment = { CLOUDFLARE_API_TOKEN: emulator.token };
        const { origin, pathname } = new URL(emulator.url);
        const answers = new Map<string, { readonly status: number; readonly text: string }>();
        const recording = await listening(async ({ url = "", method = "GET", headers }, response) => {
          const { authorization = "" } = headers;
          const answer = await fetch(`${origin}${url}`, { method, headers: { authorization } });
          const kept = { status: answer.status, text: await answer.text() };
          answers.set(`${method} ${url}`, kept);
          response.writeHead(kept.status).end(kept.text);
        });
        const options = { cwd, environment, rateLimit: "off" };
        const first = await plan({ ...options, baseUrl: `${recording.origin}${pathname}` });
        await recording.close();
        await emulator.close();
        const replaying = await listening(({ url = "", method = "GET" }, response) => {
          const kept = answers.get(`${method} ${url}`);
          response.writeHead(kept?.status ?? 500).end(kept?.text);
        });
        const second = await plan({ ...options, baseUrl: `${replaying.origin}${pathname}` });
        await replaying.close();
        expect(second).toEqual(first);
        expect(second.document?.digest).toBe(first.document?.digest);
        met("changes", first.document?.changes.length);
      }),
    runs(80),
  );
});

async function listening(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { origin: `http://127.0.0.1:${port}`, close };
}
