import { execFileSync, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

// Builds the front ends as their guides say. The packages are those of the package.json beside this file.

export const clients = ['relay', 'apollo', 'urql'] as const;

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);

/** babel-plugin-relay replaces the documents in the source by what Relay's compiler made of them. */
const relayPlugin = (): Plugin => {
  const { transformAsync } = require('@babel/core') as {
    transformAsync: (code: string, options: object) => Promise<{ code: string }>;
  };
  return {
    name: 'relay',
    enforce: 'pre',
    transform: async (code, id) =>
      id.endsWith('relay/app.tsx')
        ? await transformAsync(code, {
            filename: id,
            babelrc: false,
            configFile: false,
            parserOpts: { plugins: ['typescript', 'jsx'] },
            plugins: [
              [
                require.resolve('babel-plugin-relay'),
                { artifactDirectory: `${folder}relay/generated`, eagerEsModules: true },
              ],
            ],
          })
        : null,
  };
};

const run = (script: string, args: string[], cwd: string): void =>
  void execFileSync(process.execPath, [script, ...args], { cwd: `${folder}${cwd}`, stdio: 'pipe' });

/** Compiles documents, and bundles each client to `dist/`. */
export async function buildFrontEnds(): Promise<string> {
  // For a document that it has compiled before, the compiler adds nothing to the manifest.
  rmSync(`${folder}relay/generated`, { recursive: true, force: true });
  mkdirSync(`${folder}relay/generated`, { recursive: true });
  writeFileSync(`${folder}relay/generated/persisted.json`, '{}');
  run(require.resolve('relay-compiler/cli.js'), ['relay.config.json'], 'relay');
  run(`${folder}node_modules/@graphql-codegen/cli/esm/bin.js`, ['--config', 'codegen.ts'], 'apollo');
  run(`${root}src/dashboard/introspect.ts`, [], 'urql');
  for (const client of clients)
    await build({
      configFile: false,
      root: folder,
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
      oxc: { jsx: { runtime: 'automatic', development: false } }, // Vitest's NODE_ENV is `test`
      plugins: [relayPlugin()],
      resolve: { dedupe: ['react', 'react-dom', 'graphql'] },
      build: {
        emptyOutDir: true,
        outDir: `${folder}dist/${client}`,
        rolldownOptions: { input: `${folder}${client}/app.tsx`, output: { entryFileNames: 'app.js' } },
      },
    });
  return `${folder}dist`;
}

/** Checks the types of the front ends' sources, once they are built. @returns the errors, as the compiler prints them */
export const typeErrors = (): string =>
  spawnSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', folder], { encoding: 'utf8' }).stdout;
