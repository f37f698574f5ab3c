type Spelling = readonly [name: string, spelled: (text: string) => string];

const base64 = (text: string) => Buffer.from(text).toString("base64");

const everyByte = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const html = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("/", "&#x2F;")
    .replaceAll("-", "&#45;");

const json = (text: string) => JSON.stringify(text).slice(1, -1);

/** The spellings in which a text could be repeated. */
export const SPELLINGS: readonly Spelling[] = [
  ["unchanged", (text) => text],
  ["in capitals", (text) => text.toUpperCase()],
  ["in a URL", encodeURIComponent],
  [
    "in a URL, in small letters",
    (text) => encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()),
  ],
  ["in a URL, every byte", everyByte],
  ["in a URL twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["in a form", (text) => encodeURIComponent(text).replaceAll("%20", "+")],
  ["in JSON", json],
  ["in JSON in JSON", (text) => json(json(text))],
  ["in JSON with escaped slashes", (text) => json(text).replaceAll("/", "\\/")],
  [
    "in JSON as ASCII",
    (text) =>
      json(text).replace(/[^\w ]/g, (each) =>
        each === "\\" ? each : `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
  ],
  ["in HTML", html],
  ["in HTML, of JSON", (text) => html(json(text))],
  ["in base64", base64],
  ["in base64 for URLs", (text) => Buffer.from(text).toString("base64url")],
  ["in base64 after one byte", (text) => base64(`u${text}`)],
  ["in base64 after two bytes", (text) => base64(`u:${text}`)],
  ["in base64 between others", (text) => base64(`user:${text}:more`)],
  ["in base64, in a URL", (text) => encodeURIComponent(base64(text))],
  ["in base64 of base64", (text) => base64(base64(text))],
  ["in base64 of a URL", (text) => base64(encodeURIComponent(text))],
  ["in hexadecimal digits", (text) => Buffer.from(text).toString("hex")],
];
