import { describe, expect, test } from "vitest";
import { proxyFor } from "../../src/api/proxy.js";

const HTTPS = "http://me:pass@proxy.example:3128";
const HTTP = "http://other.example:8080";

describe("the proxy of an address", () => {
  test("is the one for https, or else the one for http", () => {
    expect(proxyFor("https://api.x.example", { https: HTTPS, http: HTTP, except: "" })?.host).toBe(
      "proxy.example:3128",
    );
    expect(proxyFor("https://api.x.example", { https: "", http: HTTP, except: "" })?.host).toBe(
      "other.example:8080",
    );
    expect(proxyFor("https://api.x.example", { https: "", http: "", except: "" })).toBeNull();
  });

  test.each([
    ["*"],
    ["api.x.example"],
    ["API.X.Example"],
    ["x.example"],
    [".x.example"],
    ["*.x.example"],
    ["api.x.example:443"],
    ["a.example,api.x.example"],
    ["a.example  x.example"],
    ["a.example, , x.example,"],
  ])("is unused if NO_PROXY has %s", (except) => {
    expect(proxyFor("https://api.x.example", { https: HTTPS, http: "", except })).toBeNull();
  });

  test.each([
    [""],
    [","],
    ["."],
    ["pi.x.example"],
    ["b.api.x.example"],
    ["api.x.example:8443"],
    ["api.x.example.org"],
    ["https://api.x.example"],
  ])("is used if NO_PROXY has %j", (except) => {
    expect(proxyFor("https://api.x.example", { https: HTTPS, http: "", except })).not.toBeNull();
  });

  test.each([
    ["10.0.0.7", "https://10.0.0.7:8443"],
    ["10.0.0.7:8443", "https://10.0.0.7:8443"],
    ["[fd00::7]", "https://[fd00::7]"],
    ["[fd00::7]:443", "https://[fd00::7]"],
  ])("is unused if NO_PROXY has the address %s of %s", (except, origin) => {
    expect(proxyFor(origin, { https: HTTPS, http: "", except })).toBeNull();
  });
});
