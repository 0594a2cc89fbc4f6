import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from '../harness.ts';

// The instructions of OPERATING.md for when something is wrong.

const page = readFileSync(new URL('../../OPERATING.md', import.meta.url), 'utf8');
const [, part = ''] = page.split('\n## When something is wrong\n');
const [section = ''] = part.split('\n## ');
const [, ...symptoms] = section.split('\n### ');
const statements = [...section.matchAll(/^```sql\n([^]*?)^```$/gm)].map(([, sql = '']) => sql);

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('each symptom says why, what to type, and when it is over', () => {
  it.each(symptoms.map((text) => [text.split('\n', 1)[0], text]))('%s', (_title, text) => {
    for (const label of ['- Why: ', '- Type', '- Over ']) expect(text).toContain(`\n${label}`);
  });
});

describe('its SQL runs', () => {
  it('and there is some', () => {
    expect([symptoms.length > 8, statements.length > 2]).toEqual([true, true]);
  });

  it.each(statements)('%s', async (sql) => {
    await expect(service.pool.query(sql)).resolves.toBeDefined();
  });

  it('and has jobs that were given up tried again', async () => {
    const again = statements.find((sql) => sql.includes('reschedule_jobs')) ?? '';
    await service.pool.query(`select graphile_worker.add_job('overdue')`);
    await service.pool.query('update graphile_worker._private_jobs set attempts = max_attempts');
    await service.pool.query(again);
    const { rows } = await service.pool.query('select attempts from graphile_worker.jobs');
    expect(rows).toEqual([{ attempts: 0 }]);
  });
});
