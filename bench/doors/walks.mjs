import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createEmulator } from "zoneward";
import { tracedProgram } from "./traced.mjs";

const ZONE = "shop.example.com";
const HOST = `http.host eq "${ZONE}"`;

/** The functions that parse a CSP and that merge the templates of a zone. */
const PARSING = /^csp\/(parse|syntax)\.ts parse$/;
const MERGING = /^config\/\w+\.ts mergeLayers$/;

/**
 * Runs the traced program of a checkout against the emulator.
 *
 * - `plan`: `plan --format json` of a zone in which one policy has one more source than live. A file is entered when one of its
 *   functions is called. Loading does not count, nor do generated files.
 * - `walks`: the files that a value passes, in order: those with a function whose result contains the value.
 *
 * @param root the root of a checkout
 */
export async function walksIn(root) {
  const program = tracedProgram(root);
  const cwd = mkdtempSync(path.join(tmpdir(), "zoneward-doors-"));
  const emulator = await createEmulator({
    seed: { zones: { [ZONE]: { policies: [policy("Checkout", "'self'")] } } },
  });
  const env = { CLOUDFLARE_API_TOKEN: emulator.token, CLOUDFLARE_BASE_URL: emulator.url };
  const run = async (args, { mark, expected = 0, url = emulator.url }) => {
    // One request at a time, so that the order of files is the same in each run.
    const ran = await program.run([...args, "--concurrency", "1"], {
      cwd,
      env: { ...env, CLOUDFLARE_BASE_URL: url },
      mark,
    });
    if (ran.code !== expected)
      throw new Error(`${args.join(" ")} exits with ${ran.code}: ${ran.err}${ran.out}`);
    return ran;
  };
  const write = (file, section) =>
    writeFileSync(path.join(cwd, file), JSON.stringify({ version: 1, zones: { [ZONE]: section } }));
  try {
    write("zoneward.yaml", { policies: [policy("Checkout", "'self' cdn.example")] });
    const plan = await run(["plan", "--format", "json"], {});

    write("zoneward.yaml", { custom_log_fields: { request_fields: ["x-followed"] } });
    const value = await run(["apply", "--yes", "-q"], { mark: "x-followed" });

    const refusing = await refusingService();
    const refused = { mark: "Followed (code 10000)", expected: 1, url: refusing.url };
    const refusal = await run(["plan", "--format", "markdown"], refused);
    refusing.close();

    mkdirSync(path.join(cwd, "before"));
    write("before/zoneward.yaml", { policies: [policy("Checkout", "'self'")] });
    write("zoneward.yaml", { policies: [{ ...policy("Till", "'self'"), renamed_from: "Checkout" }] });
    const renamed = await run(["apply", "--yes", "-q", "--base", "before"], { mark: "Checkout" });
    const back = await run(["rollback", lastJournal(cwd), "--yes", "-q"], { mark: "Checkout" });

    return {
      entered: plan.entered.filter((file) => !file.includes("/generated/")).sort(),
      parses: callsOf(plan, PARSING),
      merges: callsOf(plan, MERGING),
      walks: {
        "a value, from YAML to the wire": value.marked,
        "a 403, from the wire to the comment": refusal.marked,
        "a rename, from the base to the calls": renamed.marked,
        "the same rename, from the journal back": back.marked,
      },
    };
  } finally {
    await emulator.close();
    program.close();
    rmSync(cwd, { recursive: true });
  }
}

function policy(description, scripts) {
  return {
    description,
    action: "log",
    enabled: true,
    expression: HOST,
    value: `script-src ${scripts}; img-src 'self'`,
  };
}

/** A service that accepts the token but refuses all other requests. */
async function refusingService() {
  const errors = [{ code: 10000, message: "Followed" }];
  const answer = JSON.stringify({ success: false, errors, messages: [], result: null });
  const isFine = JSON.stringify({ success: true, errors: [], messages: [], result: { status: "active" } });
  const server = createServer(({ url }, response) => {
    const isToken = url.endsWith("/user/tokens/verify");
    response
      .writeHead(isToken ? 200 : 403, { "content-type": "application/json" })
      .end(isToken ? isFine : answer);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/client/v4`, close: () => server.close() };
}

function lastJournal(cwd) {
  const folder = ".zoneward/journal";
  const names = readdirSync(path.join(cwd, folder)).filter((name) => name.endsWith(".jsonl"));
  return path.join(folder, names.sort().at(-1));
}

function callsOf({ called }, which) {
  const found = called.filter(({ file, name }) => which.test(`${file} ${name}`));
  if (found.length === 0)
    throw new Error(`No function that was called is ${which}: it has another name now.`);
  return found.reduce((sum, { count }) => sum + count, 0);
}
