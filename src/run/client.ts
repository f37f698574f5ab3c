import { Client, type ClientIo } from "../api/client.js";
import { type ConnectFlags, connectionFrom } from "../api/connect.js";
import type { Environment } from "../config/index.js";
import { ok, type Result } from "../model/problem.js";

/** How a run reaches the service: the flags for it, and the environment, which has the credential. */
export interface Reach extends ConnectFlags {
  readonly environment: Environment;
}

/**
 * Runs some work with a client for the service, and closes the client afterwards.
 *
 * @returns what comes of the work, or why the service cannot be reached: nothing was sent then
 */
export async function withClient<T>(
  { environment, ...flags }: Reach,
  work: (client: Client) => Promise<T>,
  told: Partial<Pick<ClientIo, "onCall" | "onPause">> = {},
): Promise<Result<T>> {
  const connection = connectionFrom(flags, environment);
  if (!connection.ok) return connection;
  const client = new Client(connection.value, told);
  try {
    return ok(await work(client));
  } finally {
    await client.close();
  }
}
