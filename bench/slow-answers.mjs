import { createServer, request } from "node:http";

/** Starts a server in front of another one that forwards everything and delays each answer. */
export async function withSlowAnswers(access, answerMs, use) {
  const target = new URL(access.CLOUDFLARE_BASE_URL);
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const onwards = request(
      { host: target.hostname, port: target.port, path: url, method, headers },
      (answer) => {
        setTimeout(() => {
          outgoing.writeHead(answer.statusCode, answer.headers);
          answer.pipe(outgoing);
        }, answerMs);
      },
    );
    incoming.pipe(onwards);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = new URL(target);
  own.port = String(server.address().port);
  try {
    return await use({ ...access, CLOUDFLARE_BASE_URL: own.href });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
