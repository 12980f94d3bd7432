import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { stamp } from "./bundle.ts";

const web = fileURLToPath(new URL(".", import.meta.url));

// The output is next to the Go code that embeds it, and is committed, so that
// `go install` needs no Node. It is one classic script and one style sheet, which a
// page with a strict content security policy can name by their hashes.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [stamp(web)],
  build: {
    outDir: process.env.DIFFPROF_WEB_OUT ?? "../report/html",
    emptyOutDir: false,
    // The first browsers with light-dark(). Its fallback does not follow VS Code's
    // themes, so older browsers are not supported.
    target: ["chrome123", "firefox120", "safari17.5"],
    cssCodeSplit: false,
    lib: { entry: "src/main.tsx", formats: ["iife"], name: "diffprofWeb", fileName: () => "app.js", cssFileName: "app" },
  },
  define: { "process.env.NODE_ENV": '"production"' },
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], environment: "node", testTimeout: 60_000 } },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["e2e/**/*.test.ts"],
          environment: "node",
          expect: { poll: { timeout: 30_000 } }, // a busy machine
          testTimeout: 120_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
