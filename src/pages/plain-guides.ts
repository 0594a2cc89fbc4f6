import type { PageGroup } from './contents.ts';

// The guides for programs that read text, such as agents: each as Markdown, and a list of them at /llms.txt
// (https://llmstxt.org). The server puts its address in place of __ORIGIN__.

/** A guide as plain Markdown: the marks in its fences, for the tests of the guides, are left out. */
export const toMarkdown = (text: string): string => text.replaceAll(/^(```\w+) .+$/gm, '$1');

/** The list of the pages and references. */
export const buildLlmsText = (groups: readonly PageGroup[]): string => `# Kontor

> Invoicing and bookkeeping for many tenants. Programs use REST v1 at __ORIGIN__/api/v1, front ends GraphQL at
> __ORIGIN__/graphql, agents MCP at __ORIGIN__/mcp. All take a token: \`Authorization: Bearer TOKEN\`. Amounts are exact
> decimals.

${groups.map(formatGroup).join('\n\n')}

## For programs

- [OpenAPI 3.1](__ORIGIN__/api/v1/openapi.json): every address of REST v1, its parameters, bodies, and errors
- [GraphQL schema](__ORIGIN__/schema.graphql): every type, field, and argument
- [Changelog](__ORIGIN__/changelog.md): what changed, and what is deprecated; as a feed at __ORIGIN__/changelog.atom
`;

const formatGroup = ({ title, pages }: PageGroup): string =>
  [
    `## ${title}\n`,
    ...pages.map(({ slug, title: name, text }) => `- [${name}](__ORIGIN__/docs/${slug}.md): ${firstSentence(text)}`),
  ].join('\n');

/** The first sentence of a guide's text, in one line, without its links. */
function firstSentence(text: string): string {
  const paragraph = text.split('\n\n').find((each) => /^[\w`]/.test(each) && !each.startsWith('```')) ?? '';
  const [sentence = ''] = /^[^]+?[.:](?=\s|$)/.exec(paragraph) ?? [];
  return sentence
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/ \(`\$KONTOR`.*\)/, '')
    .replace(/[.:]$/, '');
}
