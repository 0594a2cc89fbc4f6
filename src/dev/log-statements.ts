import { Client } from 'pg';

// Loaded by `npm run dev`, and beside each test, where LOG_SQL is set: logs each statement that is sent, with its values.
// Values may be secrets, so this is for a developer's own data only.

interface Statement {
  text: string;
  values?: unknown[];
}

const { query } = Client.prototype;
const send = query as unknown as (...args: unknown[]) => unknown;

Client.prototype.query = function (this: Client, ...args: unknown[]) {
  const [first, second] = args as [string | Statement, unknown?];
  const { text, values } = typeof first === 'string' ? { text: first, values: second } : first;
  const line = { level: 30, time: Date.now(), msg: `SQL ${text.replaceAll(/\s+/g, ' ')}` };
  process.stdout.write(`${JSON.stringify(Array.isArray(values) ? { ...line, values: values.map(readable) } : line)}\n`);
  return send.apply(this, args);
} as typeof query;

const readable = (value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value);
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
};
