import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip as gzipCallback } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { listBundled, recordBundled } from '../packages/bundled.ts';
import { trustedDocuments } from './trusted-documents.ts';

const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCallback);

const bundled = listBundled();

export default defineConfig({
  plugins: [trustedDocuments(), react(), compressed(), bundled.plugin],
  // The server replaces this with each request's nonce.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Inlined assets would be data: URLs, which the Content-Security-Policy doesn't allow.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Each with all that it imports, because many small files take longer to load. What the first loads is apart from the app,
      // whose modules make texts when they are loaded.
      output: {
        // The files that are loaded first name all others. Such names are shorter when they are compressed.
        hashCharacters: 'hex',
        codeSplitting: {
          groups: [
            { name: 'first', test: /main\.tsx$/, priority: 1 },
            { name: 'app', test: /root\.tsx$/ },
          ],
        },
      },
    },
  },
});

/** Writes a .br and a .gz file beside each text file, so that no request waits for compression. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir }) {
      if (!dir) return;
      recordBundled('dashboard', bundled.folders());
      // Not index.html: the server inserts a nonce first.
      const names = (await readdir(dir, { recursive: true })).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(names.map((name) => compress(join(dir, name))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  await Promise.all([
    writeFile(`${file}.gz`, await gzip(content, { level: constants.Z_BEST_COMPRESSION })),
    writeFile(`${file}.br`, await brotli(content)), // the default is the best quality
  ]);
}
