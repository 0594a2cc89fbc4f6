import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { camt, entry, form, many, send } from '../bank/statement.ts';
import type { Integrator } from '../harness.ts';
import { startInnocentCaller, type Figures } from './innocent-caller.ts';
import { say, serve, type Served } from './served.ts';
import { isLong, size } from './size.ts';

// Bank statements that are designed to block the event loop, memory, or connections. An innocent caller runs beside each.

const mebibytes = size('MEBIBYTES', { suite: 0.25, full: 16 });
const entries = size('ENTRIES', { suite: 2000, full: 100_000 });
const stallMs = size('STALL_MS', { suite: 2000, full: 20_000 });
const repeated = (text: string): string => text.repeat(Math.floor((mebibytes * 1024 * 1024) / text.length));

const [head = '', foot = ''] = camt([]).split(/(?=<\/Stmt>)/);
const within = (text: string): string => head + text + foot;
const details =
  '<Ntry><Amt Ccy="EUR">1</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt>';
const status = '<Ntry><Sts><Prtry>odd</Prtry></Sts></Ntry>';
const mt940 = ':20:1\n:25:DE1\n:60F:C260302EUR0,\n';

/** The files are generated when they are sent: all at once would take memory from the measured machine. */
const files: Record<string, () => string> = {
  'balances without an amount': () => within(repeated('<Bal/>')),
  "statuses of the bank's own": () => within(repeated(status)),
  'one entry of empty details': () => within(`${details}<NtryDtls>${repeated('<TxDtls/>')}</NtryDtls></Ntry>`),
  'empty elements': () => within(repeated('<a/>')),
  'one text': () => within(`<a>${repeated('x')}</a>`),
  'one comment': () => within(`<!--${repeated('x')}-->`),
  'blank lines': () => repeated('\n'),
  'a field of blank lines': () => `${mt940}:86:${repeated('\n')}`,
  'entries of an MT940': () => `${mt940}${repeated(':61:2603020302C1,\n')}:62F:C260302EUR0,\n-\n`,
  slashes: () => `${mt940}${repeated(`:61:2603020302C1,\n:86:/REMI/${'/'.repeat(19_000)}x\n`)}:62F:C260302EUR0,\n-\n`,
  'one line': () => repeated('x'),
};

it('other tenants are served during hostile statements, and memory does not grow with the file', async () => {
  const served = await serve();
  onTestFinished(served.close);
  const { acme: innocent, globex: attacker } = served;
  await upload(served, attacker, camt(many(500))); // warms up
  const atRest = served.memory();
  for (const [name, file] of Object.entries(files)) {
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, served.memory())), 50);
    let answer = '';
    const figures = await duringWork(innocent, served, async () => {
      const text = file();
      const answers = await Promise.all([1, 2].map(() => upload(served, attacker, text)));
      answer = answers[0] ?? '';
    });
    clearInterval(watch);
    say(`${name}: ${summary(figures)}; memory ${atRest} → ${most} MiB; ${answer.slice(0, 160)}`);
    expect(figures.statuses).toEqual({ 200: figures.answers });
    if (isLong) expect(figures.slowestMs).toBeLessThan(1000);
    expect(answer.length).toBeLessThan(30_000);
    expect(most - atRest).toBeLessThan(400);
  }
  expect(served.loggedErrors()).toEqual([]);
});

it('other tenants are served during thirty stalled uploads', async () => {
  const served = await serve();
  onTestFinished(served.close);
  const { acme: innocent, globex: attacker } = served;
  const figures = await duringWork(innocent, served, async () => {
    const senders = Array.from({ length: 30 }, (_, at) => stall(served, attacker, at % 2 === 0));
    await sleep(stallMs);
    for (const end of senders) end();
  });
  say(`thirty uploads that stall: ${summary(figures)}`);
  expect(figures.statuses).toEqual({ 200: figures.answers });
  if (isLong) expect(figures.slowestMs).toBeLessThan(1000);
  expect(served.loggedErrors()).toEqual([]);
});

it(`other tenants are served during the import of ${entries} entries, and when it is repeated`, async () => {
  const served = await serve();
  onTestFinished(served.close);
  const { acme: innocent, globex: attacker } = served;
  const file = within(many(entries).map(entry).join(''));
  for (const expected of [`"imported":${entries}`, `"skipped":${entries}`]) {
    const start = performance.now();
    const figures = await duringWork(innocent, served, async () => {
      expect(await upload(served, attacker, file)).toContain(expected);
    });
    say(`${expected} after ${Math.round((performance.now() - start) / 100) / 10} s: ${summary(figures)}`);
    expect(figures.statuses).toEqual({ 200: figures.answers });
    if (isLong) expect(figures.slowestMs).toBeLessThan(1000);
  }
});

async function upload({ url }: Served, { token }: Integrator, file: string): Promise<string> {
  return (await send({ url }, form(file), { authorization: `Bearer ${token}` })).text;
}

/** Sends the beginning of a form, and then a byte every 3 s. */
function stall({ url }: Served, { token }: Integrator, isKeyed: boolean): () => void {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  const lines = [
    'POST /graphql HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: multipart/form-data; boundary=x',
    'Content-Length: 1000000',
    ...(isKeyed ? [`Idempotency-Key: ${Math.random()}`] : []),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n--x\r\n`);
  const timer = setInterval(() => socket.write('-'), 3000);
  return () => {
    clearInterval(timer);
    socket.destroy();
  };
}

async function duringWork(innocent: Integrator, { url }: Served, work: () => Promise<unknown>): Promise<Figures> {
  const caller = await startInnocentCaller(url, innocent.token);
  await work();
  return caller.stop();
}

const summary = ({ answers, medianMs, slowestMs, statuses }: Figures): string =>
  `${answers} answers, median ${medianMs} ms, slowest ${slowestMs} ms, ${JSON.stringify(statuses)}`;
