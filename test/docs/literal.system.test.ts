import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from '../harness.ts';

// A reader opens a guide in a browser and copies its shell blocks into a shell, one after the other, unchanged.

let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'kontor-literal-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const entities: Record<string, string> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  '#39': "'",
  '#x27': "'",
  '#x3C': '<',
  '#x26': '&',
};

/** The shell blocks of a page from the server, as a reader copies them. */
async function shellBlocksOf(path: string): Promise<string[]> {
  const { status, text: html } = await service.request('GET', path, { headers: { accept: 'text/html' } });
  expect(status).toBe(200);
  return [...html.matchAll(/<pre\b[^>]*data-language="sh"[^>]*>(.*?)<\/pre>/gs)].map(([, code = '']) =>
    code.replaceAll(/<[^>]+>/g, '').replaceAll(/&([#\w]+);/g, (whole, name: string) => entities[name] ?? whole),
  );
}

/** Runs blocks in one shell, which stops at the first command that fails. `typed` is the user's keyboard input. */
async function run(shell: string, blocks: string[], typed: string): Promise<{ status: number; out: string }> {
  const child = spawn(shell, ['-euc', blocks.join('\n')], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${typed}\n`);
  const [out, [status]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number]>]);
  return { status, out };
}

describe('the quick start, followed literally', () => {
  it.each(['sh', 'bash'])(
    'in %s: asks for a token, and ends with an issued invoice to the new customer',
    async (shell) => {
      const acme = await service.integrator();
      const blocks = await shellBlocksOf('/docs/quick-start');
      expect(blocks[0]).toContain(service.url);
      const { status, out } = await run(shell, blocks, acme.token);
      expect([status, out]).toEqual([0, expect.stringContaining('"number":"2026-0001"')]);
      const invoices = (await acme.rest('GET', '/invoices')).body.data;
      expect(invoices).toMatchObject([{ number: '2026-0001', total_gross: 567.51 }]);
      const customer = (await acme.rest('GET', `/customers/${invoices[0].customer_id}`)).body.data;
      expect(customer.company_name).toBe('Bäckerei Sonnenschein GmbH');
    },
  );

  it('shows the public URL, also if the server listens elsewhere', async () => {
    const elsewhere = await startService({ publicUrl: 'https://books.example/kontor' });
    try {
      const { text: html } = await elsewhere.request('GET', '/docs/quick-start', { headers: { accept: 'text/html' } });
      expect(html).toContain('https://books.example/kontor');
      expect(html).not.toMatch(/127\.0\.0\.1|__ORIGIN__/);
    } finally {
      await elsewhere.close();
    }
  });
});
