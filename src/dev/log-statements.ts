import { observeStatements } from '../../prisma/connection.ts';

// Loaded by `npm run dev`, and beside each test, where LOG_SQL is set: logs each statement that is sent, with its values.
// Values may be secrets, so this is for a developer's own data only.

observeStatements(({ text, values }) => {
  const line = { level: 30, time: Date.now(), msg: `SQL ${text.replaceAll(/\s+/g, ' ')}` };
  process.stdout.write(`${JSON.stringify(values ? { ...line, values: values.map(readable) } : line)}\n`);
});

const readable = (value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value);
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
};
