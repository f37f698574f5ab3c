import { expect, test } from "vitest";
import { evaluate, type Request } from "../../src/expression/evaluate/evaluate.js";
import { type Given, requestOf } from "../../src/expression/evaluate/request.js";

function fieldsOf(url: string, given?: Given): Request {
  const result = requestOf(url, given);
  if (!result.ok) throw new Error(result.problems[0]?.detail);
  return result.value;
}

test("fills in the fields of a request from a URL", () => {
  expect(fieldsOf("https://Shop.Example/a/B.HTML?q=1&q=2&r#part")).toMatchObject({
    "http.host": "shop.example",
    "http.request.uri.path": "/a/B.HTML",
    "http.request.uri.path.extension": "html",
    "http.request.uri.query": "q=1&q=2&r",
    "http.request.uri": "/a/B.HTML?q=1&q=2&r",
    "http.request.full_uri": "https://shop.example/a/B.HTML?q=1&q=2&r",
    "raw.http.request.uri.path": "/a/B.HTML",
    "http.request.uri.args": { q: ["1", "2"], r: [""] },
    "http.request.uri.args.names": ["q", "r"],
    "http.request.uri.args.values": ["1", "2", ""],
    "cf.edge.server_port": 443,
    ssl: true,
  });
});

test.each([
  ["http://a.example/", "a.example", 80],
  ["http://a.example:80/", "a.example", 80],
  ["https://a.example:8443/", "a.example:8443", 8443],
])("the host of %s has a port exactly when the port is not the default", (url, host, port) => {
  expect(fieldsOf(url)).toMatchObject({ "http.host": host, "cf.edge.server_port": port });
});

test.each([
  ["a double slash", "https://a.example/x//y"],
  ["an escape that is not needed", "https://a.example/%61"],
  ["an escape in small letters", "https://a.example/caf%c3%a9"],
])("%s leaves the path unknown, because the service may normalise the path", (_what, url) => {
  const request = fieldsOf(url);
  expect(evaluate('http.request.uri.path contains "x"', request)).toBe("unknown");
  expect(evaluate('raw.http.request.uri.path contains "/"', request)).toBe(true);
});

test("an escape that is needed is kept in the path", () => {
  expect(fieldsOf("https://a.example/caf\u00e9%2Fx")).toMatchObject({
    "http.request.uri.path": "/caf%C3%A9%2Fx",
  });
});

test("fields given besides the URL are added and take precedence", () => {
  const request = fieldsOf("https://a.example/", {
    method: "POST",
    "ip.src": "10.0.0.1",
    "http.host": "b.example",
  });
  expect(evaluate('http.request.method eq "POST" and ip.src in {10.0.0.0/8}', request)).toBe(true);
  expect(evaluate('http.host eq "b.example"', request)).toBe(true);
});

test("fields that a URL does not determine are unknown", () => {
  const request = fieldsOf("https://a.example/.env");
  for (const expression of [
    'http.request.method eq "GET"',
    'http.referer eq ""',
    'http.request.uri.path.extension eq ""',
  ]) {
    expect(evaluate(expression, request)).toBe("unknown");
  }
});

test.each(["", "a.example", "ftp://a.example/", "https://", "https://a:99999/"])(
  "refuses %j as a page URL",
  (url) => {
    const result = requestOf(url);
    expect(result.ok ? [] : result.problems.map(({ code }) => code)).toEqual(["url_invalid"]);
  },
);
