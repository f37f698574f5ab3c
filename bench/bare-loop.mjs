// The least that reading these paths can cost with undici: send the GETs, parse the JSON, nothing else.
import { readFileSync } from "node:fs";
import { Pool } from "undici";

const [file, concurrency] = process.argv.slice(2);
const { origin, pathname } = new URL(process.env.CLOUDFLARE_BASE_URL);
const headers = { authorization: `Bearer ${process.env.CLOUDFLARE_API_TOKEN}` };
const pool = new Pool(origin, { connections: Number(concurrency), pipelining: 1 });
const paths = JSON.parse(readFileSync(file, "utf8")).values();
await Promise.all(Array.from({ length: Number(concurrency) }, read));
await pool.close();

async function read() {
  for (const path of paths) {
    const { body } = await pool.request({ method: "GET", path: pathname + path, headers });
    JSON.parse(await body.text());
  }
}
