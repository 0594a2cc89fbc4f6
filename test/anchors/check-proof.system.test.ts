import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import { createAnchorKey } from '../../schema/resources/anchor/signature.ts';
import { launch, noBrowser, visit } from '../dashboard/browser.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { proveAndSeal } from '../verify/books.ts';

type Json = Record<string, unknown>;

describe.skipIf(noBrowser)('the page that checks a document', { timeout: 60_000 }, () => {
  let service: Service;
  let browser: Browser;
  let acme: Integrator;
  let pdf: Buffer;
  /** The proofs of two invoices, and the anchor of the second one. */
  let proofs: Json[];
  let anchor: Json;
  const key = createAnchorKey(randomBytes(32));
  const trusted = key.publicKey.toString('base64');

  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    acme = await service.integrator();
    await setCompany(acme);
    const ids = [await makeIssuedInvoice(acme), await makeIssuedInvoice(acme)];
    await proveAndSeal(service, acme);
    await makeAnchor(await service.contextOf(acme), key);
    const authorization = `Bearer ${acme.token}`;
    pdf = Buffer.from(
      await (await fetch(`${service.url}/api/v1/invoices/${ids[0]}/pdf`, { headers: { authorization } })).arrayBuffer(),
    );
    proofs = [];
    for (const id of ids) proofs.push((await acme.rest('GET', `/invoices/${id}/proof`)).body.data);
    anchor = (await acme.rest('GET', '/anchors')).body.data[0];
  });
  afterAll(() => Promise.all([service?.close(), browser?.close()]));

  interface Given {
    file?: Buffer;
    proof?: unknown;
    anchor?: unknown;
    key?: string;
  }

  /** Reads the page's result. A violation of its Content-Security-Policy, or a request to a server, fails the test. */
  async function check(given: Given): Promise<{ verdict: string; findings: string[] }> {
    let result = { verdict: '', findings: [] as string[] };
    await visit(browser, service.url, {}, async (page: Page) => {
      await page.goto('/docs/check-proof');
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
      if (given.file)
        await page
          .getByLabel('The PDF or XML file')
          .setInputFiles({ name: 'invoice.pdf', mimeType: '', buffer: given.file });
      await page.getByLabel('The proof:').fill(text(given.proof));
      if (given.anchor !== undefined) await page.getByLabel('An anchor').fill(text(given.anchor));
      await page.getByLabel('The public key').fill(given.key ?? '');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.locator('#verdict:not(:empty)').waitFor();
      result = {
        verdict: (await page.locator('#verdict').textContent()) ?? '',
        findings: await page.locator('#findings li').allTextContents(),
      };
      expect(requests).toEqual([]);
    });
    return result;
  }
  const lines = (values: unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n');
  const wrongOf = async (given: Given): Promise<string[]> => {
    const { verdict, findings } = await check(given);
    expect(verdict).toBe('Something is wrong.');
    return findings.filter((finding) => finding.startsWith('Wrong: '));
  };

  it('finds a document right, by its file, its proof, and an anchor of a later one', async () => {
    expect(await check({ file: pdf, proof: lines(proofs), anchor, key: trusted })).toEqual({
      verdict: 'Everything is right.',
      findings: [
        'Right: The file is the pdf file of 2026-0001, byte for byte.',
        'Right: What the document says is what was proven.',
        'Right: The hash of the proof of 2026-0001 is right.',
        'Right: The hash of the proof of 2026-0002 is right.',
        expect.stringMatching(/^Right: The signature of the anchor of .* is right/),
        'Right: The public key is the one that you trust.',
        'Right: The anchor has the hash of the proof of 2026-0002, and so proves all before it.',
      ],
    });
  });

  it('takes the answers of REST and the event, and says what was not checked', async () => {
    const event = JSON.parse(
      (await acme.db.event.findFirstOrThrow({ where: { type: 'books.anchored' } })).body,
    ) as Json;
    const { verdict, findings } = await check({ proof: { data: proofs[1] }, anchor: event });
    expect(verdict).toBe('What was checked is right, but not everything was checked.');
    expect(findings.filter((finding) => finding.startsWith('Not checked'))).toEqual([
      'Not checked: No file was chosen.',
      `Not checked: Compare the public key with one that you trust: ${trusted}`,
    ]);
    expect((await check({ file: pdf, proof: proofs[0] })).findings).toContain(
      'Not checked: Without an anchor, the proof may have been computed later.',
    );
  });

  it('finds a forged file, proof, chain, and data', async () => {
    const forged = Buffer.from(pdf);
    forged[1000]! ^= 1;
    expect(await wrongOf({ file: forged, proof: proofs[0] })).toEqual([
      'Wrong: The file is none of those that were proven for 2026-0001.',
    ]);
    const content = String(proofs[0]!['content']).replace('2026-0001', '2026-0009');
    expect(await wrongOf({ proof: { ...proofs[0], content } })).toEqual([
      'Wrong: The hash of the proof of 2026-0009 is wrong.',
    ]);
    const data = String(proofs[0]!['data']).replace('EUR', 'CHF');
    expect(await wrongOf({ proof: { ...proofs[0], data } })).toEqual([
      'Wrong: What the document says is not what was proven.',
    ]);
    expect(await wrongOf({ proof: lines(proofs.toReversed()) })).toEqual([
      'Wrong: The proof of 2026-0001 does not follow from that of 2026-0002.',
    ]);
  });

  it('finds a forged anchor, another key, and an anchor of another document', async () => {
    const proof = lines(proofs);
    const content = String(anchor['content']).replace('"position":2', '"position":3');
    expect(await wrongOf({ proof, anchor: { ...anchor, content }, key: trusted })).toEqual([
      expect.stringMatching(/^Wrong: The signature of the anchor of .* is wrong/),
    ]);
    const other = createAnchorKey(randomBytes(32));
    const text = String(anchor['content']);
    const resigned = {
      content: text,
      public_key: other.publicKey.toString('base64'),
      signature: other.sign(text).toString('base64'),
    };
    expect(await wrongOf({ proof, anchor: resigned, key: trusted })).toEqual([
      'Wrong: The public key is not the one that you trust.',
    ]);
    expect(await wrongOf({ file: pdf, proof: proofs[0], anchor, key: trusted })).toEqual([
      expect.stringMatching(/^Wrong: The anchor has another hash, of the proof at 2\. Add the proofs/),
    ]);
  });

  it.each([
    ['no JSON', 'The proof can not be read.'],
    ['{}', 'The proof can not be read.'],
    ['{"data": null}', 'The proof can not be read.'],
    ['[]', 'The proof can not be read.'],
    ['{"content": "<img src=x>", "previous_hash": "", "hash": ""}', 'The proof can not be read.'],
  ])('can not read %s', async (proof, message) => {
    expect(await wrongOf({ proof })).toEqual([`Wrong: ${message}`]);
  });
});
