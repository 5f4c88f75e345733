import { defineConfig } from "vite";

// The built page is part of the Python package. Names are stable, so that a rebuild changes few files.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/sparring/data/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 20_000,
    rollupOptions: {
      output: { entryFileNames: "page.js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" },
    },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8642", ws: true } } },
});
