import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { company, setCompany } from '../../documents/parties.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { makeCustomer, makeProject, makeTimeEntry } from '../books.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function seller(fields: object = { defaultVatRate: '19' }): Promise<Integrator> {
  const who = await service.integrator();
  await setCompany(who, { ...company, ...fields });
  return who;
}

const proposals = async (who: Integrator, customerId: string) =>
  (
    await who.graphql(
      `query ($customerId: UUID!) {
        vatProposals(customerId: $customerId) { supply vatCategory vatRate exemptionReason } }`,
      { customerId },
    )
  ).vatProposals;

const taxed = { vatCategory: 'S', vatRate: '19', exemptionReason: null };
const reverse = {
  vatCategory: 'AE',
  vatRate: '0',
  exemptionReason: 'Reverse charge (Article 196, Directive 2006/112/EC).',
};

describe('vatProposals', () => {
  it.each([
    ['a customer in the same country', { country: 'DE', vatId: 'DE123456789' }, taxed, taxed],
    [
      'a VAT number of another member state',
      { country: 'NL', vatId: 'NL123456789B01', language: 'en' },
      reverse,
      {
        vatCategory: 'K',
        vatRate: '0',
        exemptionReason: 'VAT-exempt intra-Community supply (Article 138, Directive 2006/112/EC).',
      },
    ],
    ['nobody’s VAT number in another member state', { country: 'NL' }, taxed, taxed],
    [
      'a customer outside the EU',
      { country: 'US' },
      { vatCategory: 'O', vatRate: '0', exemptionReason: 'Outside the scope of VAT.' },
      { vatCategory: 'G', vatRate: '0', exemptionReason: 'VAT-exempt export (Article 146, Directive 2006/112/EC).' },
    ],
    ['a customer of whom nothing is known', {}, taxed, taxed],
  ])('%s', async (_title, customer, services, goods) => {
    const who = await seller();
    expect(await proposals(who, await makeCustomer(who, customer))).toEqual([
      { supply: 'SERVICES', ...services },
      { supply: 'GOODS', ...goods },
    ]);
  });

  it('has no rate where the company has no usual one', async () => {
    const who = await seller({});
    const [services] = await proposals(who, await makeCustomer(who));
    expect(services).toEqual({ supply: 'SERVICES', ...taxed, vatRate: null });
  });

  it('doesn’t find another tenant’s customer', async () => {
    const [who, other] = [await seller(), await seller()];
    const query = 'query ($id: UUID!) { vatProposals(customerId: $id) { supply } }';
    const { body } = await other.graphqlAnswer(query, { id: await makeCustomer(who) });
    expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('billProject', () => {
  const mutation = `mutation ($id: UUID!, $vatRate: Decimal, $vatCategory: String, $exemptionReason: String) {
    billed: billProject(projectId: $id, vatRate: $vatRate, vatCategory: $vatCategory, exemptionReason: $exemptionReason) {
      items { vatRate vatCategory exemptionReason } warnings { code } } }`;
  const dutch = { country: 'NL', vatId: 'NL123456789B01', language: 'en', addressLine1: 'Keizersgracht 1' };

  async function bill(who: Integrator, customer: object, vat: object) {
    const customerId = await makeCustomer(who, { postalCode: '1015', city: 'Amsterdam', ...customer });
    const id = await makeProject(who, { customerId, hourlyRateNet: '95' });
    await makeTimeEntry(who, { projectId: id });
    return (await who.graphqlAnswer(mutation, { id, ...vat })).body;
  }

  it.each([[{}], [{ vatRate: '0' }]])('has reverse charge for a Dutch business: %j', async (vat) => {
    const { data } = await bill(await seller(), dutch, vat);
    expect(data.billed).toEqual({ items: [reverse], warnings: [] });
  });

  it('keeps what the caller says', async () => {
    const said = { vatRate: '0', vatCategory: 'E', exemptionReason: '§ 19 UStG' };
    expect((await bill(await seller(), dutch, said)).data.billed.items).toEqual([said]);
    expect((await bill(await seller(), dutch, { vatRate: '7' })).data.billed).toEqual({
      items: [{ ...taxed, vatRate: '7' }],
      warnings: [{ code: 'VAT_CATEGORY' }],
    });
  });

  it('takes the usual rate, and asks for one where there is none', async () => {
    const home = { country: 'DE' };
    expect((await bill(await seller(), home, {})).data.billed.items).toEqual([taxed]);
    const { errors } = await bill(await seller({}), home, {});
    expect(Object.keys(errors[0].extensions.errors)).toEqual(['vatRate']);
    const wrong = await bill(await seller(), home, { vatRate: '0', vatCategory: 'S' });
    expect(Object.keys(wrong.errors[0].extensions.errors)).toEqual(['vatCategory']);
  });
});
