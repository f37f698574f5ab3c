// What the bundle has of undici: loading the whole index, with fetch, caches and mocks, makes each start slower by half.
export { default as buildConnector } from "undici/lib/core/connect.js";
export { default as Pool } from "undici/lib/dispatcher/pool.js";
