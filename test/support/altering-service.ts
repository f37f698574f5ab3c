import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Emulator } from "../../src/index.js";

/** Replaces the text of an answer; undefined: the answer stays unchanged. */
export type Alter = (path: string, answer: string) => string | undefined;

/** A server before an emulator that alters answers to reads. Gives the environment that connects the program to it. */
export async function altering(emulator: Emulator, alter: Alter): Promise<Readonly<Record<string, string>>> {
  const { origin, pathname } = new URL(emulator.url);
  const server = createServer(async (request, response) => {
    const headers = { authorization: request.headers.authorization ?? "" };
    const answer = await fetch(`${origin}${request.url}`, { method: request.method ?? "GET", headers });
    const text = await answer.text();
    const path = (request.url ?? "").slice(pathname.length);
    response.writeHead(answer.status).end(alter(path, text) ?? text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return {
    CLOUDFLARE_API_TOKEN: emulator.token,
    CLOUDFLARE_BASE_URL: `http://127.0.0.1:${port}${pathname}`,
  };
}
