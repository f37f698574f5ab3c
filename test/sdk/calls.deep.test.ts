import { describe, expect, test } from "vitest";
import type { LoggedRequest } from "../../src/emulator/index.js";
import { routes } from "../../src/emulator/resources/index.js";
import { createRouter } from "../../src/emulator/service.js";
import { withoutSdk } from "../support/sdk.js";
import { calls } from "./calls/index.js";
import { connect } from "./sdk-call.js";

/** Endpoints of the emulator without a method in the SDK: none so far. */
const notInSdk: readonly string[] = [];

describe("the emulator as the service of the official SDK", () => {
  test("has only endpoints that are called here or known to be missing in the SDK", () => {
    const endpoints = routes.map(({ method, path }) => `${method} ${path}`);
    expect([...calls.map(({ endpoint }) => endpoint), ...notInSdk].sort()).toEqual(endpoints.sort());
  });

  const rows = calls.map((each) => [each.method, each.endpoint, each] as const);
  test.skipIf(withoutSdk).each(rows)("answers %s, which is %s", async (_, endpoint, { call, answer }) => {
    const { emulator, sdk } = await connect();
    const given = await call(sdk);
    expect(new Set(emulator.log.map(endpointOf))).toEqual(new Set([endpoint]));
    if (answer === null) expect(given).toBeNull();
    else expect(given).toMatchObject(answer);
  });
});

function endpointOf({ method, path }: LoggedRequest): string {
  const route = router(path.split("?")[0] ?? "")?.routes.get(method);
  return `${method} ${route?.path}`;
}

const router = createRouter(routes);
