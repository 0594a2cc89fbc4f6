import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, company, setCompany } from '../documents/parties.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';

// "An issued document is for ever, so what is missing or wrong is said before." REST says it beside `data`.

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const codes = ({ body }: Answer): string[] => body.warnings.map(({ code }: { code: string }) => code);
const fields = ({ body }: Answer): string[] => body.warnings.map(({ field }: { field: string }) => field);

/** A tenant that lacks nothing, and the id of a customer who lacks nothing either, but for these fields. */
async function tenant(
  more: { seller?: object; buyer?: object } = {},
): Promise<{ who: Integrator; customerId: string }> {
  const who = await service.integrator();
  await setCompany(who, { ...company, ...more.seller });
  const { id } = await who
    .graphql('mutation ($input: CreateCustomerInput!) { made: createCustomer(input: $input) { id } }', {
      input: { type: 'CUSTOMER', ...buyer, ...more.buyer },
    })
    .then(({ made }) => made);
  return { who, customerId: id };
}

const dated = { service_period_start: '2026-02-01', service_period_end: '2026-02-28' };
const bill = (customerId: string, line: object = {}, more: object = {}) => ({
  ...sample.invoice(customerId),
  items: [{ ...sample.item, ...dated, ...line }],
  status: 'issued',
  ...more,
});

describe('warnings beside `data`', () => {
  it('name all that a new German tenant’s invoice to a customer with only a name lacks', async () => {
    const who = await service.integrator();
    const { id } = await sample.create(who, '/customers', sample.customer);
    const answer = await who.rest('POST', '/invoices', { ...sample.invoice(id), status: 'issued' });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body)).toEqual(['data', 'warnings']);
    expect(answer.body.warnings).toEqual([
      {
        code: 'seller_address',
        field: 'company.address_line1',
        message: "The company's address has no street, postal code and city (§ 14 (4) No. 1 UStG).",
      },
      {
        code: 'buyer_address',
        field: 'customer.address_line1',
        message: "The customer's address has no street, postal code, city and country (§ 14 (4) No. 1 UStG).",
      },
      {
        code: 'seller_tax_number',
        field: 'company.vat_id',
        message: 'The company has neither a VAT number nor a tax number (§ 14 (4) No. 2 UStG).',
      },
      {
        code: 'service_date',
        field: 'delivery_date',
        message:
          "No date of supply is given, so the document says that it is the invoice's date (§ 14 (4) No. 6 UStG).",
      },
      {
        code: 'bank_account',
        field: 'company.iban',
        message: "The company has no IBAN, so the document doesn't say where to pay.",
      },
    ]);
    expect((await who.rest('GET', `/invoices/${answer.body.data.id}`)).body).toEqual({ data: answer.body.data });
  });

  it('of several drafts in one request are each of the customer as it then was', async () => {
    const { who, customerId } = await tenant();
    const draft = `createInvoice(input: { customerId: $id, invoiceDate: "2026-02-28", items: [
      { title: "Work", quantity: 1, unitPriceNet: 100, vatRate: 19, servicePeriodStart: "2026-02-01" }
    ] }) { warnings { code } }`;
    const moved = 'updateCustomer(id: $id, input: { city: null }) { id }';
    const { before, after } = await who.graphql(`mutation ($id: UUID!) { before: ${draft} ${moved} after: ${draft} }`, {
      id: customerId,
    });
    expect(before.warnings).toEqual([]);
    expect(after.warnings).toEqual([{ code: 'BUYER_ADDRESS' }]);
  });

  it('are none where nothing is missing', async () => {
    const { who, customerId } = await tenant();
    const answer = await who.rest('POST', '/invoices', bill(customerId));
    expect(answer.body.warnings).toEqual([]);
  });

  it('are answered for a draft, before it is too late, and when it is issued, as it was issued', async () => {
    const { who, customerId } = await tenant({ buyer: { city: null } });
    const draft = await who.rest('POST', '/invoices', bill(customerId, {}, { status: 'draft' }));
    expect(fields(draft)).toEqual(['customer.city']);
    await who.rest('PATCH', `/customers/${customerId}`, { city: 'Ulm', postal_code: null });
    const path = `/invoices/${draft.body.data.id}`;
    const issued = await who.rest('POST', `${path}/issue`);
    expect([issued.status, fields(issued)]).toEqual([200, ['customer.postal_code']]);
    expect(issued.body.data).toEqual((await who.rest('GET', path)).body.data);
    expect(issued.headers.get('etag')).toBe((await who.rest('GET', path)).headers.get('etag'));
    await who.rest('PATCH', `/customers/${customerId}`, { postal_code: '89073' });
    const query = 'query ($id: UUID!) { invoice(id: $id) { warnings { code field } } }';
    const { invoice } = await who.graphql(query, { id: draft.body.data.id });
    expect(invoice.warnings).toEqual([{ code: 'BUYER_ADDRESS', field: 'customer.postal_code' }]);
  });

  it('are part of the answer stored for an Idempotency-Key', async () => {
    const { who, customerId } = await tenant({ seller: { iban: null } });
    const send = () => who.rest('POST', '/invoices', bill(customerId), { 'Idempotency-Key': 'one' });
    const first = await send();
    await setCompany(who, { iban: company.iban });
    const second = await send();
    expect([codes(first), second.headers.get('idempotent-replayed')]).toEqual([['bank_account'], 'true']);
    expect(second.body).toEqual(first.body);
  });

  it('are not part of webhooks, nor accepted in a body', async () => {
    const { who, customerId } = await tenant({ seller: { iban: null } });
    const { body } = await who.rest('POST', '/invoices', bill(customerId));
    const [event] = (await who.rest('GET', `/events?resource_id=${body.data.id}`)).body.data;
    expect(event.data).toEqual({ invoice: body.data });
    const sent = await who.rest('POST', '/invoices', { ...bill(customerId), warnings: [] });
    expect(sample.invalidFields(sent)).toEqual(['warnings']);
  });

  it('speak of no bank account on an invoice that is paid already', async () => {
    const { who, customerId } = await tenant({ seller: { iban: null } });
    expect(codes(await who.rest('POST', '/invoices', bill(customerId, {}, { status: 'paid' })))).toEqual([]);
  });
});

describe('the law of the seller’s country', () => {
  const lacking = { vatId: null, taxNumber: '12/345/67890', addressLine1: null };
  it.each([
    ['DE', ['seller_address', 'service_date'], 'UStG).'],
    ['AT', ['seller_address', 'seller_tax_number', 'service_date'], 'UStG 1994).'],
    ['FR', ['seller_address', 'seller_tax_number'], 'Directive 2006/112/EC).'],
    ['US', [], ''],
  ])('%s', async (country, expected, law) => {
    const { who, customerId } = await tenant({
      seller: { ...lacking, country },
      buyer: { country, electronicAddress: null, electronicAddressScheme: null, language: 'en' },
    });
    const answer = await who.rest('POST', '/invoices', {
      ...bill(customerId),
      items: [{ ...sample.item, vat_category: 'S' }],
    });
    expect(codes(answer)).toEqual(expected);
    for (const { message } of answer.body.warnings) expect(message).toContain(law);
  });
});

it('language: where nothing says it, and the document is in English', async () => {
  const dutch = { country: 'NL', electronicAddress: null, electronicAddressScheme: null };
  const { who, customerId } = await tenant({ seller: { country: 'NL', vatId: 'NL123456789B01' }, buyer: dutch });
  const create = () => who.rest('POST', '/invoices', bill(customerId));
  expect((await create()).body.warnings).toEqual([
    { code: 'language', field: 'company.language', message: expect.stringContaining('English') },
  ]);
  await setCompany(who, { language: 'en' });
  expect(codes(await create())).toEqual([]);
});

describe('vat_category', () => {
  const cases: [title: string, customer: object, line: object, warned: string[]][] = [
    [
      'Z beside a VAT number of another member state',
      { country: 'NL', vatId: 'NL123456789B01' },
      { vat_rate: 0 },
      ['vat_category'],
    ],
    ['VAT beside such a number', { country: 'NL', vatId: 'NL123456789B01' }, {}, ['vat_category']],
    [
      'such a number with another country',
      { country: 'US', vatId: 'NL123456789B01' },
      { vat_rate: 0 },
      ['vat_category'],
    ],
    ['reverse charge', { country: 'NL', vatId: 'NL123456789B01' }, { vat_rate: 0, vat_category: 'AE' }, []],
    ['goods', { country: 'NL', vatId: 'NL123456789B01' }, { vat_rate: 0, vat_category: 'K' }, []],
    ['VAT for a person in another member state', { country: 'NL' }, {}, []],
    ['Z at home', { country: 'DE' }, { vat_rate: 0 }, []],
    ['export at home', { country: 'DE' }, { vat_rate: 0, vat_category: 'G' }, ['vat_category']],
    ['Z outside the EU', { country: 'US' }, { vat_rate: 0 }, ['vat_category']],
    ['export outside the EU', { country: 'US' }, { vat_rate: 0, vat_category: 'G' }, []],
    ['Northern Ireland', { country: 'GB', vatId: 'XI123456789' }, { vat_rate: 0, vat_category: 'K' }, []],
    ['exempt without a reason', { country: 'DE' }, { vat_rate: 0, vat_category: 'E' }, ['exemption_reason']],
    ['a VAT number of no form', { country: 'NL', vatId: 'NL1' }, { vat_rate: 0, vat_category: 'AE' }, ['buyer_vat_id']],
  ];
  it.each(cases)('%s', async (_title, customer, line, warned) => {
    const { who, customerId } = await tenant({
      buyer: { electronicAddress: null, electronicAddressScheme: null, ...customer },
    });
    expect(codes(await who.rest('POST', '/invoices', bill(customerId, line)))).toEqual(warned);
  });
});

describe('the buyer’s VAT number', () => {
  const abroad = { country: 'NL', language: 'en', electronicAddress: null, electronicAddressScheme: null };
  const untaxed = (vat_category: string) => ({ vat_rate: 0, vat_category });

  it.each([
    ['AE', 'BR-AE-02: For reverse charge the buyer needs a VAT number.'],
    ['K', 'BR-IC-02: For an intra-community supply the buyer needs a VAT number.'],
  ])('%s isn’t issued without it: no document of version 1 has said a category', async (category, message) => {
    const { who, customerId } = await tenant({ buyer: abroad });
    const errors = { 'customer.vat_id': [message] };
    for (const status of ['issued', 'paid']) {
      const answer = await who.rest('POST', '/invoices', bill(customerId, untaxed(category), { status }));
      expect([answer.status, answer.body.errors]).toEqual([422, errors]);
    }
    const draft = await who.rest('POST', '/invoices', bill(customerId, untaxed(category), { status: 'draft' }));
    expect([draft.status, codes(draft)]).toEqual([201, expect.arrayContaining(['buyer_vat_id'])]);
    const issue = () => who.rest('POST', `/invoices/${draft.body.data.id}/issue`);
    const refused = await issue();
    expect([refused.status, refused.body.errors]).toEqual([422, errors]);
    expect(await who.db.invoiceSequence.count()).toBe(0);
    await who.rest('PATCH', `/customers/${customerId}`, { vat_id: 'NL123456789B01' });
    const issued = await issue();
    expect([issued.body.data.number, issued.body.warnings]).toEqual(['2026-0001', []]);
    // The law's words, and where they are from.
    const xml = await fetch(`${service.url}/api/v1/invoices/${draft.body.data.id}/xml?format=factur-x`, {
      headers: { authorization: `Bearer ${who.token}` },
    });
    expect(await xml.text()).toContain(`Directive 2006/112/EC).</ram:ExemptionReason>`);
  });

  it('is only warned of within one country, where the law doesn’t demand it, and outside the EU', async () => {
    for (const country of ['DE', 'CH']) {
      const { who, customerId } = await tenant({ buyer: { ...abroad, country } });
      const answer = await who.rest('POST', '/invoices', bill(customerId, untaxed('AE')));
      expect([answer.status, codes(answer)]).toEqual([201, ['buyer_vat_id']]);
    }
  });

  it('is not asked for by what version 1 can send', async () => {
    const { who, customerId } = await tenant({ buyer: abroad });
    expect((await who.rest('POST', '/invoices', bill(customerId, { vat_rate: 0 }))).status).toBe(201);
  });
});

describe('a credit note of a customer who requires e-invoices', () => {
  const require = (who: Integrator, id: string) =>
    who.rest('PATCH', `/customers/${id}`, { required_e_invoice: 'xrechnung-cii' });
  it('is refused if it breaks a rule that its invoice keeps', async () => {
    const { who, customerId } = await tenant();
    await require(who, customerId);
    const invoice = await sample.create(who, '/invoices', bill(customerId));
    // XML can't say the reason, which is the title of the credited amount.
    const body = { invoice_id: invoice.id, amounts: [{ vat_rate: 19, net: 50 }], reason: '\u0001' };
    const refused = await who.rest('POST', '/credit-notes', body);
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { 'items.0.title': [expect.stringMatching(/^BR-25: /)] },
    ]);
    expect(await who.db.creditNote.count()).toBe(0);
    const whole = await who.rest('POST', '/credit-notes', { invoice_id: invoice.id });
    expect([whole.status, whole.body.data.number, whole.body.warnings]).toEqual([201, 'CN-2026-0001', []]);
  });

  it('says which rules it breaks like its invoice, which nobody can mend', async () => {
    const { who, customerId } = await tenant({ buyer: { buyerReference: null } });
    const invoice = await sample.create(who, '/invoices', bill(customerId));
    await require(who, customerId);
    const answer = await who.rest('POST', '/credit-notes', { invoice_id: invoice.id });
    expect(answer.status).toBe(201);
    expect(answer.body.warnings).toEqual([
      { code: 'e_invoice', field: 'customer.buyer_reference', message: expect.stringMatching(/^BR-DE-15: /) },
    ]);
  });
});

describe('the same number twice of a supplier', () => {
  const bought = (supplierId: string | null, number: string | null = 'R-1') => ({
    ...sample.receipt,
    supplier_id: supplierId,
    receipt_number: number,
  });
  const duplicate = [
    { code: 'receipt_number', field: 'receipt_number', message: expect.any(String) },
    { code: 'receipt_duplicate', field: 'amount_gross', message: expect.any(String) },
  ];

  it('is warned of when a receipt is added and booked, not refused', async () => {
    const who = await service.integrator();
    const [one, other] = [
      await sample.create(who, '/customers', sample.supplier),
      await sample.create(who, '/customers', sample.supplier),
    ];
    const warnings = async (body: object) => (await who.rest('POST', '/receipts', body)).body.warnings;
    expect(await warnings(bought(one.id))).toEqual([]);
    expect(await warnings(bought(other.id))).toEqual([]);
    expect(await warnings(bought(null))).toEqual([]);
    expect(await warnings(bought(null))).toEqual([]);
    expect(await warnings(bought(one.id, null))).toEqual([]);
    expect(await warnings(bought(one.id, null))).toEqual([]);
    const second = await who.rest('POST', '/receipts', bought(one.id));
    expect([second.status, second.body.warnings]).toEqual([201, duplicate]);
    const dearer = await who.rest('POST', '/receipts', { ...bought(one.id), amount_gross: 120 });
    expect([dearer.status, dearer.body.warnings]).toEqual([201, duplicate.slice(0, 1)]);
    const booked = await who.rest('POST', `/receipts/${second.body.data.id}/book`);
    expect([booked.status, booked.body.warnings]).toEqual([200, duplicate]);
  });

  it('is warned of before, by GraphQL; a receipt isn’t its own duplicate, nor another tenant’s', async () => {
    const [who, other] = [await service.integrator(), await service.integrator()];
    const { id: supplierId } = await sample.create(who, '/customers', sample.supplier);
    const { id } = await sample.create(who, '/receipts', bought(supplierId));
    const ask = async (by: Integrator, receiptId?: string) =>
      (
        await by.graphql(
          `query ($supplierId: UUID!, $receiptId: UUID) {
            found: receiptNumberWarnings(supplierId: $supplierId, receiptNumber: "R-1", receiptId: $receiptId) { code } }`,
          { supplierId, receiptId },
        )
      ).found;
    expect(await ask(who)).toEqual([{ code: 'RECEIPT_NUMBER' }]);
    expect(await ask(who, id)).toEqual([]);
    expect(await ask(other)).toEqual([]);
  });
});
