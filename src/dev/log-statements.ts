import { observeStatements } from '../../prisma/connection/connection.ts';

// Loaded by `npm run dev`, and beside each test, where LOG_SQL is set: logs each statement that is sent, with its values.
// Values may be secrets, so this is for a developer's own data only. The server's log is on standard output: long lines of two
// writers would get mixed there.

observeStatements(({ text, values }) => {
  const line = { level: 30, time: Date.now(), msg: `SQL ${text.replaceAll(/\s+/g, ' ')}` };
  process.stderr.write(`${JSON.stringify(values ? { ...line, values: values.map(readable) } : line)}\n`);
});

/** A longer text is cut. In characters. */
const longestText = 500;

function readable(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `<${value.length} bytes>`;
  return typeof value === 'string' && value.length > longestText ? `${value.slice(0, longestText)}…` : value;
}
