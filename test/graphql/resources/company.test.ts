import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { create, customer, invoice } from '../../rest/samples.ts';
import { refusal } from '../books.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const fields = `legalName addressLine1 addressLine2 postalCode city country vatId taxNumber registerEntry registrationNumber registrationNumberScheme
  electronicAddress electronicAddressScheme contactName phone
  email iban bic paymentTermsDays defaultVatRate footer language accentColor requiredEInvoice issueDateOrder`;
const update = `mutation ($input: UpdateCompanyInput!, $expectedVersion: Int) {
  updateCompany(input: $input, expectedVersion: $expectedVersion) { id version ${fields} } }`;
const change = (who: Integrator, input: object, expectedVersion?: number) =>
  who.graphqlAnswer(update, { input, expectedVersion });
const read = async (who: Integrator) => (await who.graphql(`{ company { id version ${fields} } }`)).company;

const whole = {
  legalName: 'Kontor Studio GmbH',
  addressLine1: 'Hafenstraße 1',
  addressLine2: 'Haus B',
  postalCode: '24103',
  city: 'Kiel',
  country: 'DE',
  vatId: 'DE123456789',
  taxNumber: '20/123/45678',
  registerEntry: 'Amtsgericht Kiel, HRB 1234',
  registrationNumber: '12345678',
  registrationNumberScheme: '0106',
  electronicAddress: '4012345000009',
  electronicAddressScheme: '0088',
  contactName: 'Ada Lovelace',
  phone: '+49 431 123456',
  email: 'rechnung@kontor.example',
  iban: 'DE02120300000000202051',
  bic: 'BYLADEM1001',
  paymentTermsDays: 21,
  defaultVatRate: '19',
  footer: 'Zeile eins\nZeile zwei',
  language: 'de',
  accentColor: '#1a2b3c',
  requiredEInvoice: 'NONE',
  issueDateOrder: 'REFUSE',
};

describe('the company profile', () => {
  it('is null until it is made, which needs the legal name', async () => {
    const acme = await service.integrator();
    expect(await read(acme)).toBeNull();
    expect(refusal(await change(acme, { city: 'Kiel' }))['errors']).toEqual({ 'input.legalName': ['Required.'] });
    expect(refusal(await change(acme, { legalName: 'x' }, 1)).code).toBe('NOT_FOUND');
    expect(await read(acme)).toBeNull();
  });

  it('has every field as given, and belongs to one tenant', async () => {
    const [acme, other] = [await service.integrator(), await service.integrator()];
    const { body } = await change(acme, whole);
    expect(body.data.updateCompany).toMatchObject({ ...whole, version: 1 });
    expect(await read(acme)).toEqual(body.data.updateCompany);
    expect(await read(other)).toBeNull();
    await change(other, { legalName: 'Other' });
    expect(await read(acme)).toEqual(body.data.updateCompany);
  });

  it('changes only the fields that are present; null clears one; nothing changes without a change', async () => {
    const acme = await service.integrator();
    await change(acme, whole);
    await change(acme, { city: 'Bonn', footer: null });
    expect(await read(acme)).toMatchObject({ ...whole, city: 'Bonn', footer: null, version: 2 });
    await change(acme, { city: 'Bonn' });
    expect(await read(acme)).toMatchObject({ version: 2 });
    expect(Object.keys(refusal(await change(acme, { legalName: null }))['errors'] as object)).toEqual([
      'input.legalName',
    ]);
  });

  it('reports all wrong fields at once', async () => {
    const acme = await service.integrator();
    const wrong = {
      legalName: ' ',
      country: 'XX',
      vatId: '123456789',
      email: 'x',
      iban: 'DE02120300000000202052',
      bic: 'BYLADEM',
      paymentTermsDays: 366,
      defaultVatRate: '100.5',
      language: 'fr',
      electronicAddress: '',
      electronicAddressScheme: '9999',
      registrationNumber: 'x'.repeat(65),
      registrationNumberScheme: '9930',
      accentColor: 'red',
    };
    const { errors } = refusal(await change(acme, wrong)) as { errors: object };
    expect(Object.keys(errors).toSorted()).toEqual(
      Object.keys(wrong)
        .map((name) => `input.${name}`)
        .toSorted(),
    );
  });

  it.each(['electronicAddress', 'registrationNumber'])('takes %s together with its scheme only', async (field) => {
    const acme = await service.integrator();
    const scheme = `${field}Scheme`;
    const problems = async (input: object) => refusal(await change(acme, input))['errors'];
    const required = { [`input.${scheme}`]: [expect.stringMatching(/^Required together with the/)] };
    expect(await problems({ legalName: 'x', [field]: '1' })).toEqual(required);
    expect(await acme.db.company.count()).toBe(0);
    await change(acme, { legalName: 'x', [field]: '1', [scheme]: '0088' });
    expect(await problems({ [scheme]: null })).toEqual(required);
    expect(await problems({ [field]: null })).toEqual({ [`input.${field}`]: ['Required together with its scheme.'] });
    expect(await read(acme)).toMatchObject({ [field]: '1', [scheme]: '0088', version: 1 });
    await change(acme, { [field]: null, [scheme]: null });
    expect(await read(acme)).toMatchObject({ [field]: null, [scheme]: null });
  });

  it('stores an IBAN and a BIC without spaces', async () => {
    const acme = await service.integrator();
    await change(acme, { legalName: 'x', iban: 'de02 1203 0000 0000 2020 51', bic: 'bylade m1 001' });
    expect(await read(acme)).toMatchObject({ iban: 'DE02120300000000202051', bic: 'BYLADEM1001' });
  });

  it('is changed only from the expected version; the error has it as it is', async () => {
    const acme = await service.integrator();
    await change(acme, whole);
    expect((await change(acme, { city: 'Bonn' }, 1)).body.data.updateCompany.version).toBe(2);
    const { extensions } = (await change(acme, { city: 'Ulm' }, 1)).body.errors[0];
    expect(extensions).toMatchObject({ code: 'VERSION_CONFLICT', current: { version: 2, city: 'Bonn' } });
    expect(await read(acme)).toMatchObject({ city: 'Bonn' });
  });

  it('is one, also when several requests make it at the same time', async () => {
    const acme = await service.integrator();
    const names = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(names.map((legalName) => change(acme, { legalName })));
    expect(answers.flatMap(({ body }) => body.errors ?? [])).toEqual([]);
    expect(names).toContain((await read(acme)).legalName);
    expect(await acme.db.company.count()).toBe(1);
  });

  it('decides when an invoice is due, where its customer has no terms', async () => {
    const acme = await service.integrator();
    await change(acme, whole);
    const { id } = await create(acme, '/customers', customer);
    expect(await create(acme, '/invoices', invoice(id))).toMatchObject({ due_date: '2026-03-22' });
    await acme.rest('PATCH', `/customers/${id}`, { payment_terms_days: 7 });
    expect(await create(acme, '/invoices', invoice(id))).toMatchObject({ due_date: '2026-03-08' });
  });
});
