import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCreditNote, makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { verify } from '../verify/books.ts';

// The boxes of reverse charge, by where the supplier was when the receipt was booked, and the customer when the invoice was issued.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const makeSupplier = (who: Integrator, fields: object): Promise<string> =>
  makeCustomer(who, { type: 'SUPPLIER', ...fields });

async function book(who: Integrator, supplierId: string | null, fields: object = {}): Promise<string> {
  const { status, body, text } = await who.rest('POST', '/receipts', {
    receipt_date: '2026-03-01',
    supplier_id: supplierId,
    lines: [{ vat_category: 'AE', vat_rate: 20, amount_net: 100 }],
    ...fields,
  });
  if (status !== 201) throw new Error(text);
  const booked = await who.rest('POST', `/receipts/${body.data.id}/book`);
  if (booked.status !== 200) throw new Error(booked.text);
  return body.data.id;
}

interface Row {
  kind: string;
  supplier_place: string | null;
  net: number;
  vat: number;
  net_box: string | null;
  vat_box: string | null;
}

const march = 'from=2026-03-01&to=2026-03-31';
const findRows = async (who: Integrator, period = march): Promise<unknown[]> =>
  (await who.rest('GET', `/reports/vat?${period}`)).body.data.rows.map(
    ({ kind, supplier_place, net, net_box, vat_box }: Row) => [kind, supplier_place, net, net_box, vat_box],
  );

describe.each([
  ['a supplier at home', { country: 'DE' }, { country: 'AT' }, 'domestic', ['84', '85'], '048', '082'],
  ['one in another member state', { country: 'FR' }, { country: 'FR' }, 'member_state', ['46', '47'], '057', '066'],
  ['one outside the EU', { country: 'CH' }, { country: 'CH' }, 'third_country', ['84', '85'], '057', '066'],
  [
    'one with a VAT number of another country than the address',
    { country: 'DE', vatId: 'FR83404833048' },
    { country: 'AT', vatId: 'FR83404833048' },
    'member_state',
    ['46', '47'],
    '057',
    '066',
  ],
  [
    'one abroad with a VAT number at home',
    { country: 'FR', vatId: 'DE123456789' },
    { country: 'CH', vatId: 'ATU12345678' },
    'domestic',
    ['84', '85'],
    '048',
    '082',
  ],
  [
    'one in Northern Ireland',
    ...twice({ country: 'GB', vatId: 'XI123456789' }),
    'third_country',
    ['84', '85'],
    '057',
    '066',
  ],
  ['one without a country', {}, {}, 'unknown', [null, null], null, null],
  ['no supplier', null, null, 'unknown', [null, null], null, null],
] as const)('a receipt of %s', (_what, inGermany, inAustria, place, [net, vat], owed, deducted) => {
  it('has its boxes in Germany', async () => {
    const who = await service.integrator({ country: 'DE' });
    await book(who, inGermany && (await makeSupplier(who, inGermany)));
    expect(await findRows(who)).toEqual([
      ['reverse_charge', place, 100, net, vat],
      ['input', null, 100, null, '67'],
    ]);
  });

  it('has its boxes in Austria', async () => {
    const who = await service.integrator({ country: 'AT' });
    await book(who, inAustria && (await makeSupplier(who, inAustria)));
    expect(await findRows(who)).toEqual([
      ['reverse_charge', place, 100, null, owed],
      ['input', place, 100, null, deducted],
    ]);
  });

  it('has neither place nor boxes elsewhere', async () => {
    const who = await service.integrator({ country: 'FR' });
    await book(who, inGermany && (await makeSupplier(who, inGermany)));
    expect(await findRows(who)).toEqual([
      ['reverse_charge', null, 100, null, null],
      ['input', null, 100, null, null],
    ]);
  });
});

function twice<Of>(value: Of): [Of, Of] {
  return [value, value];
}

it('VAT that a supplier states has a place and no box where that is another country, also at a rate of one’s own', async () => {
  const who = await service.integrator({ country: 'DE' });
  const lines = [
    { vat_category: 'S', vat_rate: 19, amount_net: 100 },
    { vat_category: 'S', vat_rate: 20, amount_net: 30 },
    { vat_category: 'K', vat_rate: 19, amount_net: 10 },
  ];
  const booked: Record<string, string> = {};
  for (const [name, fields] of Object.entries({
    romanian: { country: 'RO' },
    chilean: { country: 'CL' },
    german: { country: 'DE' },
    registered: { country: 'LU', vatId: 'DE136695976' },
    unknown: {},
  }))
    booked[name] = await book(who, await makeSupplier(who, fields), { lines });
  expect(await findRows(who)).toEqual([
    ['acquisition', null, 50, '89', null],
    ['input', null, 50, null, '61'],
    ['input', null, 150, null, null],
    ['input', 'member_state', 100, null, null],
    ['input', 'third_country', 100, null, null],
    ['input', null, 300, null, '66'],
  ]);
  const open = async (more: string): Promise<string[]> => {
    const row = `${march}&kind=input&vat_category=S&currency=EUR&vat_rate=${more}`;
    return (await who.rest('GET', `/reports/vat/documents?${row}`)).body.data.items.map(({ id }: { id: string }) => id);
  };
  const { romanian, chilean, ...here } = booked;
  expect(await open('19')).toEqual(Object.values(here));
  expect(await open('19&supplier_place=member_state')).toEqual([romanian]);
  expect(await open('19&supplier_place=third_country')).toEqual([chilean]);
  expect(await open('20')).toEqual(Object.values(booked));
});

it.each(['accrual', 'cash'])('a row opens into its documents, by %s', async (basis) => {
  const who = await service.integrator({ country: 'DE' });
  const at: Record<string, string> = {};
  at['domestic'] = await book(who, await makeSupplier(who, { country: 'DE' }));
  at['member_state'] = await book(who, await makeSupplier(who, { country: 'FR' }));
  at['third_country'] = await book(who, await makeSupplier(who, { country: 'US' }));
  at['unknown'] = await book(who, null);
  const row = `${march}&basis=${basis}&kind=reverse_charge&vat_category=AE&vat_rate=20&currency=EUR`;
  const open = async (more = ''): Promise<string[]> => {
    const { count, items } = (await who.rest('GET', `/reports/vat/documents?${row}${more}`)).body.data;
    expect(count).toBe(items.length);
    return items.map(({ id }: { id: string }) => id);
  };
  for (const [place, id] of Object.entries(at)) expect(await open(`&supplier_place=${place}`)).toEqual([id]);
  expect((await open()).toSorted()).toEqual(Object.values(at).toSorted());
  const refused = await who.rest('GET', `/reports/vat/documents?${row}&supplier_place=moon`);
  expect([refused.status, refused.body.details]).toMatchObject([
    422,
    [{ field: 'supplier_place', code: 'unknown_value' }],
  ]);
});

it('a supplier who moves leaves what is booked as it was, and what takes it back', async () => {
  const who = await service.integrator({ country: 'DE' });
  const supplierId = await makeSupplier(who, { country: 'FR' });
  const [kept, reversed] = [await book(who, supplierId), await book(who, supplierId)];
  const draft = await who.rest('POST', '/receipts', {
    receipt_date: '2026-04-02',
    supplier_id: supplierId,
    lines: [{ vat_category: 'AE', vat_rate: 20, amount_net: 7 }],
  });
  const before = await findRows(who);
  expect(before[0]).toEqual(['reverse_charge', 'member_state', 200, '46', '47']);
  service.clock.now = new Date('2026-04-10T12:00:00Z');
  const lock = { series: 'all', locked_until: '2026-03-31', kind: 'final' };
  expect((await who.rest('PUT', '/period-locks', lock)).status).toBe(200);
  const moved = await who.rest('PATCH', `/customers/${supplierId}`, { country: 'US' });
  expect(moved.status).toBe(200);

  expect((await who.rest('POST', `/receipts/${reversed}/reverse`)).status).toBe(200);
  const lines = [{ vat_category: 'AE', vat_rate: 20, amount_net: -30 }];
  await book(who, supplierId, { receipt_date: '2026-04-01', credited_receipt_id: kept, lines });
  expect((await who.rest('POST', `/receipts/${draft.body.data.id}/book`)).status).toBe(200);
  expect(await findRows(who)).toEqual(before);
  expect((await findRows(who, 'from=2026-04-01&to=2026-04-30')).slice(0, 2)).toEqual([
    ['reverse_charge', 'member_state', -130, '46', '47'],
    ['reverse_charge', 'third_country', 7, '84', '85'],
  ]);
  service.clock.now = undefined;
  expect((await verify(service, who)).all).toEqual([]);
});

it('nobody gives a receipt another country than its supplier has', async () => {
  const who = await service.integrator({ country: 'DE' });
  const supplierId = await makeSupplier(who, { country: 'FR' });
  const insert = `insert into receipts (tenant_id, id, supplier_id, status, receipt_date, currency, amount_gross, vat_amount,
      amount_net, updated_at, supplier_country)
    select tenant_id, gen_random_uuid(), id, $3::receipt_status, '2026-03-01', 'EUR', 0, 0, 0, now(), 'US' from customers
    where tenant_id = $1 and id = $2::uuid returning id, supplier_country`;
  const [booked] = await who.db.$rows<{ supplier_country: string }>(insert, [supplierId, 'booked']);
  expect(booked?.supplier_country).toBe('FR');
  const [draft] = await who.db.$rows<{ id: string; supplier_country: null }>(insert, [supplierId, 'draft']);
  expect(draft?.supplier_country).toBeNull();
  for (const [change, country] of [
    [`supplier_country = 'US'`, null],
    [`status = 'booked', supplier_country = 'US'`, 'FR'],
  ] as const) {
    const update = `update receipts set ${change} where tenant_id = $1 and id = $2::uuid returning supplier_country`;
    expect(await who.db.$rows(update, [draft?.id])).toEqual([{ supplier_country: country }]);
  }
});

describe('sales of which the customer owes the VAT', () => {
  async function issue(who: Integrator, fields: Record<string, unknown>): Promise<string> {
    const { status, body, text } = await who.rest('POST', '/invoices', {
      customer_id: await makeCustomer(who, fields),
      invoice_date: '2026-03-01',
      items: [{ title: 'Consulting', quantity: 1, unit_price_net: 100, vat_rate: 0, vat_category: 'AE' }],
    });
    if (status !== 201) throw new Error(text);
    const issued = await who.rest('POST', `/invoices/${body.data.id}/issue`);
    if (issued.status !== 200) throw new Error(issued.text);
    return body.data.id;
  }
  interface Sales {
    customer_place: string | null;
    supplier_place: null;
    net: number;
    net_box: string | null;
    vat_box: null;
  }
  const findSales = async (who: Integrator, basis = 'accrual'): Promise<unknown[]> =>
    (await who.rest('GET', `/reports/vat?${march}&basis=${basis}`)).body.data.rows.map(
      ({ customer_place, supplier_place, net, net_box, vat_box }: Sales) => {
        expect([supplier_place, vat_box]).toEqual([null, null]);
        return [customer_place, net, net_box];
      },
    );

  it.each([
    [
      'at home',
      { country: 'DE', vatId: 'DE123456789' },
      'domestic',
      '60',
      { country: 'AT', vatId: 'ATU12345678' },
      '021',
    ],
    [
      'in another member state',
      { country: 'FR', vatId: 'FR83404833048' },
      'member_state',
      '21',
      { country: 'FR', vatId: 'FR83404833048' },
      null,
    ],
    ['outside the EU', { country: 'CH' }, 'third_country', '45', { country: 'CH' }, null],
    [
      'with a VAT number of another country than the address',
      { country: 'CH', vatId: 'FR83404833048' },
      'member_state',
      '21',
      { country: 'CH', vatId: 'FR83404833048' },
      null,
    ],
    ['without a country', { vatId: 'CHE-123.456.789' }, 'unknown', null, { vatId: 'CHE-123.456.789' }, null],
  ])('have their box by a customer %s', async (_what, inGermany, place, german, inAustria, austrian) => {
    const [germany, austria, france] = await Promise.all(
      ['DE', 'AT', 'FR'].map((country) => service.integrator({ country })),
    );
    await issue(germany!, inGermany);
    await issue(austria!, inAustria);
    await issue(france!, inGermany);
    expect(await findSales(germany!)).toEqual([[place, 100, german]]);
    expect(await findSales(austria!)).toEqual([[place, 100, austrian]]);
    expect(await findSales(france!)).toEqual([[null, 100, null]]);
  });

  it('stay where the customer was, also what takes them back, and open into their documents', async () => {
    const who = await service.integrator({ country: 'DE' });
    const atFirst = { country: 'FR', vatId: 'FR83404833048' };
    const [ofFrance, ofGermany] = [
      await issue(who, atFirst),
      await issue(who, { country: 'DE', vatId: 'DE123456789' }),
    ];
    const { customer_id } = (await who.rest('GET', `/invoices/${ofFrance}`)).body.data;
    expect((await who.rest('PATCH', `/customers/${customer_id}`, { country: 'US', vat_id: null })).status).toBe(200);
    for (const [id, amount] of [
      [ofFrance, 40],
      [ofGermany, 100],
    ])
      expect((await who.rest('POST', `/invoices/${id}/payments`, { amount, paid_on: '2026-03-05' })).status).toBe(200);
    const amounts = [{ net: '30', vatRate: '0', vatCategory: 'AE' }];
    await makeCreditNote(who, { invoiceId: ofFrance, creditNoteDate: '2026-03-06', amounts });
    expect(await findSales(who)).toEqual([
      ['domestic', 100, '60'],
      ['member_state', 70, '21'],
    ]);
    expect(await findSales(who, 'cash')).toEqual([
      ['domestic', 100, '60'],
      ['member_state', 40, '21'],
    ]);
    const row = `${march}&kind=output&vat_category=AE&vat_rate=0&currency=EUR`;
    const open = async (more: string): Promise<string[]> =>
      (await who.rest('GET', `/reports/vat/documents?${row}${more}`)).body.data.items.map(
        ({ type }: { type: string }) => type,
      );
    expect(await open('&customer_place=domestic')).toEqual(['invoice']);
    expect(await open('&customer_place=member_state')).toEqual(['invoice', 'credit_note']);
    expect(await open('&customer_place=third_country')).toEqual([]);
    expect(await open('')).toHaveLength(3);
    expect(await open('&supplier_place=domestic')).toEqual([]);
  });
});
