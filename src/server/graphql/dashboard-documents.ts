import { readFileSync } from 'node:fs';
import { parseManifest } from './document-manifest.ts';

const manifest = new URL('../../dashboard/trusted-documents.json', import.meta.url);

/**
 * The documents of our own dashboard by their hashes, as its build wrote them. None if it isn't built.
 * @throws RefusedError if the manifest is damaged
 */
export function readDashboardDocuments(): ReadonlyMap<string, string> {
  let json: string;
  try {
    json = readFileSync(manifest, 'utf8');
  } catch {
    return new Map();
  }
  return new Map(parseManifest(json).map(({ hash, text }) => [hash, text]));
}
