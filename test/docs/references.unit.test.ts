import { describe, expect, it } from 'vitest';
import { readContents } from '../../src/pages/contents.ts';
import {
  listAnchors,
  collectCommands,
  extractComments,
  hasComments,
  listFiles,
  listFolders,
  readText,
  staleReferences,
  collectWords,
  type Repository,
} from './references.ts';

// Every target of a reference in a comment or a document exists: files, folders, headings, functions, types, settings,
// metrics, columns, guides, commands with their options, and npm scripts.

const files = listFiles();
const itself = 'test/docs/references.unit.test.ts'; // names targets that don't exist
// An applied migration can't be edited, and the changelog describes the past.
const isFixed = (path: string): boolean =>
  path.startsWith('prisma/migrations/') || path === 'CHANGELOG.md' || path.startsWith('test/statements/samples/');
const programs = files.filter((path) => hasComments(path) && !isFixed(path) && path !== itself);
const documents = files.filter((path) => path.endsWith('.md') && !isFixed(path));

const repository: Repository = {
  files: new Set(files),
  folders: listFolders(files),
  read: readText,
  words: collectWords(
    files.filter((path) => path !== itself),
    readText,
  ),
  commands: collectCommands(files, readText),
  pages: new Set(['console', ...readContents().flatMap((group) => group.pages.map(({ slug }) => slug))]),
};

/** Names of other products, of their settings and errors, and invented names of examples. */
const foreign = new Set(
  `OpenTelemetry PgBouncer GitHub OTEL_EXPORTER_OTLP_HEADERS limit_conn pg_dump pg_restore SQLITE_BUSY SyntaxError
  serialization_failure deadlock_detected check_violation foreign_key_violation invalid_password snake_case decimal.js
  ipaddr.js manifest.json kontor_nonsense TENANT_ID NEW_CUSTOMER add_quotes rawBody password.txt first.txt
  customer.json invoice.json answer.txt citus_rebalance_start citus_update_node isolate_tenant_to_new_shard shard_transfer_mode max_worker_processes
  max_logical_replication_workers citus_create_restore_point citus_cleanup_orphaned_resources pg_drop_replication_slot pg_dist_authinfo pg_test_fsync
  pg_current_wal_lsn pg_blocking_pids waits_for query_start pg_wal slot_name pg_size_pretty pg_wal_lsn_diff restart_lsn
  pg_replication_slots synchronous_standby_names last_autovacuum pg_basebackup backfill.sql`.split(/\s+/),
);

/** CONTRIBUTING's example of a new resource: quotes. */
const example = /[ /]quotes?(?:\.graphql|\/)$/;
/** Paths that git ignores are generated. */
const ignored = readText('.gitignore').split('\n').filter(Boolean);
const stale = (path: string, text: string): string[] =>
  staleReferences({ path, text }, repository).filter(
    (each) =>
      !example.test(each) &&
      !foreign.has(each.slice(each.lastIndexOf(' ') + 1)) &&
      !ignored.some((start) => each.includes(` ${start}`)),
  );

describe('references', () => {
  it('in comments have existing targets', () => {
    expect(programs.length).toBeGreaterThan(400);
    expect(programs.flatMap((path) => stale(path, extractComments(path, readText(path))))).toEqual([]);
  });

  it.each(documents)('in %s have existing targets', (path) => {
    expect(stale(path, readText(path))).toEqual([]);
  });

  it('to npm scripts have existing targets', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const named = [...programs, ...documents].flatMap((path) =>
      [...readText(path).matchAll(/npm run (?:-s )?([a-z]+(?::[a-z]+)*)/g)].map(([, name = '']) => ({ path, name })),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ name }) => !(name in scripts))).toEqual([]);
  });

  it('to parameters name a parameter of the documented function', () => {
    const unknown = programs.flatMap((path) =>
      [...readText(path).matchAll(/(\/\*\*(?:[^*]|\*(?!\/))*\*\/)(?=([^]{0,800}))/g)].flatMap(
        ([, comment = '', code = '']) =>
          [...comment.matchAll(/@param (\w+)/g)].flatMap(([, name = '']) =>
            new RegExp(`\\b${name}\\b`).test(code) ? [] : [`${path}: ${name}`],
          ),
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('to the contract and to decisions have one form', () => {
    const other = /\b(?:decisions?|contract)(?:,| and decisions,)? \d|service-v1|decisions\.md|v1 document/;
    expect([...programs, ...documents].filter((path) => other.test(readText(path)))).toEqual([]);
  });

  it('from SECURITY.md name code and tests', () => {
    const named = readText('SECURITY.md').matchAll(/`(?:src|schema|rest-shim|prisma|test)\/[^`]+`/g);
    expect([...named].length).toBeGreaterThan(40);
  });
});

describe('comments', () => {
  const opensWithWhat = /(?:\/\/|\/\*\*?|^\s*\*)\s*What\b/;

  it('open with the noun that they describe', () => {
    // Recordings of a release stay as they were.
    const own = programs.filter((path) => !path.startsWith('test/releases/1.'));
    const found = own.flatMap((path) =>
      readText(path)
        .split('\n')
        .flatMap((line, at) => (opensWithWhat.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it.each(['// What is kept.', '  /** What is kept. */', '   * What is kept.', 'keep(); // What is kept.'])(
    '%s',
    (line) => {
      expect(line).toMatch(opensWithWhat);
    },
  );
});

describe('a stale reference is reported', () => {
  const found = (text: string, path = 'schema/here.ts'): string[] => staleReferences({ path, text }, repository);

  it.each([
    ['// See schema/nothing.ts.', 'schema/here.ts:1: schema/nothing.ts'],
    ['// See nothing-at-all.ts.', 'schema/here.ts:1: nothing-at-all.ts'],
    ['// Kept by `src/nothing/`.', 'schema/here.ts:1: src/nothing/'],
    ['// In src/nobody, say.', 'schema/here.ts:1: src/nobody'],
    ['\n// (DECISIONS.md#d12-nothing)', 'schema/here.ts:2: DECISIONS.md#d12-nothing'],
    ['// (NOTHING.md#d12-rounding)', 'schema/here.ts:1: NOTHING.md#d12-rounding'],
    ['// `noSuchFunction()` does it.', 'schema/here.ts:1: noSuchFunction'],
    ['// See noSuchFunction().', 'schema/here.ts:1: noSuchFunction'],
    ["-- `no_such_function('quotes')` adds it", 'schema/here.ts:1: no_such_function'],
    ['// A NoSuchType, say.', 'schema/here.ts:1: NoSuchType'],
    ['// Unless noSuchName is set.', 'schema/here.ts:1: noSuchName'],
    ['// NO_SUCH_SETTING says so.', 'schema/here.ts:1: NO_SUCH_SETTING'],
    ['// Counted by `kontor_no_such_metric_total`.', 'schema/here.ts:1: kontor_no_such_metric_total'],
    ['// See /docs/nothing.', 'schema/here.ts:1: /docs/nothing'],
    ['// See OPERATING.md, Nothing.', 'schema/here.ts:1: OPERATING.md, Nothing'],
    ['// npm run -s kontor -- perish', 'schema/here.ts:1: kontor -- perish'],
    ['// `user perish --email …`', 'schema/here.ts:1: `user perish --email …'],
    ['// `user invite --nowhere`', 'schema/here.ts:1: `user invite --nowhere'],
  ])('%s', (text, reference) => {
    expect(found(text)).toContain(reference);
  });

  it('in a link of a document', () => {
    expect(found('[a](nothing.txt) [b](OPERATING.md#nothing) [c](#nothing) [d](OPERATING.md)', 'README.md')).toEqual([
      'README.md:1: OPERATING.md#nothing',
      'README.md:1: nothing.txt',
      'README.md:1: #nothing',
    ]);
  });

  it('unless its target exists', () => {
    const text = [
      '// See schema/graphql/ability.ts, ability.ts, rest-shim/, DECISIONS.md#d12-rounding, /docs/limits, and `lineTotal()`.',
      '// OPERATING.md, Scaling out; DATABASE_URL; kontor_http_request_duration_seconds_count; TenantPool; emit().',
      '// `webhook ping|rotate ID`, `user invite --email ADDRESS --tenant ID`, kontor -- backup FILE --passphrase-stdin',
    ];
    expect(found(text.join('\n'))).toEqual([]);
  });
});

it('extractComments() finds comments only', () => {
  const text = "const a = 'schema/a.ts'; // schema/b.ts\n/** schema/c.ts */\nconst url = 'http://schema/d.ts';";
  expect(extractComments('x.ts', text).replaceAll(/\s+/g, ' ').trim()).toBe('// schema/b.ts /** schema/c.ts */');
});

it('listAnchors() derives anchors as GitHub does', () => {
  expect(listAnchors('# A b\n## D12 Rounding\n```sh\n# no heading\n```\n### X: `y`, z!')).toEqual([
    'a-b',
    'd12-rounding',
    'x-y-z',
  ]);
});
