import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { uploadRecords } from '../../record-import/records.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

// Texts that are long, or on which a regular expression could take quadratic time (ReDoS).

/** Nearly as long as a row of a file, and as the head of a request, may be. */
const characters = { row: 190_000, path: 14_000 };
const rows = size('ROWS', { suite: 1, full: 10 });
const paths = size('PATHS', { suite: 20, full: 200 });
const wideRows = size('WIDE_ROWS', { suite: 10, full: 330 });

/** Each field of a time entry is read from the long column. */
const wide = {
  columns: Object.fromEntries(
    ['externalId', 'project', 'person', 'date', 'hours', 'description', 'hourlyRateNet'].map((name) => [name, 'text']),
  ),
  format: { dateFormat: 'YYYY-MM-DD', decimalSeparator: '.' },
};

const options = {
  columns: { externalId: 'id', receiptDate: 'day', amountGross: 'gross', vatRate: 'rate' },
  format: { dateFormat: 'YYYY-MM-DD', decimalSeparator: '.' },
};

const attack: Attack = {
  title: 'texts that are long, or that a regular expression could try from each character',
  memoryGrowth: 600,
  prepare: async (served, attacker) => {
    const row = (at: number): string => `${at},2026-01-01,1,${'1'.repeat(characters.row)}\n`;
    const file = `id,day,gross,rate\n${Array.from({ length: rows }, (_, at) => row(at)).join('')}`;
    const words = 'a '.repeat(characters.row / 2);
    const wideFile = `text\n${Array.from({ length: wideRows }, (_, at) => `${at} ${words}\n`).join('')}`;
    return async () => {
      const long = await uploadRecords(served, attacker, 'TimeEntry', wideFile, wide);
      expect(long.body.data?.result.imported).toBe(0);
      const { body } = await uploadRecords(served, attacker, 'Receipt', file, options);
      expect(body.data.result.errors[0].message).toContain('is no number');
      const path = `/customers${'/'.repeat(characters.path)}x`;
      const send = async (): Promise<void> => {
        const { status } = await attacker.rest('POST', path, {}, { 'idempotency-key': randomUUID() });
        expect([404, 429, 503]).toContain(status);
      };
      await Promise.all(Array.from({ length: paths }, send));
    };
  },
};
export default attack;
