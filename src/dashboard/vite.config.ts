import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  plugins: [react(), compressed()],
  // The server puts each request's nonce in its place.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // An inlined asset would be a data: address, which the Content-Security-Policy needn't allow.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['^/api/', '^/graphql$'].map((path) => [
        path,
        {
          target: process.env.KONTOR_URL ?? 'http://127.0.0.1:4000',
          // For work on the pages alone: `KONTOR_TOKEN=… vite src/dashboard` needs no signing in.
          ...(process.env.KONTOR_TOKEN && { headers: { Authorization: `Bearer ${process.env.KONTOR_TOKEN}` } }),
        },
      ]),
    ),
  },
});

/** Leaves a .br and a .gz beside each file that text compresses, so that no request waits for it. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir }) {
      if (!dir) return;
      for (const name of await readdir(dir, { recursive: true })) {
        // Not the page itself: it gets a nonce first.
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const file = join(dir, name);
        const content = await readFile(file);
        await writeFile(`${file}.gz`, gzipSync(content, { level: 9 }));
        const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        await writeFile(`${file}.br`, brotliCompressSync(content, { params: quality }));
      }
    },
  };
}
