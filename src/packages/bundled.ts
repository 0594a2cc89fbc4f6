import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { z } from 'zod';

// Which packages a bundle has in it: they are shipped, though nobody installs them.

/** The folder of the package that a module is in, below node_modules. */
const packageFolder = /^.*\/(node_modules\/(?:@[^/]+\/)?[^/]+)\//;

export interface Bundled {
  plugin: Plugin;
  /** The folders of the packages, once the bundle is built: `node_modules/zod`. */
  folders(): string[];
}

export function listBundled(): Bundled {
  const folders = new Set<string>();
  return {
    plugin: {
      name: 'list-bundled',
      apply: 'build',
      buildEnd() {
        for (const id of this.getModuleIds()) {
          const path = id.replaceAll('\\', '/');
          const at = path.indexOf('/node_modules/');
          const [, folder] = at < 0 ? [] : (packageFolder.exec(path) ?? []);
          if (folder !== undefined) folders.add(path.slice(at + 1, path.lastIndexOf(folder) + folder.length));
        }
      },
    },
    folders: () => [...folders].toSorted(),
  };
}

const resolveRecord = (bundle: string): URL => new URL(`dist/${bundle}.json`, import.meta.url);

/** Keeps the folders of a bundle's packages, for the SBOM. */
export function recordBundled(bundle: 'cli' | 'dashboard', folders: readonly string[]): void {
  mkdirSync(new URL('dist/', import.meta.url), { recursive: true });
  writeFileSync(resolveRecord(bundle), JSON.stringify(folders));
}

/** The pages have these as files (src/pages/build.ts). */
const ofPages = ['@graphql-yoga/render-graphiql', '@scalar/fastify-api-reference', 'minisearch'];

/** The folders of all packages that are in a bundle. @throws if the bundles are not built */
export const readBundled = (): Set<string> =>
  new Set([
    ...ofPages.map((name) => `node_modules/${name}`),
    ...(['cli', 'dashboard'] as const).flatMap((bundle) =>
      z.array(z.string()).parse(JSON.parse(readFileSync(resolveRecord(bundle), 'utf8'))),
    ),
  ]);
