import { readdirSync, readFileSync } from 'node:fs';
import { originPlaceholder } from '../server/pages.ts';
import type { Picture } from './markdown.ts';

// The pictures of the handbook, which `npm run screenshots` takes.

const folder = new URL('guides/pictures/', import.meta.url);

export interface Pictures {
  /** @throws Error if there is none */
  find: (source: string) => Picture;
  /** Markdown with full addresses instead of those beside the guide. */
  link: (text: string) => string;
}

/** @param place writes a file for browsers, and returns its address */
export function readPictures(place: (name: string, content: Buffer) => string): Pictures {
  const pictures = new Map(
    readdirSync(folder).map((name) => {
      const bytes = readFileSync(new URL(name, folder));
      // Width and height stand at the same place in each PNG: PNG specification, 11.2.1 (IHDR).
      const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
      return [`pictures/${name}`, { address: place(name, bytes), ...size }];
    }),
  );
  const find = (source: string): Picture => {
    const picture = pictures.get(source);
    if (!picture) throw new Error(`There is no ${source}. Run: npm run screenshots`);
    return picture;
  };
  const link = (text: string): string =>
    text.replaceAll(/(?<=!\[[^\]]*\]\()pictures\/[\w-]+\.png/g, (source) => originPlaceholder + find(source).address);
  return { find, link };
}
