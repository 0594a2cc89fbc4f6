import shiki from '@shikijs/markdown-it';
import markdownIt, { type StateCore, type Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { escapeHtml } from '../server/pages.ts';

export interface Rendered {
  html: string;
  /** Headings of the second level, for the list of what is on the page. */
  headings: { id: string; title: string }[];
  /** The text below each heading, for the search. */
  sections: Section[];
}

export interface Section {
  /** That of its heading; empty for what stands first. */
  id: string;
  title: string;
  prose: string;
  code: string;
}

/** A picture of a guide, as built. */
export interface Picture {
  address: string;
  /** In pixels. */
  width: number;
  height: number;
}

export type Render = (markdown: string) => Rendered;

/** The anchor of a heading. */
export const toAnchor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/**
 * Markdown to HTML, with code coloured here, so that a page needs no script, for both colour schemes at once.
 * @param drawStates the SVG in place of a fence `mermaid states=MODEL`
 * @param findPicture the picture at an address beside the guide, such as `pictures/en-issue.png`
 */
export async function createRender(
  drawStates: (model: string) => string,
  findPicture: (source: string) => Picture,
): Promise<Render> {
  const markdown = markdownIt({ html: false, linkify: false, typographer: true });
  markdown.use(
    await shiki({
      themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      defaultColor: 'light-dark()',
      cssVariablePrefix: '--s-',
      transformers: [
        {
          pre(node) {
            node.properties['data-language'] = this.options.lang;
            // Long lines are wrapped, so nothing scrolls.
            delete node.properties['tabindex'];
          },
        },
      ],
      langs: ['sh', 'json', 'graphql', 'http', 'js', 'python', 'php', 'ruby', 'go', 'sql', 'ini'],
    }),
  );
  let headings: Rendered['headings'] = [];
  markdown.use(anchor, {
    level: [2, 3],
    slugify: toAnchor,
    permalink: anchor.permalink.headerLink({ safariReaderFix: true }),
    callback: ({ tag }, { slug, title }) => {
      if (tag === 'h2') headings.push({ id: slug, title });
    },
  });
  markdown.core.ruler.push('tabs', groupTabs);
  const fence = markdown.renderer.rules['fence'];
  markdown.renderer.rules['fence'] = (tokens, index, ...more) => {
    const model = /^mermaid states=(\w+)$/.exec(tokens[index]?.info ?? '')?.[1];
    return model === undefined ? (fence?.(tokens, index, ...more) ?? '') : drawStates(model);
  };
  markdown.renderer.rules['image'] = ([...tokens], index, options, _env, self) => {
    const token = tokens[index];
    const { address, width, height } = findPicture(String(token?.attrGet('src')));
    const alt = escapeHtml(self.renderInlineAsText(token?.children ?? [], options, {}));
    // Its size is known before it is loaded, so that the text doesn't move.
    return `<img src="${address}" width="${width}" height="${height}" alt="${alt}" loading="lazy">`;
  };
  // A table wider than a phone scrolls by itself, from the keyboard too.
  markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n';
  markdown.renderer.rules['table_close'] = () => '</table></div>\n';
  return (text) => {
    headings = [];
    const tokens = markdown.parse(text, {});
    return { html: markdown.renderer.render(tokens, markdown.options, {}), headings, sections: splitSections(tokens) };
  };
}

const getTab = (token: Token | undefined): string | undefined =>
  token?.type === 'fence' ? /(?<= )tab=(\w+)/.exec(token.info)?.[1] : undefined;

/** Fences that follow one another and name a tab show the same in several languages: tabs, made by browser/tabs.js. */
function groupTabs({ tokens, Token: New }: StateCore): void {
  const html = (content: string): Token => Object.assign(new New('html_block', '', 0), { content });
  const grouped = tokens.flatMap((token, index) => {
    const tab = getTab(token);
    if (tab === undefined) return [token];
    const before = getTab(tokens[index - 1]) === undefined ? '<div class="tabs">\n' : '';
    const after = getTab(tokens[index + 1]) === undefined ? '</div>\n' : '';
    return [html(`${before}<div class="tab"><p class="tab-name">${tab}</p>\n`), token, html(`</div>\n${after}`)];
  });
  tokens.splice(0, tokens.length, ...grouped);
}

const plainText = ({ children }: Token): string =>
  (children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');

function splitSections(tokens: Token[]): Section[] {
  const sections: Section[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[index + 1] ?? token);
      sections.push({ id: String(token.attrGet('id') ?? ''), title, prose: '', code: '' });
    }
    const section = sections.at(-1);
    if (!section) continue;
    // Readers look for their language, which is only the name of a tab.
    if (token.type === 'fence') section.code += `${getTab(token) ?? ''}\n${token.content}\n`;
    else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open')
      section.prose += `${section.prose === '' ? '' : ' '}${plainText(token)}`;
  }
  return sections;
}
