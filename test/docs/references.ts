import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path/posix';

// Finds what comments and documents refer to, and says which of it does not exist.

/** A text in which references are looked for, and the path of its file. */
export interface Source {
  path: string;
  text: string;
}

/** What can be referred to. */
export interface Repository {
  /** Paths of all files, relative to the root. */
  files: string[];
  /** Text of a file. */
  read: (path: string) => string;
  /** All code, without comments: where names of functions are looked for. */
  code: string;
}

/** Files of the checkout: those that git knows, and new ones. */
export const listFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path));

const block = /\/\*[^]*?\*\//g;
const afterSlashes = /(?<=^|\s)\/\/.*$/gm;
const afterHash = /(?<=^|\s)#.*$/gm;
const comments: Record<string, RegExp[]> = {
  ts: [block, afterSlashes],
  tsx: [block, afterSlashes],
  js: [block, afterSlashes],
  css: [block],
  prisma: [afterSlashes],
  yml: [afterHash],
  yaml: [afterHash],
};

/** A file's text with everything but its comments blanked, so that offsets and lines stay as they are. */
export function commentsOf(path: string, text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ');
  let result = '';
  let at = 0;
  const found = (comments[extensionOf(path)] ?? []).flatMap((form) => [...text.matchAll(form)]);
  for (const match of found.toSorted((a, b) => a.index - b.index)) {
    if (match.index < at) continue;
    result += blank(text.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return result + blank(text.slice(at));
}

export const withoutComments = (path: string, text: string): string =>
  (comments[extensionOf(path)] ?? []).reduce((rest, form) => rest.replaceAll(form, ' '), text);

export const hasComments = (path: string): boolean => extensionOf(path) in comments;

const extensionOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The anchors of a Markdown document, as GitHub makes them of its headings. */
export function anchorsOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[^]*?^```$/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const link = /\]\(([^)\s]+)\)/g;
const anchored = /(?<![\w/.-])((?:[\w-]+\/)*[A-Z]+\.md)#([\w-]+)/g;
const file =
  /(?<![\w@/.:*-])((?:\.{1,2}\/)?(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.(?:ts|tsx|md|sql|prisma|graphql|yml|yaml|css))\b(?![\w/(-])/g;
const folder = /(?<![\w@/.:*-])((?:src|schema|rest-shim|prisma|test)(?:\/[\w@-]+)*\/(?:[\w@-]+)?)(?![\w/*.<-])/g;
const call = /`([A-Za-z_$][\w$]*)\(\)`/g;

/** Every reference of a text that leads nowhere: `path:line: reference`. */
export function staleReferences({ path, text }: Source, { files, read, code }: Repository): string[] {
  const folders = new Set(files.flatMap((each) => parentsOf(each)));
  const isThere = (name: string): boolean => {
    const here = normalize(join(dirname(path), name));
    const plain = name.replace(/\/$/, '');
    return [here, name].some((each) => files.includes(each)) || folders.has(plain) || folders.has(here);
  };
  const isNamed = (name: string): boolean => isThere(name) || files.some((each) => each.endsWith(`/${name}`));
  const document = (name: string): string | undefined =>
    files.find((each) => each === normalize(join(dirname(path), name)) || each === name) ??
    files.find((each) => basename(each) === name);

  const stale: [index: number, reference: string][] = [];
  const check = (form: RegExp, exists: (...groups: string[]) => boolean): void => {
    for (const match of text.matchAll(form))
      if (!exists(...match.slice(1))) stale.push([match.index, form === anchored ? match[0] : match[1]!]);
  };
  const hasAnchor = (name: string, anchor: string): boolean => {
    const target = name === '' ? path : document(name);
    return target !== undefined && anchorsOf(target === path ? text : read(target)).includes(anchor);
  };
  check(anchored, hasAnchor);
  check(file, isNamed);
  check(folder, (name) => isThere(name) || files.some((each) => each.startsWith(`${name}.`)));
  check(call, (name) => new RegExp(`\\b${name.replace('$', '\\$')}\\b`).test(code));
  if (path.endsWith('.md')) {
    check(link, (target) => {
      if (/^(?:[a-z]+:|\/)/.test(target)) return true;
      const [name = '', anchor] = target.split('#');
      return (name === '' || isThere(name)) && (anchor === undefined || hasAnchor(name, anchor));
    });
  }
  return [...new Set(stale.map(([index, reference]) => `${path}:${lineAt(text, index)}: ${reference}`))];
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

export const readText = (path: string): string => readFileSync(path, 'utf8');
