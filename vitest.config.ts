import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "src/**/*.test.ts"],
    testTimeout: 30_000,
    // It imports JSON as only bundlers can.
    server: { deps: { inline: [/@actions\/workflow-parser/] } },
  },
});
