import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGuides } from '../../src/pages/guides.ts';
import { createRateLimiter, memoryStore } from '../../src/rate-limit.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { differences, fencesOf, type Fence } from './fences.ts';

// The guides can't lie: each of their examples is run as it stands, in the order of the page, and what they show as its
// answer is held against the real one.

const shell = promisify(execFile);
const guides = readGuides();
let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startService({ limiter: () => createRateLimiter({ limit: 60, store: memoryStore() }) });
  folder = await mkdtemp(join(tmpdir(), 'kontor-guides-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** An answer as a client got it: by curl, with its head if asked for by -i; or by GraphQL. */
interface Got {
  head: string;
  body: unknown;
}

/** What a block sets is there for the next, as in one shell. */
const state = 'state.sh';

async function runShell(code: string, env: Record<string, string>): Promise<Got> {
  const script = `set -a; if [ -f ${state} ]; then . ./${state}; fi\n${code}\nexport -p > ${state}`;
  const running = shell('bash', ['-euc', script], { cwd: folder, env: { ...process.env, ...env } });
  running.child.stdin?.end(`${env.TOKEN}\n`);
  const { stdout } = await running;
  const [, head = '', body = stdout] = /^(HTTP\/[^]*?\r\n)\r\n([^]*)$/.exec(stdout) ?? [];
  return { head, body: /^\s*[{[]/.test(body) ? JSON.parse(body) : undefined };
}

/** A head as told is in a head as got: the status line, and each header by name and value, where … is anything. */
function headDifferences(told: string, got: string): string[] {
  const [statusTold, ...headers] = told.split('\n').filter(Boolean);
  const [status, ...real] = got.split('\r\n').filter(Boolean);
  const statusOf = (line = ''): string | undefined => line.split(' ')[1];
  const wrong = statusOf(statusTold) === statusOf(status) ? [] : [`${statusTold} is told, ${status} is real`];
  for (const header of headers) {
    const [name = '', value = ''] = header.split(': ');
    const same = real.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `));
    const realValue = same?.slice(name.length + 2);
    if (value.includes('…') ? !realValue : value !== realValue) wrong.push(`${header} is told, ${same} is real`);
  }
  return wrong;
}

function check({ language, marks, code }: Fence, { head, body }: Got): string[] {
  if (language === 'json') return differences(JSON.parse(code), body, marks.includes('part'));
  const [told = '', text = ''] = code.split('\n\n');
  const bodyWrong = text.trim() === '' ? [] : differences(JSON.parse(text), body, marks.includes('part'));
  return [...headDifferences(told, head), ...bodyWrong];
}

function valueAt(body: unknown, path: string): string {
  const value = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], body);
  if (typeof value !== 'string') throw new Error(`Nothing to save at ${path} of ${JSON.stringify(body)}`);
  return value;
}

describe.each(guides.map((guide) => ({ slug: guide.slug, guide })))('/docs/$slug', ({ guide }) => {
  const fences = fencesOf(guide);
  const env: Record<string, string> = {};
  let acme: Integrator;
  let got: Got | undefined;

  beforeAll(async () => {
    acme = await service.integrator();
    await rm(join(folder, state), { force: true });
    Object.assign(env, { KONTOR: service.url, TOKEN: acme.token });
  });

  it('has examples, and no answer that is not checked', () => {
    expect(fences.filter(({ language }) => language in run)).not.toEqual([]);
    expect(fences.filter(({ language, marks }) => language === 'json' && !marks.includes('answer'))).toEqual([]);
  });

  const save = (marks: string[]): void => {
    for (const mark of marks) {
      const [, name, path] = /^save=(\w+)=(\S+)$/.exec(mark) ?? [];
      if (name && path) env[name] = valueAt(got?.body, path);
    }
  };
  const filled = (code: string): string =>
    code.replaceAll('__ORIGIN__', service.url).replaceAll(/\$([A-Z_]+)/g, (_, name: string) => env[name]!);
  const run: Record<string, (fence: Fence) => Promise<void>> = {
    async sh({ code, marks }) {
      got = await runShell(code.replaceAll('__ORIGIN__', service.url), env);
      save(marks);
    },
    async graphql({ code, marks }) {
      const { body } = await acme.graphqlAnswer(filled(code));
      expect(body.errors).toBeUndefined();
      got = { head: '', body };
      save(marks);
    },
    async answer(fence) {
      expect(check({ ...fence, code: filled(fence.code) }, got!)).toEqual([]);
    },
  };

  it.each(
    fences.filter(({ language, marks }) => marks.includes('answer') || (language in run && !marks.includes('skip'))),
  )('line $line: $language $marks', (fence) => run[fence.marks.includes('answer') ? 'answer' : fence.language]!(fence));
});
