import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { operationsFile } from '../commands/remote/operations.ts';
import { listBundled, recordBundled } from './bundled.ts';
import { formatNotices, readThirdParty } from './licences.ts';
import { manifest, pack, root } from './pack.ts';

const readme = `# @kontor/cli

The command line of Kontor, an invoicing and bookkeeping service: for Node 20 or newer, without dependencies.

    kontor login --url https://kontor.example
    kontor list invoices
    kontor doctor

Your installation of Kontor has the guide for this package at \`/docs/command-line\`.
`;

/** Bundles and packs @kontor/cli, of the same sources as the server's commands. @returns the tarball's path */
export const buildCli = (out: string, name: string): Promise<string> =>
  pack(out, name, async (folder) => {
    const bundled = listBundled();
    await build({
      configFile: false,
      logLevel: 'warn',
      root,
      publicDir: false,
      plugins: [bundled.plugin],
      resolve: { alias: [{ find: /^undici$/, replacement: join(root, 'src/packages/cli/undici.js') }] },
      // All packages are bundled; what the oldest Node doesn't parse is translated.
      ssr: { noExternal: true, target: 'node' },
      build: {
        ssr: 'src/packages/cli/main.ts',
        target: 'node20',
        emptyOutDir: true,
        outDir: join(folder, 'dist'),
        minify: true,
        rolldownOptions: {
          output: {
            entryFileNames: 'kontor.js',
            chunkFileNames: '[name]-[hash].js',
            assetFileNames: '[name][extname]',
          },
        },
      },
    });
    await cp(operationsFile, join(folder, 'dist/operations.json'));
    await cp(join(root, 'src/packages/cli/start.js'), join(folder, 'dist/start.js'));
    await writeFile(join(folder, 'README.md'), readme);
    const thirdParties = bundled.folders().map((each) => readThirdParty(join(root, each)));
    await writeFile(join(folder, 'dist/THIRD-PARTY.txt'), formatNotices(thirdParties));
    recordBundled('cli', bundled.folders());
    return {
      ...(await manifest('@kontor/cli', 'The command line of Kontor, an invoicing and bookkeeping service')),
      bin: { kontor: 'dist/start.js' },
    };
  });
