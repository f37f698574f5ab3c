/** The loads of a page. The query of its URL identifies each load. */
export interface Loads {
  readonly scripts: readonly string[];
  readonly connections: readonly { readonly url: string; readonly by: ConnectionBy }[];
}

export type ConnectionBy = (typeof CONNECTION_BY)[number];
export const CONNECTION_BY = ["fetch", "xhr", "beacon", "socket"] as const;

/** The browser's reports of one visit. */
export interface Visit {
  readonly violations: readonly Violation[];
  /** The finished loads by their URLs in the page, and how they ended. A page cannot see how a beacon ends. */
  readonly ends: readonly { readonly url: string; readonly isLoaded: boolean }[];
}

export interface Violation {
  readonly blockedURI: string;
  readonly disposition: "enforce" | "report";
  readonly effectiveDirective: string;
  readonly originalPolicy: string;
}

/** The page. Its HTML loads the scripts and lists the connections to open. */
export function htmlOf({ scripts, connections }: Loads): string {
  const elements = scripts.map((url) => `<script async src="${escaped(url)}"></script>`);
  const content = escaped(JSON.stringify(connections));
  return `<!doctype html><title>A page</title><meta name="connections" content="${content}">${elements.join("")}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}

/** Runs at the start of each page. It opens the connections after the scripts have ended, and reports the results. */
export const WATCHING = `
  const violations = [];
  const ends = [];
  const ended = (url, isLoaded) => void ends.push({ url, isLoaded });
  document.addEventListener("securitypolicyviolation", (event) => {
    const { blockedURI, disposition, effectiveDirective, originalPolicy } = event;
    violations.push({ blockedURI, disposition, effectiveDirective, originalPolicy });
  });
  const watch = (name, isLoaded) => document.addEventListener(name, ({ target }) => {
    if (target.tagName === "SCRIPT") ended(target.getAttribute("src"), isLoaded);
  }, true);
  watch("load", true);
  watch("error", false);

  const open = {
    fetch: (url) => fetch(url, { mode: "no-cors" }).then(() => ended(url, true), () => ended(url, false)),
    xhr: (url) => new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.onload = () => resolve(ended(url, true));
      request.onerror = () => resolve(ended(url, false));
      request.open("GET", url);
      request.send();
    }),
    beacon: async (url) => void navigator.sendBeacon(url),
    socket: (url) => new Promise((resolve) => {
      const socket = new WebSocket(url);
      socket.onopen = () => { resolve(ended(url, true)); socket.close(); };
      socket.onerror = () => resolve(ended(url, false));
    }),
  };
  addEventListener("load", async () => {
    const connections = JSON.parse(document.querySelector("meta").content);
    const opened = connections.map(async ({ url, by }) => open[by](url).catch(() => ended(url, false)));
    await Promise.all(opened);
    // Violations are reported in separate tasks.
    await new Promise((resolve) => setTimeout(resolve, 5));
    told(JSON.stringify({ violations, ends }));
  });
`;
