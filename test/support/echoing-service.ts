import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createEmulator, type Emulator, type Seed } from "../../src/index.js";
import { SPELLINGS } from "./spellings.js";

/** How a request fails. Each call of `said` gives more of what the service knows, of at most so many characters. */
export type Failing = (
  response: ServerResponse,
  said: (chars: number) => string,
  after: () => Promise<void>,
) => void;

export interface EchoingService {
  readonly url: string;
  readonly emulator: Emulator;
  /** Everything said so far. */
  readonly said: readonly string[];
  /** The failure from now on; null: none. */
  fail(failing: Failing | null, which: "reads" | "writes" | "reads after a write"): void;
  close(): Promise<void>;
}

/**
 * An emulator behind a server that reads all traffic and repeats it in failures: received headers and bodies, and the secrets
 * that it is given, in every spelling.
 */
export async function echoingService(seed: Seed, held: readonly string[]): Promise<EchoingService> {
  const emulator = await createEmulator({ seed });
  const heard = new Set<string>(held);
  const said: string[] = [];
  let failing: Failing | null = null;
  let which: Parameters<EchoingService["fail"]>[1] = "reads";
  let written = false;
  let turn = 0;

  const say = (chars: number): string => {
    const pieces = [...heard].flatMap((text) => SPELLINGS.map(([, spelled]) => spelled(text)));
    const fitting = pieces.filter((each) => each.length <= chars);
    let text = "";
    for (let tries = 0; tries < 40 && fitting.length > 0; tries++) {
      const next = fitting[(turn * 7) % fitting.length] ?? "";
      turn += 1;
      if (text.length + next.length + 2 <= chars) text += text === "" ? next : `, ${next}`;
    }
    said.push(text);
    return text;
  };

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    hear(request, body, heard);
    const isRead = request.method === "GET";
    const struck = which === "writes" ? !isRead : which === "reads" ? isRead : isRead && written;
    if (!isRead) written = true;
    const forward = () => forwarded(emulator, request, body);
    if (failing !== null && struck) {
      failing(response, say, async () => void (await forward()));
      return;
    }
    const answer = await forward();
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return {
    url: `http://127.0.0.1:${port}/client/v4`,
    emulator,
    said,
    fail(how, what) {
      [failing, which, written] = [how, what, false];
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await emulator.close();
    },
  };
}

function hear({ headers }: IncomingMessage, body: string, heard: Set<string>): void {
  for (const name of ["authorization", "x-auth-key", "x-auth-email"]) {
    const value = headers[name];
    if (typeof value === "string") heard.add(value).add(value.replace(/^Bearer /, ""));
  }
  if (body !== "") for (const text of textsIn(JSON.parse(body))) heard.add(text);
}

/** Values of names that suggest a secret, and their parts. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    if (typeof each !== "string" || !/destination|challenge|filter/.test(name)) return textsIn(each);
    return [each, ...each.split(/[/?&]/).filter((part) => part.length >= 6 && !/^\w+:$/.test(part))];
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  request.setEncoding("utf8");
  for await (const part of request) body += part;
  return body;
}

async function forwarded(emulator: Emulator, { method = "GET", url = "" }: IncomingMessage, body: string) {
  const answer = await fetch(`${new URL(emulator.url).origin}${url}`, {
    method,
    headers: { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" },
    ...(body === "" ? {} : { body }),
  });
  return { status: answer.status === 204 ? 200 : answer.status, text: await answer.text() };
}
