import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], environment: "node", testTimeout: 60_000 } },
      {
        extends: true,
        test: {
          name: "code", include: ["e2e/**/*.test.ts"], environment: "node",
          expect: { poll: { timeout: 60_000 } }, // a busy machine
          retry: 1, // VS Code's page sometimes hangs. The reporter shows what was tried again.
          testTimeout: 240_000, hookTimeout: 300_000, fileParallelism: false, sequence: { concurrent: false },
        },
      },
    ],
  },
});
