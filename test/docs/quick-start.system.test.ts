import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGuides } from '../../src/pages/guides.ts';
import { startService, type Service } from '../harness.ts';
import { parseFences } from './fences.ts';
import { isInstalled, languages } from './languages.ts';
import { startTestTenant } from '../test-tenants/make.ts';

// A reader saves the blocks of one tab of the quick start as one program. Those with the SDK are run by
// test/sdk/examples.system.test.ts, those with curl by test/docs/literal.system.test.ts.

const run = promisify(execFile);
let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'kontor-quick-start-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const guide = readGuides().find(({ slug }) => slug === 'quick-start')!;
const fences = parseFences(guide);
const written = languages.filter(({ name }) => fences.some(({ marks }) => marks.includes(`tab=${name}`)));

it('is there in Python and PHP, each step in every language', () => {
  expect(written.map(({ name }) => name)).toEqual(['Python', 'PHP']);
  const steps = fences
    .filter(({ marks }) => marks.some((mark) => mark.startsWith('tab=')))
    .map(({ marks }) => marks[0]);
  const step = ['tab=curl', 'tab=SDK', 'tab=Python', 'tab=PHP'];
  expect(steps).toEqual([...step, ...step, ...step, ...step]);
});

describe.each(written)('in $name', (language) => {
  it.skipIf(!isInstalled(language))('prints what the page says, and leaves the invoice and its payment', async () => {
    const acme = await startTestTenant(service, await service.integrator());
    const code = fences.filter(({ marks }) => marks.includes(`tab=${language.name}`)).map((fence) => fence.code);
    const file = join(folder, `quick-start-${language.name}`);
    await writeFile(file, code.join('\n').replaceAll('__ORIGIN__', service.url));
    const program = language.start(0)[0];
    const { stdout } = await run(program, [file], { env: { ...process.env, TOKEN: acme.token } });
    expect(stdout).toBe(fences.find(({ marks }) => marks.includes('output'))?.code);
    const { data } = (await acme.rest('GET', '/invoices')).body;
    expect(data).toMatchObject([{ number: '2026-0001', status: 'issued', amount_due: 500 }]);
    // Refused, the program fails instead of going on.
    await expect(run(program, [file], { env: { ...process.env, TOKEN: 'kontor_wrong' } })).rejects.toThrow(/401/);
  });
});
