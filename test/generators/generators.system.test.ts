import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from '../harness.ts';
import { setCompany } from '../documents/parties.ts';
import { description } from '../openapi/description.ts';
import { collectAnswers, type RealAnswer } from './answers.ts';
import { noGenerators } from './installed.ts';
import { generateClients, lint, typeErrors } from './run.ts';

// Clients that other people's generators make of the description, with their default settings.

const api = description();
let service: Service;
let answers: RealAnswer[];

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { message: string } };
}
type Schemas = Record<string, Schema | undefined>;

const pascal = (name: string): string => name.replace(/^./, (letter) => letter.toUpperCase());

describe.skipIf(noGenerators)('the description', () => {
  let failures: string[];

  beforeAll(async () => {
    failures = await generateClients(api);
    service = await startService();
    const acme = await service.integrator();
    await setCompany(acme);
    answers = await collectAnswers(acme, api, 500);
  });
  afterAll(() => service.close());

  it('is taken by openapi-typescript, hey-api, orval, and swagger-typescript-api, and their clients compile strictly', async () => {
    expect(failures).toEqual([]);
    expect(await typeErrors()).toBe('');
  });

  it('keeps the recommended rules of Spectral and Redocly', async () => {
    const { spectral, redocly } = await lint();
    expect(spectral.trim()).toBe("No results with a severity of 'hint' or higher found!");
    expect(JSON.parse(/^\{.*^\}/ms.exec(redocly)?.[0] ?? redocly)).toMatchObject({
      totals: { errors: 0, warnings: 0, ignored: 0 },
    });
  });

  it.each([
    ['hey-api', 'hey-api/zod.gen.ts', (operationId: string) => `z${pascal(operationId)}Response`],
    ['orval', 'orval/zod.ts', (operationId: string) => `${pascal(operationId)}Response`],
  ])('has what 500 real answers are, by the zod schemas of %s', async (_generator, file, nameOf) => {
    const schemas = (await import(new URL(`generated/${file}`, import.meta.url).href)) as Schemas;
    const accepted = new Map<string, number>();
    for (const { operationId, request, answer } of answers) {
      if (answer.status > 299) continue;
      const result = schemas[nameOf(operationId)]?.safeParse(answer.body);
      expect({ request, success: result?.success, error: result?.error?.message, text: answer.text }).toMatchObject({
        success: true,
      });
      accepted.set(operationId, (accepted.get(operationId) ?? 0) + 1);
    }
    expect(accepted.size).toBeGreaterThan(40);
  });

  it('has what real refusals are, by the zod schemas of hey-api', async () => {
    const file = new URL('generated/hey-api/zod.gen.ts', import.meta.url).href;
    const { zError, zValidationError } = (await import(file)) as Schemas;
    const refused = answers.filter(({ answer }) => answer.status > 399);
    expect(new Set(refused.map(({ answer }) => answer.status))).toEqual(new Set([404, 422]));
    for (const { request, answer } of refused) {
      const result = (answer.status === 422 ? zValidationError : zError)?.safeParse(answer.body);
      expect([request, result?.error?.message]).toEqual([request, undefined]);
    }
  });

  it('lets an answer have new values of enums', async () => {
    const invoice = answers.find(({ operationId }) => operationId === 'getInvoice')?.answer.body as {
      data: Record<string, unknown>;
    };
    const newer = { data: { ...invoice.data, status: 'disputed' } };
    for (const [file, name] of [
      ['hey-api/zod.gen.ts', 'zGetInvoiceResponse'],
      ['orval/zod.ts', 'GetInvoiceResponse'],
    ] as const) {
      const schemas = (await import(new URL(`generated/${file}`, import.meta.url).href)) as Schemas;
      expect([name, schemas[name]?.safeParse(newer).success]).toEqual([name, true]);
    }
  });
});
