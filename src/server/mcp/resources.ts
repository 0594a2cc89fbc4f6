import { readFileSync } from 'node:fs';
import type { Resource } from '@modelcontextprotocol/server';
import type { PublicAddress } from '../../../rest-shim/rest-request.ts';
import { originPlaceholder, pageFolders } from '../pages.ts';

/** A text that clients may read: a guide, or the description of an API. */
export interface TextResource {
  resource: Resource;
  text: string;
}

/** All of them, by their address. */
export type ReadResources = () => ReadonlyMap<string, TextResource>;

/**
 * The texts that /llms.txt names: the guides as built, and the descriptions of the APIs. Read once, at the first request that asks
 * for them.
 * @param descriptions those of the APIs, by path
 */
export function createResources(
  publicAddress: PublicAddress,
  descriptions: ReadonlyMap<string, { type: string; make: () => string }>,
): ReadResources {
  let resources: Map<string, TextResource> | undefined;
  const readPage = (path: string): string | undefined => {
    try {
      const text = readFileSync(`${pageFolders.pages}${path}`, 'utf8');
      return text.replaceAll(originPlaceholder, () => publicAddress.url);
    } catch {
      return undefined; // not built
    }
  };
  const read = (): Map<string, TextResource> => {
    const found = new Map<string, TextResource>();
    const list = readPage('/llms.txt') ?? '';
    for (const [, title = '', uri = '', description = ''] of list.matchAll(/^- \[(.+)\]\((\S+)\): (.+)$/gm)) {
      const path = uri.slice(publicAddress.url.length);
      const described = descriptions.get(path);
      const text = described?.make() ?? (path.endsWith('.md') ? readPage(path) : undefined);
      if (text === undefined) continue;
      const [mimeType] = described?.type.split(';', 1) ?? ['text/markdown'];
      const name = path.slice(path.lastIndexOf('/') + 1);
      const resource = { uri, name, title, description, mimeType, size: Buffer.byteLength(text) };
      found.set(uri, { resource, text });
    }
    return found;
  };
  return () => (resources ??= read());
}
