import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Writable } from "node:stream";

/** A headless browser that opens pages in several tabs at once. */
export interface Chromium {
  readonly version: string;
  /** A tab with a script that runs at the start of every page, whatever the page's policies are. */
  openTab(script: string, screen?: Screen): Promise<Tab>;
  close(): Promise<void>;
}

/** The emulated screen of a tab. */
export interface Screen {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly scheme: "light" | "dark";
}

export interface Tab {
  /** Opens a page and returns the text that its script passes to `told(TEXT)`. */
  visit(url: string): Promise<string>;
  /** The console messages of all pages. */
  readonly complaints: readonly string[];
  /** The requests of all pages, including those for the pages. */
  readonly requests: readonly string[];
}

/** The path of Debian's browser; null if it is not installed. */
export function findChromium(): string | null {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((each) => each !== "");
  return folders.map((folder) => path.join(folder, "chromium")).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts the browser so that every host name and port leads to this port of this machine. */
export async function startChromium(file: string, port: number): Promise<Chromium> {
  const profile = mkdtempSync(path.join(tmpdir(), "zoneward-chromium-"));
  const args = [...FLAGS, `--user-data-dir=${profile}`, `--host-resolver-rules=MAP * 127.0.0.1:${port}`];
  // File descriptors 3 and 4 carry the Chrome DevTools Protocol.
  const child = spawn(file, args, { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
  const pipe = speak(child);
  const { product } = await pipe.ask<{ product: string }>("Browser.getVersion");
  return {
    version: product,
    openTab: (script, screen) => openTab(pipe, script, screen),
    close: async () => {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      pipe.ask("Browser.close").catch(() => {}); // the browser may exit before it answers
      await gone;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const FLAGS = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-sandbox", // root cannot use the sandbox, and all pages are local
  "--no-proxy-server",
  "--ignore-certificate-errors",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-sync",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  // Only policies may stop a load.
  "--allow-running-insecure-content",
  "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LocalNetworkAccessChecks",
];

interface Pipe {
  ask<Answer>(method: string, params?: object, sessionId?: string): Promise<Answer>;
  /** Calls back for each event with one name in one tab. */
  on(event: string, sessionId: string, listener: (params: Record<string, unknown>) => void): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly sessionId?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

function speak(child: ChildProcess): Pipe {
  const [, , stderr, input, output] = child.stdio;
  if (!input || !("write" in input) || !output || !stderr) throw new Error("it was started with pipes");
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (why: Error) => void }>();
  const listeners = new Map<string, (params: Record<string, unknown>) => void>();
  const said: string[] = [];
  const refuse = (why: string) => {
    for (const { reject } of waiting.values()) reject(new Error(`${why}\n${said.join("").slice(-2000)}`));
    waiting.clear();
  };
  stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  child.once("error", (error) => refuse(`Chromium does not start: ${error.message}`));
  child.once("exit", (code) => refuse(`Chromium has ended, with ${code}.`));
  input.on("error", () => {}); // "exit" reports its end
  eachMessage(output, ({ id, method, params = {}, sessionId = "", result, error }) => {
    if (id === undefined) return listeners.get(`${sessionId} ${method}`)?.(params);
    const asked = waiting.get(id);
    waiting.delete(id);
    return error === undefined ? asked?.resolve(result) : asked?.reject(new Error(error.message));
  });
  let last = 0;
  return {
    ask: <Answer>(method: string, params: object = {}, sessionId?: string) =>
      new Promise<Answer>((resolve, reject) => {
        last += 1;
        // The protocol defines the shape of each answer.
        waiting.set(last, { resolve: (answer) => resolve(answer as Answer), reject });
        send(input, { id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
      }),
    on: (event, sessionId, listener) => void listeners.set(`${sessionId} ${event}`, listener),
  };
}

function send(input: Writable, message: object): void {
  input.write(`${JSON.stringify(message)}\0`);
}

/** Messages end with a zero byte. */
function eachMessage(output: NodeJS.EventEmitter, take: (message: Message) => void): void {
  let rest = Buffer.alloc(0);
  output.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      take(JSON.parse(rest.toString("utf8", 0, end)));
      rest = rest.subarray(end + 1);
    }
  });
}

async function openTab(pipe: Pipe, script: string, screen?: Screen): Promise<Tab> {
  const { targetId } = await pipe.ask<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
  const attached = { targetId, flatten: true };
  const { sessionId } = await pipe.ask<{ sessionId: string }>("Target.attachToTarget", attached);
  const ask = <Answer>(method: string, params: object = {}) => pipe.ask<Answer>(method, params, sessionId);
  await ask("Runtime.enable");
  await ask("Page.enable");
  await ask("Log.enable");
  await ask("Network.enable");
  const complaints: string[] = [];
  pipe.on("Log.entryAdded", sessionId, ({ entry }) => void complaints.push(JSON.stringify(entry)));
  const requests: string[] = [];
  pipe.on("Network.requestWillBeSent", sessionId, ({ request }) => {
    requests.push((request as { readonly url: string }).url); // the protocol's shape
  });
  if (screen !== undefined) await show(ask, screen);
  await ask("Runtime.addBinding", { name: "told" });
  await ask("Page.addScriptToEvaluateOnNewDocument", { source: script });
  return {
    visit: async (url) => {
      const told = new Promise<string>((resolve) => {
        pipe.on("Runtime.bindingCalled", sessionId, ({ payload }) => resolve(String(payload)));
      });
      const { errorText } = await ask<{ errorText?: string }>("Page.navigate", { url });
      if (errorText !== undefined) throw new Error(`${url} does not open: ${errorText}`);
      return told;
    },
    complaints,
    requests,
  };
}

async function show(
  ask: (method: string, params: object) => Promise<unknown>,
  screen: Screen,
): Promise<void> {
  const { widthPx, heightPx, scheme } = screen;
  const size = { width: widthPx, height: heightPx, deviceScaleFactor: 1, mobile: false };
  await ask("Emulation.setDeviceMetricsOverride", size);
  await ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
}
