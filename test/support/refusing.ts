import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Refuses the nth request (from 1) of a method whose path matches; without a number, all of them. */
export interface Refusal {
  readonly method: string;
  readonly path: RegExp;
  readonly nth?: number;
}

/** A server before a service that refuses requests as for a missing permission. */
export interface Refusing {
  /** The address of this server. */
  readonly url: string;
  /** Sets the refused requests and restarts the count. */
  arm(refusal: Refusal | null): void;
  /** The requests refused since then, as `METHOD path`. */
  refused(): readonly string[];
  close(): Promise<void>;
}

const FORBIDDEN = JSON.stringify({
  success: false,
  errors: [{ code: 10000, message: "Authentication error" }],
  messages: [],
  result: null,
});

export async function refusing(service: string): Promise<Refusing> {
  const { origin, pathname } = new URL(service);
  let armed: Refusal | null = null;
  let count = 0;
  let refused: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const isMeant = armed !== null && armed.method === method && armed.path.test(url);
    if (isMeant) count += 1;
    if (isMeant && (armed?.nth === undefined || armed.nth === count)) {
      refused.push(`${method} ${url.slice(pathname.length)}`);
      response.writeHead(403, { "content-type": "application/json" }).end(FORBIDDEN);
      return;
    }
    const { authorization = "" } = request.headers;
    const body = Buffer.concat(chunks);
    const answer = await fetch(`${origin}${url}`, {
      method,
      headers: { authorization, "content-type": "application/json" },
      ...(body.length === 0 ? {} : { body }),
    });
    const text = await answer.text();
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    arm(refusal) {
      armed = refusal;
      count = 0;
      refused = [];
    },
    refused: () => refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
