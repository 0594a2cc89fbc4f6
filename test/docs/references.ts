import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path/posix';

// Finds references in comments and documents, and reports those to something that does not exist.

/** A text to search for references, and the path of its file. */
export interface Source {
  path: string;
  text: string;
}

/** The targets of references. */
export interface Repository {
  /** Paths of all files, relative to the root. */
  files: ReadonlySet<string>;
  /** Paths of all folders that have one of them. */
  folders: ReadonlySet<string>;
  /** Text of a file. */
  read: (path: string) => string;
  /** Every identifier of the code and of the sources of generated code, without comments. */
  words: ReadonlySet<string>;
  commands: Commands;
  /** The last parts of addresses below /docs/. */
  pages: ReadonlySet<string>;
}

/** The command line, as src/cli.ts and src/commands declare it. */
export interface Commands {
  /** `migrate`, `user create`. */
  names: ReadonlySet<string>;
  /** `--json`. */
  options: ReadonlySet<string>;
}

/** Files of the checkout: tracked and new ones. */
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

/** A file's text with everything but its comments blanked, so that offsets and lines don't change. */
export function extractComments(path: string, text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ');
  let result = '';
  let at = 0;
  const found = (comments[getExtension(path)] ?? []).flatMap((form) => [...text.matchAll(form)]);
  for (const match of found.toSorted((a, b) => a.index - b.index)) {
    if (match.index < at) continue;
    result += blank(text.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return result + blank(text.slice(at));
}

export const withoutComments = (path: string, text: string): string =>
  (comments[getExtension(path)] ?? []).reduce((rest, form) => rest.replaceAll(form, ' '), text);

export const hasComments = (path: string): boolean => getExtension(path) in comments;

const getExtension = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

const languages =
  /\.(?:[jt]sx?|css|sql|graphql|prisma|json|ya?ml|toml|go|py|rb|php)$|(?:^|\/)(?:Dockerfile|\.npmrc|run)$/;

/** The identifiers of all code and of the sources of generated code. */
export function collectWords(files: string[], read: Repository['read']): Set<string> {
  const code = files.filter((path) => languages.test(path) && !path.endsWith('package-lock.json'));
  return new Set(code.flatMap((path) => withoutComments(path, read(path)).match(/[A-Za-z_$][\w$]*/g) ?? []));
}

/** Reads the declarations of commander: `user.command('create')` in a file where `user` is a command of the program. */
export function collectCommands(files: string[], read: Repository['read']): Commands {
  const code = files
    .filter((path) => /^src\/(?:cli|commands\/(?:(?!bulk|remote)[\w-]+\/)?[\w-]+)\.ts$/.test(path))
    .map(read);
  const names = code.flatMap((text) =>
    [...text.matchAll(/(\w+)\s*\.command\('(\w+)'\)/g)].map(([, parent, name]) =>
      parent === 'program' ? `${name}` : `${parent} ${name}`,
    ),
  );
  const options = code.flatMap((text) => [...text.matchAll(/'(--(?!no-)[a-z-]+)/g)].map(([, name = '']) => name));
  return { names: new Set(names), options: new Set([...options, '--no-tenant', '--help']) };
}

/** The anchors of a Markdown document, as GitHub derives them from its headings. */
export function listAnchors(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[^]*?^```$/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => buildAnchor(heading));
}

const buildAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const link = /\]\(([^)\s]+)\)/g;
const anchored = /(?<![\w/.-])((?:[\w-]+\/)*[A-Z]+\.md)#([\w-]+)/g;
const file =
  /(?<![\w@/.:*-])((?:\.{1,2}\/)?(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.(?:[jt]sx?|md|sql|prisma|graphql|ya?ml|css|json|txt|toml|go|py|rb|php|png))\b(?![\w/(-])/g;
const folder = /(?<![\w@/.:*-])((?:src|schema|rest-shim|prisma|test)(?:\/[\w@-]+)*\/(?:[\w@-]+)?)(?![\w/*.<-])/g;
/** `emit()`, `count_rows('quotes')`, and without quotation marks: emit(). */
const call = /(?<![\w.:$])([A-Za-z_$][\w$]*)(?:\(\)|(?<=`\w+)\()/g;
/** A name that can only be an identifier: of a type, a function, a setting, a metric, a column. */
const identifier =
  /(?<![\w/.#$<-])([A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z][a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:_[a-z]+)+)\b(?!\.\w|[-/])/g;
const guide = /(?<![\w.-])\/docs\/([a-z-]+)/g;
/** `OPERATING.md, Backup`. */
const section = /\b([A-Z]+\.md), ([A-Z][a-z]+(?: [a-z]+)*|Your own PostgreSQL)/g;
/** `kontor -- user create --email …`, and in a document `user create --email …`. */
const command = /(?:kontor -- |`)((?:tenant|user|token|webhook|bank) [a-z|\\]+|(?<=-- )[a-z]+)([^`\n]*)/g;

/** Every stale reference of a text: `path:line: reference`. */
export function staleReferences({ path, text }: Source, repository: Repository): string[] {
  const { files, folders, read, words, commands, pages } = repository;
  const paths = [...files];
  const isThere = (name: string): boolean => {
    const here = normalize(join(dirname(path), name));
    const plain = name.replace(/\/$/, '');
    return [here, name].some((each) => files.has(each)) || folders.has(plain) || folders.has(here);
  };
  const isNamed = (name: string): boolean => isThere(name) || paths.some((each) => each.endsWith(`/${name}`));
  const document = (name: string): string | undefined =>
    paths.find((each) => each === normalize(join(dirname(path), name)) || each === name) ??
    paths.find((each) => basename(each) === name);

  const stale: [index: number, reference: string][] = [];
  /** Configuration of other programs uses their names. */
  const prose = text.replaceAll(/^```(?:nginx|ini)\n[^]*?^```$/gm, (fence) => fence.replaceAll(/[^\n]/g, ' '));
  const check = (form: RegExp, exists: (...groups: string[]) => boolean): void => {
    const isWhole = form === anchored || form === guide || form === section || form === command;
    for (const match of prose.matchAll(form))
      if (!exists(...match.slice(1))) stale.push([match.index, isWhole ? match[0] : match[1]!]);
  };
  const hasAnchor = (name: string, anchor: string): boolean => {
    const target = name === '' ? path : document(name);
    return target !== undefined && listAnchors(target === path ? text : read(target)).includes(anchor);
  };
  check(anchored, hasAnchor);
  check(file, isNamed);
  check(folder, (name) => isThere(name) || paths.some((each) => each.startsWith(`${name}.`)));
  check(call, (name) => words.has(name));
  check(identifier, (name) => words.has(name) || words.has(name.replace(/_(?:count|sum|bucket)$/, '')));
  check(guide, (name) => pages.has(name));
  check(section, (name, title) => {
    const target = document(name);
    return target !== undefined && listAnchors(read(target)).includes(buildAnchor(title));
  });
  check(command, (names, rest) => {
    const [first = '', second] = names.split(' ');
    const all = second === undefined ? [first] : second.split(/\\?\|/).map((each) => `${first} ${each}`);
    const options = rest.match(/(?<= |\[)--[a-z-]+/g) ?? [];
    return all.every((each) => commands.names.has(each)) && options.every((each) => commands.options.has(each));
  });
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

export const listFolders = (files: string[]): Set<string> => new Set(files.flatMap(listParents));

function listParents(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...listParents(parent)];
}

export const readText = (path: string): string => readFileSync(path, 'utf8');
