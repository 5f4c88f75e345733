import { defineConfig } from "vite";

// The worker of the browser edition, into build/browser/worker; `sparring browser` puts the site together.
export default defineConfig({
  publicDir: false,
  build: {
    outDir: "../build/browser/worker",
    emptyOutDir: true,
    target: "es2022",
    rollupOptions: {
      input: { worker: "src/tab/worker.ts", parts: "src/tab/parts.ts" },
      preserveEntrySignatures: "strict",
      output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" },
    },
  },
});
