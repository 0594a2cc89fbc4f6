import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Kind, parse, visit, type DefinitionNode, type FragmentDefinitionNode } from 'graphql';
import { formatDocument, stringifyDocument } from 'urql';
import type { Plugin } from 'vite';

// The dashboard's build registers its operations as trusted documents. gql.tada's own command for this, as its other ones,
// needs an older TypeScript.

/** `{"<hash>": "<document>"}`. The server reads it at start. */
export const manifestFile = fileURLToPath(new URL('trusted-documents.json', import.meta.url));

/** How every document of the dashboard is defined. */
const definition = /const (\w+) = graphql\(\s*`([^`]*)`/g;

export interface Operation {
  /** The absolute path of the source. */
  file: string;
  /** The constant that holds the operation. */
  constant: string;
  /** The whole document with its fragments, as urql sends it. */
  text: string;
  /** SHA-256 of the text, in hexadecimal digits. */
  hash: string;
}

/**
 * Reads the operations in the dashboard's sources.
 * @throws Error if a document is defined in another way, or if a fragment is unknown or not unique
 */
export function readOperations(): Operation[] {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const found = globSync('**/*.{ts,tsx}', { cwd: folder, exclude: ['dist/**', 'trusted-documents.ts'] }).flatMap(
    (name) => {
      const source = readFileSync(`${folder}${name}`, 'utf8');
      const definitions = [...source.matchAll(definition)];
      if (definitions.length !== [...source.matchAll(/\bgraphql\(/g)].length)
        throw new Error(`${name}: each document must be defined as: const Name = graphql(\`…\`)`);
      return definitions.map(([, constant = '', text = '']) => ({
        file: `${folder}${name}`,
        constant,
        definition: parse(text).definitions[0],
      }));
    },
  );
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const { definition: each } of found) {
    if (each?.kind !== Kind.FRAGMENT_DEFINITION) continue;
    if (fragments.has(each.name.value)) throw new Error(`The fragment ${each.name.value} is defined twice`);
    fragments.set(each.name.value, each);
  }
  return found.flatMap(({ file, constant, definition: each }) => {
    if (each?.kind !== Kind.OPERATION_DEFINITION) return [];
    const text = stringifyDocument(
      formatDocument({ kind: Kind.DOCUMENT, definitions: withFragments(each, fragments) }),
    );
    return [{ file, constant, text, hash: createHash('sha256').update(text).digest('hex') }];
  });
}

/** An operation, and each fragment that it uses, once. */
function withFragments(
  operation: DefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DefinitionNode[] {
  const used = new Set([operation]);
  for (const each of used)
    visit(each, {
      FragmentSpread: ({ name: { value } }) => {
        const fragment = fragments.get(value);
        if (!fragment) throw new Error(`The fragment ${value} is unknown`);
        used.add(fragment);
      },
    });
  return [...used];
}

/** Gives each operation in the build its hash, by which it is sent, and writes the manifest. */
export function trustedDocuments(): Plugin {
  let operations: Operation[] = [];
  return {
    name: 'trusted-documents',
    apply: 'build',
    buildStart: () => {
      operations = readOperations();
    },
    transform: (code, id) => {
      const own = operations.filter(({ file }) => file === id);
      if (own.length === 0) return null;
      const hashes = own.map(({ constant, hash }) => `${constant}.documentId = '${hash}';`);
      return { code: `${code}\n${hashes.join('\n')}\n`, map: null };
    },
    writeBundle: () =>
      writeFileSync(manifestFile, JSON.stringify(Object.fromEntries(operations.map(({ hash, text }) => [hash, text])))),
  };
}
