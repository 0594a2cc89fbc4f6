import { readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { getTitle, type Guide } from './guides.ts';

// Documents of the repository that are pages as well, for people who have no checkout.

const repository = new URL('../../', import.meta.url);

/** The path of each document, and the last part of its address. */
const slugs = new Map([
  ['rest-shim/CONTRACT.md', 'contract'],
  ['OPERATING.md', 'operating'],
  ['SECURITY.md', 'security'],
]);

export const readDocuments = (): Guide[] =>
  [...slugs].map(([path, slug]) => {
    const text = toPageLinks(path, readFileSync(new URL(path, repository), 'utf8'));
    return { slug, title: getTitle(slug, text), text };
  });

/** Links to documents that are pages lead there. Those to other files of the repository become plain text. */
export const toPageLinks = (path: string, text: string): string =>
  text.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link: string, label: string, target: string) => {
    if (/^(https:|#|\/)/.test(target)) return link;
    const [file = '', anchor] = target.split('#');
    const at = join(path, '..', file);
    const slug = slugs.get(at) ?? /^src\/pages\/guides\/([\w-]+)\.md$/.exec(at)?.[1];
    if (slug === undefined) return label;
    return `[${label}](/docs/${slug}${anchor === undefined ? '' : `#${anchor}`})`;
  });
