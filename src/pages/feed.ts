import type { Render } from './markdown.ts';

// The changelog as an Atom feed (RFC 4287). The server puts its address in place of __ORIGIN__.

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

interface Release {
  title: string;
  /** Markdown. */
  text: string;
  updated: string;
}

/** @param changedAt when the file changed, for what is not released: a release names its day */
function readReleases(changelog: string, changedAt: string): Release[] {
  const [, ...parts] = changelog.split(/^## /m);
  return parts.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    const day = /\d{4}-\d\d-\d\d/.exec(title)?.[0];
    return { title, text: lines.join('\n'), updated: day === undefined ? changedAt : `${day}T00:00:00Z` };
  });
}

const toSlug = (title: string): string => title.toLowerCase().replaceAll(/[^a-z\d]+/g, '-');

export function buildFeed(changelog: string, changedAt: string, render: Render): string {
  const releases = readReleases(changelog, changedAt);
  const entries = releases.map(
    ({ title, text, updated }) => `  <entry>
    <id>__ORIGIN__/changelog#${toSlug(title)}</id>
    <title>${escapeXml(title)}</title>
    <updated>${updated}</updated>
    <link rel="alternate" type="text/html" href="__ORIGIN__/changelog#${toSlug(title)}"/>
    <content type="html">${escapeXml(render(text).html)}</content>
  </entry>`,
  );
  const newest = releases.map(({ updated }) => updated).toSorted();
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" xml:base="__ORIGIN__/">
  <id>__ORIGIN__/changelog</id>
  <title>Kontor: changelog</title>
  <updated>${newest.at(-1) ?? changedAt}</updated>
  <author><name>Kontor</name></author>
  <link rel="self" type="application/atom+xml" href="__ORIGIN__/changelog.atom"/>
  <link rel="alternate" type="text/html" href="__ORIGIN__/changelog"/>
${entries.join('\n')}
</feed>
`;
}
