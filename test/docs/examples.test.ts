import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groups, readGuides } from '../../src/pages/guides.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { differences, parseFences, type Fence } from './fences.ts';

// Each example of the guides is run unchanged, in the order of the page. The answer that the guide shows is compared with
// the server's answer.

const shell = promisify(execFile);
/** The handbook is for people who don't program. */
const guides = readGuides().filter(({ slug }) => !groups['Handbook']?.includes(slug));
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

/** The output of an example: an answer's body, and its head if `curl -i` printed it. */
interface Output {
  head: string;
  body: unknown;
}

/** Variables that a block sets are kept in this file for the next block, as in one shell. */
const state = 'state.sh';

async function runShell(code: string, env: Record<string, string>): Promise<Output> {
  const script = `set -a; if [ -f ${state} ]; then . ./${state}; fi\n${code}\nexport -p > ${state}`;
  const running = shell('bash', ['-euc', script], { cwd: folder, env: { ...process.env, ...env } });
  running.child.stdin?.on('error', () => {}).end(`${env.TOKEN}\n`); // most examples don't read it
  const { stdout } = await running;
  const [, head = '', body = stdout] = /^(HTTP\/[^]*?\r\n)\r\n([^]*)$/.exec(stdout) ?? [];
  return { head, body: /^\s*[{[]/.test(body) ? JSON.parse(body) : undefined };
}

/** Statuses and headers of the documented head that differ in the actual one. A value with … matches any value. */
function headDifferences(documented: string, actual: string): string[] {
  const [documentedStatus, ...headers] = documented.split('\n').filter(Boolean);
  const [status, ...real] = actual.split('\r\n').filter(Boolean);
  const statusOf = (line = ''): string | undefined => line.split(' ')[1];
  const wrong =
    statusOf(documentedStatus) === statusOf(status) ? [] : [`${documentedStatus} is documented, ${status} is real`];
  for (const header of headers) {
    const [name = '', value = ''] = header.split(': ');
    const same = real.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `));
    const realValue = same?.slice(name.length + 2);
    if (value.includes('…') ? !realValue : value !== realValue) wrong.push(`${header} is documented, ${same} is real`);
  }
  return wrong;
}

function check({ language, marks, code }: Fence, { head, body }: Output): string[] {
  if (language === 'json') return differences(JSON.parse(code), body, marks.includes('part'));
  const [documentedHead = '', text = ''] = code.split('\n\n');
  const bodyWrong = text.trim() === '' ? [] : differences(JSON.parse(text), body, marks.includes('part'));
  return [...headDifferences(documentedHead, head), ...bodyWrong];
}

function valueAt(body: unknown, path: string): string {
  const value = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], body);
  if (typeof value !== 'string') throw new Error(`Nothing to save at ${path} of ${JSON.stringify(body)}`);
  return value;
}

describe.each(guides.map((guide) => ({ slug: guide.slug, guide })))('/docs/$slug', ({ guide }) => {
  const fences = parseFences(guide);
  const env: Record<string, string> = {};
  let acme: Integrator;
  let output: Output | undefined;

  beforeAll(async () => {
    const owner = await service.integrator();
    // As the guides tell the reader to. The one that makes a test tenant needs a tenant.
    acme = guide.slug === 'test-tenants' ? owner : await startTestTenant(service, owner);
    await rm(join(folder, state), { force: true });
    Object.assign(env, {
      KONTOR: service.url,
      TOKEN: acme.token,
      PATH: `${resolve('src/bin')}:${process.env['PATH']}`,
    });
  });

  it('has examples, and checks every answer', () => {
    expect(fences.filter(({ language }) => language in run)).not.toEqual([]);
    expect(fences.filter(({ language, marks }) => language === 'json' && !marks.includes('answer'))).toEqual([]);
  });

  const save = (marks: string[]): void => {
    for (const mark of marks) {
      const [, name, path] = /^save=(\w+)=(\S+)$/.exec(mark) ?? [];
      if (name && path) env[name] = valueAt(output?.body, path);
    }
  };
  const filled = (code: string): string =>
    code.replaceAll('__ORIGIN__', service.url).replaceAll(/\$([A-Z_]+)/g, (_, name: string) => env[name]!);
  const run: Record<string, (fence: Fence) => Promise<void>> = {
    async sh({ code, marks }) {
      output = await runShell(code.replaceAll('__ORIGIN__', service.url), env);
      save(marks);
    },
    async graphql({ code, marks }) {
      const { body } = await acme.graphqlAnswer(filled(code));
      expect(body.errors).toBeUndefined();
      output = { head: '', body };
      save(marks);
    },
    async answer(fence) {
      expect(check({ ...fence, code: filled(fence.code) }, output!)).toEqual([]);
    },
  };

  it.each(
    fences.filter(({ language, marks }) => marks.includes('answer') || (language in run && !marks.includes('skip'))),
  )('line $line: $language $marks', (fence) => run[fence.marks.includes('answer') ? 'answer' : fence.language]!(fence));
});
