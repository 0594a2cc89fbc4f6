import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';

// The log gathers lines. None may be lost, or late.

const module = JSON.stringify(new URL('../src/observability/log.ts', import.meta.url).href);
const client = JSON.stringify(new URL('../prisma/generated/client/client.ts', import.meta.url).href);

/** Runs the statements in a process that has made its `log`. @returns the messages that it writes, as they come */
async function* messagesOf(statements: string, before = ''): AsyncGenerator<string> {
  for await (const { msg } of linesOf(statements, before)) yield msg;
}

async function* linesOf(statements: string, before = ''): AsyncGenerator<{ msg: string; err?: object }> {
  const script = `${before} const { createLog } = await import(${module}); const log = createLog('info'); ${statements}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const chunk of child.stdout)
    for (const line of String(chunk).split('\n').filter(Boolean))
      yield JSON.parse(line) as { msg: string; err?: object };
}

/** Nothing is written because of the time. */
const noTimers = 'const { setInterval } = globalThis; globalThis.setInterval = () => ({ unref() {} });';

it.each([
  ['ends', ''],
  ['is ended', 'process.exit();'],
  ['fails', "throw new Error('Never mind');"],
])('lines are written when the process %s', async (_how, end) => {
  const messages = await Array.fromAsync(messagesOf(`log.info('one'); log.info('two'); ${end}`));
  expect(messages).toEqual(['one', 'two']);
});

it('lines are written while the process goes on', async () => {
  const { value } = await messagesOf("log.info('one'); setInterval(() => {}, 1000);").next();
  expect(value).toBe('one');
});

it('a line has the process that wrote it', async () => {
  const { value } = await linesOf("log.info('one');").next();
  expect(value).toMatchObject({ pid: expect.any(Number), hostname: hostname() });
});

it('an error is written at once, with the lines before it', async () => {
  const messages = messagesOf("log.info('one'); log.error('two'); setInterval(() => {}, 1000);", noTimers);
  expect([(await messages.next()).value, (await messages.next()).value]).toEqual(['one', 'two']);
});

describe("an error's line has no values of rows, which are personal data", () => {
  const refused = `Object.assign(new Error('violates check'), { code: '23514', constraint: 'iban', table: 'customers',
    detail: 'Failing row contains (Erika).', where: 'COPY customers, line 1: Erika', internalQuery: "values ('Erika')" })`;
  const kept = { message: 'violates check', code: '23514', constraint: 'iban', table: 'customers' };

  it.each([
    ["PostgreSQL's own", refused, kept],
    [
      "Prisma's around it",
      `Object.assign(new Error('Invalid'), { code: 'P2039', meta: { modelName: 'Customer', driverAdapterError:
        Object.assign(new Error('violates check'), { cause: { kind: 'postgres', code: '23514', detail: 'Erika' } }) } })`,
      {
        message: 'Invalid',
        code: 'P2039',
        meta: { modelName: 'Customer', driverAdapterError: { cause: { kind: 'postgres', code: '23514' } } },
      },
    ],
    [
      "Prisma's of a call that has a mistake",
      `await new (await import(${client})).PrismaClient({
        adapter: new (await import('@prisma/adapter-pg')).PrismaPg({ host: '127.0.0.1', port: 1 }),
      }).user.create({ data: { name: 'Erika\\n}\\n\\n', email: { city: 'Erika' } } }).catch((error) => error)`,
      {
        type: 'PrismaClientValidationError',
        message: expect.stringMatching(/^\nInvalid `prisma.user.create\(\)` invocation: Argument `email`: .*String/),
      },
    ],
    [
      'one that has it as its cause',
      `new Error('Given up', { cause: ${refused} })`,
      { message: 'Given up: violates check' },
    ],
    ['one of several', `new AggregateError([${refused}], 'All')`, { message: 'All', aggregateErrors: [kept] }],
  ])('%s', async (_what, error, expected) => {
    const { value } = await linesOf(`log.error({ err: ${error} }, 'it failed');`).next();
    expect(value).toMatchObject({ msg: 'it failed', err: { ...expected, stack: expect.stringContaining('at ') } });
    expect(JSON.stringify(value)).not.toContain('Erika');
  });

  it('one that contains itself, and things of other classes', async () => {
    const statements = `const err = Object.assign(new Error('odd'), { at: new Date(0), list: [{ detail: 'Erika', n: 1 }] });
      err.self = { err }; log.error(err);`;
    const { value } = await linesOf(statements).next();
    expect(value).toMatchObject({ msg: 'odd', err: { at: '1970-01-01T00:00:00.000Z', list: [{ n: 1 }] } });
    expect(JSON.stringify(value)).not.toContain('Erika');
  });
});
