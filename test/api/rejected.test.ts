import { expect, onTestFinished, test } from "vitest";
import { accepting, answer, connection, impatient, type Respond, refusal, serve, success } from "./serve.js";

const refused: Respond = (_, response) => answer(response, 403, refusal({ code: 10000, message: "no" }));

async function clientOf(respond: Respond) {
  const server = await serve(respond);
  const { client } = impatient(connection(server.baseUrl));
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { client, server };
}

test("a credential that every call refuses is rejected, and each call says the same", async () => {
  const { client, server } = await clientOf(refused);
  const found = await Promise.all([
    client.get("/zones/z/a"),
    client.list("/zones/z/b"),
    client.send("POST", "/c", {}),
  ]);
  expect(found).toMatchObject(
    found.map(() => ({ ok: false, problems: [{ code: "token_rejected", http: { sent: false } }] })),
  );
  expect(new Set(found.map((each) => JSON.stringify(each.ok || each.problems))).size).toBe(1);
  expect(client.isRejected).toBe(true);
  expect(server.seen.filter((line) => line.includes("/user/tokens/verify"))).toHaveLength(1);
});

test("a credential that verifies itself lacks a permission", async () => {
  const { client } = await clientOf(accepting(refused));
  expect(await client.get("/zones/z/a")).toMatchObject({ ok: false, problems: [{ code: "unauthorized" }] });
  expect(client.isRejected).toBe(false);
});

test("a token that cannot verify itself but lists zones lacks a permission", async () => {
  const { client } = await clientOf((request, response, nth) =>
    request.url?.includes("/zones?") ? answer(response, 200, success([])) : refused(request, response, nth),
  );
  expect(await client.get("/zones/z/a")).toMatchObject({ ok: false, problems: [{ code: "unauthorized" }] });
});

test("a refusal after an accepted call asks nothing more", async () => {
  const { client, server } = await clientOf((request, response, nth) =>
    nth === 1 ? answer(response, 200, success({})) : refused(request, response, nth),
  );
  await client.get("/zones/z/a");
  expect(await client.get("/zones/z/b")).toMatchObject({ ok: false, problems: [{ code: "unauthorized" }] });
  expect(server.seen).toHaveLength(2);
});
