// The least possible cost of these requests with undici: sends them and parses the JSON. An entry that is only a path
// is a GET.
import { readFileSync } from "node:fs";
import { Pool } from "undici";

const [file, concurrency] = process.argv.slice(2);
const { origin, pathname } = new URL(process.env.CLOUDFLARE_BASE_URL);
const headers = { authorization: `Bearer ${process.env.CLOUDFLARE_API_TOKEN}` };
const pool = new Pool(origin, { connections: Number(concurrency), pipelining: 1 });
const requests = JSON.parse(readFileSync(file, "utf8")).values();
await Promise.all(Array.from({ length: Number(concurrency) }, send));
await pool.close();

async function send() {
  for (const each of requests) {
    const { method, path, body } =
      typeof each === "string" ? { method: "GET", path: each, body: null } : each;
    const answer = await pool.request({ method, path: pathname + path, headers, ...withBody(body) });
    JSON.parse(await answer.body.text());
  }
}

function withBody(body) {
  if (body === null || body === undefined) return {};
  return { body: JSON.stringify(body), headers: { ...headers, "content-type": "application/json" } };
}
