import { Client, type ClientIo } from "../api/client.js";
import { type ConnectFlags, connectionFrom } from "../api/connect.js";
import type { Environment } from "../config/index.js";
import { ok, type Result } from "../model/problem.js";

/** The flags of the connection, and the environment, which has the credential. */
export interface Reach extends ConnectFlags {
  readonly environment: Environment;
}

/** Runs some work with a client for the service. Fails before anything is sent if the flags or the credential are wrong. */
export async function withClient<T>(
  { environment, ...flags }: Reach,
  work: (client: Client) => Promise<T>,
  watching: Partial<Pick<ClientIo, "onCall" | "onPause">> = {},
): Promise<Result<T>> {
  const connection = connectionFrom(flags, environment);
  if (!connection.ok) return connection;
  const client = new Client(connection.value, watching);
  try {
    return ok(await work(client));
  } finally {
    await client.close();
  }
}
