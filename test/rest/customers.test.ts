import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { accepts, characters, create, invalidFields, refusal, refuses } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const smallest: [string, object] = ['/customers', sample.customer];

describe('POST /customers', () => {
  it('answers 201 with the created customer and its Location', async () => {
    const { status, headers, body } = await acme.rest('POST', '/customers', {
      type: 'customer',
      company_name: '  Bäckerei Müller GmbH ',
      email: 'post@baeckerei-mueller.example',
      address_line1: 'Hauptstraße 1',
      postal_code: '10115',
      city: 'Berlin',
      country: 'DE',
      vat_id: 'DE123456789',
      contact_name: ' Erika Müller',
      phone: '+49 30 1234567',
      buyer_reference: '04011000-1234512345-06',
      electronic_address: '04011000-1234512345-06',
      electronic_address_scheme: '0204',
      language: 'de',
      payment_terms_days: 30,
      required_e_invoice: 'factur-x',
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${service.url}/api/v1/customers/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: sample.anId,
        type: 'customer',
        company_name: 'Bäckerei Müller GmbH',
        email: 'post@baeckerei-mueller.example',
        address_line1: 'Hauptstraße 1',
        postal_code: '10115',
        city: 'Berlin',
        country: 'DE',
        vat_id: 'DE123456789',
        contact_name: 'Erika Müller',
        phone: '+49 30 1234567',
        buyer_reference: '04011000-1234512345-06',
        electronic_address: '04011000-1234512345-06',
        electronic_address_scheme: '0204',
        language: 'de',
        payment_terms_days: 30,
        required_e_invoice: 'factur-x',
        external_id: null,
        metadata: {},
        created_at: sample.aTime,
        updated_at: sample.aTime,
      },
    });
    const fetched = await acme.rest('GET', `/customers/${body.data.id}`);
    expect(fetched.status).toBe(200);
    expect(fetched.body).toEqual(body);
  });

  it('requires type and company_name; all other fields are nullable', async () => {
    expect(invalidFields(await acme.rest('POST', '/customers', {}))).toEqual(['company_name', 'type']);
    const nothing = {
      email: null,
      address_line1: null,
      postal_code: null,
      city: null,
      country: null,
      vat_id: null,
      contact_name: null,
      phone: null,
      buyer_reference: null,
      electronic_address: null,
      electronic_address_scheme: null,
      language: null,
      payment_terms_days: null,
      required_e_invoice: null,
    };
    for (const body of [sample.customer, { ...sample.customer, ...nothing }]) {
      expect(await create(acme, '/customers', body)).toMatchObject({ ...sample.customer, ...nothing });
    }
    await refuses(acme, smallest, 'type', [null]);
    await refuses(acme, smallest, 'company_name', [null, '', '   ']);
  });

  it('reports all invalid fields at once, by name', async () => {
    const { status, headers, body } = await acme.rest('POST', '/customers', {
      type: 'foe',
      email: 'nobody@',
      country: 'XX',
      postal_code: 'x'.repeat(21),
      zip: '10115',
    });
    expect(status).toBe(422);
    expect(body).toEqual({
      message: 'type: Must be one of customer, supplier. (and 5 more)',
      errors: {
        type: ['Must be one of customer, supplier.'],
        company_name: ['Required.'],
        email: ['Must be an e-mail address.'],
        country: ['Must be an ISO 3166-1 country code of two capital letters.'],
        postal_code: ['Must not be longer than 20 characters.'],
        zip: ['This field is not known here.'],
      },
      details: expect.any(Array),
      request_id: headers.get('x-request-id'),
    });
    const details: { field: string; code: string; params: object }[] = body.details;
    expect(details.map(({ field, code, params }) => [field, code, params])).toEqual([
      ['type', 'unknown_value', { values: ['customer', 'supplier'] }],
      ['email', 'invalid_format', { format: 'email' }],
      ['country', 'unknown_value', {}],
      ['postal_code', 'too_long', { max: 20 }],
      ['company_name', 'required', {}],
      ['zip', 'unknown_field', {}],
    ]);
  });

  it('type: customer | supplier', async () => {
    await accepts(acme, smallest, 'type', ['customer', 'supplier']);
    await refuses(acme, smallest, 'type', ['Customer', 'CUSTOMER', '', 'both', 1, true, ['customer'], {}]);
  });

  it.each([
    ['company_name', 255],
    ['address_line1', 255],
    ['postal_code', 20],
    ['city', 255],
    ['vat_id', 32],
    ['contact_name', 255],
    ['phone', 64],
    ['buyer_reference', 255],
  ])('%s: at most %i characters, after trimming', async (field, max) => {
    await accepts(acme, smallest, field, [characters(max), 'x'.repeat(max)]);
    await accepts(acme, smallest, field, [`  ${characters(max)}\n `], () => characters(max));
    await refuses(acme, smallest, field, [characters(max + 1), 'x'.repeat(max + 1), 7, false, ['x'], { x: 'x' }]);
  });

  it('email: valid, at most 255 characters', async () => {
    const longest = `a@${`${'b'.repeat(60)}.`.repeat(4)}${'c'.repeat(9)}`;
    expect(longest).toHaveLength(255);
    await accepts(acme, smallest, 'email', ['a.b+c@example.com', "o'neill@example.co.uk", longest]);
    await refuses(acme, smallest, 'email', [
      `${longest}c`,
      'a',
      'a@',
      '@b.example',
      'a b@c.example',
      'a@b@c.example',
      5,
    ]);
  });

  it('country: existing ISO 3166-1 alpha-2 codes in upper case', async () => {
    await accepts(acme, smallest, 'country', ['DE', 'GB', 'US', 'JP', 'TN', 'AX']);
    await refuses(acme, smallest, 'country', ['de', 'UK', 'EU', 'XX', 'ZZ', 'DEU', 'D', '276', 276]);
  });

  it('electronic_address_scheme: a code of the list EAS, together with electronic_address', async () => {
    const scheme = 'electronic_address_scheme';
    const addressed: [string, object] = ['/customers', { ...sample.customer, electronic_address: 'x' }];
    await accepts(acme, addressed, scheme, ['0088', '0204', '9930', 'EM']);
    await refuses(acme, addressed, scheme, ['', '0000', '9999', 'em', 'DE', 204, null]);
    const created = async (fields: object) =>
      invalidFields(await acme.rest('POST', '/customers', { ...sample.customer, ...fields }));
    expect(await created({ electronic_address: 'x' })).toEqual([scheme]);
    expect(await created({ electronic_address: '' })).toEqual(['electronic_address']);
    expect(await created({ [scheme]: 'EM' })).toEqual(['electronic_address']);
  });

  it('language: de | en', async () => {
    await accepts(acme, smallest, 'language', ['de', 'en']);
    await refuses(acme, smallest, 'language', ['', 'fr', 'DE', 'deu', 1]);
  });

  it('required_e_invoice: none, or a format of e-invoices', async () => {
    const formats = ['none', 'xrechnung-cii', 'xrechnung-ubl', 'peppol', 'factur-x'];
    await accepts(acme, smallest, 'required_e_invoice', formats);
    await refuses(acme, smallest, 'required_e_invoice', ['', 'xrechnung', 'FACTUR_X', true]);
  });

  it('payment_terms_days: 0 to 365', async () => {
    await accepts(acme, smallest, 'payment_terms_days', [0, 365]);
    await refuses(acme, smallest, 'payment_terms_days', [-1, 366, 1.5, 'soon', true]);
  });

  it('vat_id: any text, well-formed or not, as version 1 promised', async () => {
    const valid = {
      DE123456789: true,
      'DE 123 456 789': true,
      XI123456789: true,
      DE12345678: false,
      'none yet': false,
    };
    for (const [vatId, isWellFormed] of Object.entries(valid)) {
      const { id } = await create(acme, '/customers', { ...sample.customer, vat_id: vatId });
      const { customer } = await acme.graphql('query ($id: UUID!) { customer(id: $id) { vatId isVatIdWellFormed } }', {
        id,
      });
      expect(customer).toEqual({ vatId, isVatIdWellFormed: isWellFormed });
    }
  });

  it('text is stored as sent, except for trimming', async () => {
    const texts = ['A  B', 'Ü\u0308', 'שלום', '<b>&amp;"\\', "'; drop table customers; --", 'a\nb\tc', '👩‍👩‍👧'];
    await accepts(acme, smallest, 'company_name', texts);
  });
});

describe('GET /customers', () => {
  it('type: narrows the list', async () => {
    const beta = await service.integrator();
    const one = await create(beta, '/customers', sample.customer);
    const other = await create(beta, '/customers', sample.supplier);
    const ids = async (query: string) =>
      (await beta.rest('GET', `/customers${query}`)).body.data.map((row: { id: string }) => row.id);
    expect(await ids('')).toEqual([other.id, one.id]);
    expect(await ids('?type=customer')).toEqual([one.id]);
    expect(await ids('?type=supplier')).toEqual([other.id]);
    for (const bad of ['foe', 'CUSTOMER', 'customer,supplier']) {
      expect(invalidFields(await beta.rest('GET', `/customers?type=${bad}`))).toEqual(['type']);
    }
  });

  it('q: searches company_name, email, city, and vat_id, in any case, anywhere in the text', async () => {
    const gamma = await service.integrator();
    const byName = await create(gamma, '/customers', { ...sample.customer, company_name: 'Straßenbau ÄNNE 100%_\\' });
    const byEmail = await create(gamma, '/customers', { ...sample.customer, email: 'Info@Foo-Bar.example' });
    const byCity = await create(gamma, '/customers', { ...sample.supplier, city: 'Bad Tölz' });
    const byVat = await create(gamma, '/customers', { ...sample.customer, vat_id: 'ATU99999999' });
    await create(gamma, '/customers', { ...sample.customer, address_line1: 'ännestraße', postal_code: 'ATU9' });
    const found = async (q: string) =>
      (await gamma.rest('GET', `/customers?${new URLSearchParams({ q })}`)).body.data.map((c: { id: string }) => c.id);
    expect(await found('ßenbau änne')).toEqual([byName.id]);
    expect(await found('FOO-bar')).toEqual([byEmail.id]);
    expect(await found('d TÖL')).toEqual([byCity.id]);
    expect(await found('tu9999')).toEqual([byVat.id]);
    for (const q of ['%', '_', '\\', '0%_\\']) expect({ q, found: await found(q) }).toEqual({ q, found: [byName.id] });
    expect(await found("' or 1=1 --")).toEqual([]);
    expect(await found('')).toHaveLength(5);
    const both = await gamma.rest('GET', '/customers?q=t%C3%B6lz&type=customer');
    expect(both.body.data).toEqual([]);
  });
});

describe('PATCH /customers/{id}', () => {
  it('answers 200 with the customer: changes only the fields present, null clears a nullable field', async () => {
    const before = await create(acme, '/customers', { ...sample.customer, city: 'Ulm', email: 'a@example.com' });
    const { status, body } = await acme.rest('PATCH', `/customers/${before.id}`, { city: 'Bonn', email: null });
    expect(status).toBe(200);
    expect(body).toEqual({ data: { ...before, city: 'Bonn', email: null, updated_at: sample.aTime } });
    expect((await acme.rest('GET', `/customers/${before.id}`)).body).toEqual(body);
    expect((await acme.rest('PATCH', `/customers/${before.id}`, {})).body.data).toMatchObject({ city: 'Bonn' });
  });

  it('rejects the same values as POST, and null for a required field; writes all fields or none', async () => {
    const before = await create(acme, '/customers', sample.customer);
    const change = { city: 'Bonn', type: null, company_name: null, country: 'xx', vat_id: characters(33), zip: 1 };
    const answer = await acme.rest('PATCH', `/customers/${before.id}`, change);
    expect(invalidFields(answer)).toEqual(['company_name', 'country', 'type', 'vat_id', 'zip']);
    expect((await acme.rest('GET', `/customers/${before.id}`)).body).toEqual({ data: before });
  });
});

describe('PATCH /customers/{id}, electronic address', () => {
  it('keeps address and scheme together, whichever of them changes', async () => {
    const { id } = await create(acme, '/customers', sample.customer);
    const [address, scheme] = ['electronic_address', 'electronic_address_scheme'];
    const patch = (body: object) => acme.rest('PATCH', `/customers/${id}`, body);
    expect(invalidFields(await patch({ [address]: 'x' }))).toEqual([scheme]);
    expect(invalidFields(await patch({ [scheme]: 'EM' }))).toEqual([address]);
    expect((await patch({ [address]: 'a@b.example', [scheme]: 'EM' })).status).toBe(200);
    expect(invalidFields(await patch({ [scheme]: null }))).toEqual([scheme]);
    expect((await patch({ [scheme]: '0204' })).body.data).toMatchObject({ [address]: 'a@b.example', [scheme]: '0204' });
    expect((await patch({ [address]: null, [scheme]: null })).body.data).toMatchObject({ [address]: null });
  });
});

describe('DELETE /customers/{id}', () => {
  it('answers 204 with an empty body; afterwards the customer is answered 404', async () => {
    const { id } = await create(acme, '/customers', sample.customer);
    const { status, text } = await acme.rest('DELETE', `/customers/${id}`);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    for (const method of ['GET', 'DELETE']) refusal(await acme.rest(method, `/customers/${id}`), 404);
    refusal(await acme.rest('PATCH', `/customers/${id}`, {}), 404);
  });

  it('answers 422 while others refer to the customer, with their type in errors.id', async () => {
    const { id } = await create(acme, '/customers', sample.supplier);
    const invoice = await create(acme, '/invoices', sample.invoice(id));
    const project = await create(acme, '/projects', { ...sample.project, customer_id: id });
    const receipt = await create(acme, '/receipts', { ...sample.receipt, supplier_id: id });
    const refused = async () => refusal(await acme.rest('DELETE', `/customers/${id}`), 422);
    expect(await refused()).toEqual({
      id: [/invoice/i, /project/i, /receipt/i].map((what) => expect.stringMatching(what)),
    });
    await acme.rest('DELETE', `/invoices/${invoice.id}`);
    expect(await refused()).toEqual({ id: [/project/i, /receipt/i].map((what) => expect.stringMatching(what)) });
    await acme.rest('DELETE', `/projects/${project.id}`);
    expect(await refused()).toEqual({ id: [expect.stringMatching(/receipt/i)] });
    await acme.rest('DELETE', `/receipts/${receipt.id}`);
    expect((await acme.rest('DELETE', `/customers/${id}`)).status).toBe(204);
  });
});
