import fc from 'fast-check';
import { makeBankTransaction, makeCustomer } from '../graphql/books.ts';
import type { Answer, Integrator } from '../harness.ts';

/** A step of generated books. Some are refused, such as a payment of a cancelled invoice: they change nothing. */
export interface Step {
  kind:
    | 'invoice'
    | 'pay'
    | 'settle'
    | 'credit'
    | 'refund'
    | 'cancel'
    | 'receipt'
    | 'credit receipt'
    | 'pay receipt'
    | 'settle receipt'
    | 'match'
    | 'undo'
    | 'reverse'
    | 'lock';
  /** Which document it is about. */
  which: number;
  /** An amount in cents, a share of a line, or a choice. */
  amount: number;
  /** Days since the first of the books. */
  day: number;
  lines: { cents: number; vat: number; quantity: number }[];
  /** Whether it is taken together with the next one, about the same document. */
  isPair: boolean;
}

const firstDay = Temporal.PlainDate.from('2026-01-01');
export const days = 180;
/** The last day that a step locks. */
export const lastLocked = days / 3;
/** The day of a step, `YYYY-MM-DD`. */
export const dayOf = (day: number): string => firstDay.add({ days: day }).toString();

const vats = [
  { vatRate: '19' },
  { vatRate: '7' },
  { vatRate: '0' },
  { vatRate: '0', vatCategory: 'AE', exemptionReason: 'Reverse charge' },
  { vatRate: '5.5' },
  { vatRate: '0', vatCategory: 'K', exemptionReason: 'Supply within the EU' },
];

/** Buyers at home, in other member states with a VAT number and without, and in Northern Ireland. */
const buyers: Record<string, string>[] = [
  {},
  { companyName: 'Initech' },
  { companyName: 'Globex', country: 'FR', vatId: 'FR 83.404-833048' },
  { companyName: 'Hooli', country: 'FR', vatId: 'fr83404833048' },
  { companyName: 'Umbrella', country: 'AT' },
  { companyName: 'Stark', country: 'DE', vatId: 'ATU12345678' },
  { companyName: 'Wayne', country: 'GR', vatId: 'EL123456789' },
  { companyName: 'Oscorp', country: 'GB', vatId: 'XI123456789' },
  { companyName: 'Cyberdyne', country: 'CH', vatId: 'CHE123456788' },
  { companyName: 'Tyrell', country: 'IT', vatId: '12345678901' },
];

/** Suppliers at home, in other member states, and elsewhere; with a VAT number of another country than the address, and with neither. */
const suppliers: Record<string, string>[] = [
  { companyName: 'Duff', country: 'DE' },
  { companyName: 'Sirius', country: 'AT' },
  { companyName: 'Ollivander', country: 'FR', vatId: 'FR83404833048' },
  { companyName: 'Buy n Large', country: 'AT', vatId: 'de 123456789' },
  { companyName: 'Tessier', vatId: 'ATU12345678' },
  { companyName: 'Gekko', country: 'GB', vatId: 'XI123456789' },
  { companyName: 'Zorg', country: 'CH', vatId: 'CHE123456788' },
  { companyName: 'Nakatomi' },
];

const kinds: Step['kind'][] = [
  ...(['invoice', 'pay', 'pay', 'credit', 'refund', 'cancel', 'receipt', 'pay receipt'] as const),
  ...([
    'credit receipt',
    'receipt',
    'pay receipt',
    'settle',
    'settle',
    'settle receipt',
    'match',
    'undo',
    'reverse',
    'lock',
  ] as const),
];

const bought = [
  { vat_rate: 19 },
  { vat_rate: 7 },
  { vat_rate: 0 },
  { vat_rate: 19, vat_category: 'AE' },
  { vat_rate: 5.5, vat_category: 'K' },
  { vat_rate: 19, vat_category: 'IMPORT' },
  { vat_rate: 0, vat_category: 'E' },
];
const deductible = [100, 100, 100, 50, 0, 33.33, 15];

/**
 * Lines of a receipt: by net or by gross amounts, some with a stated VAT of their own, and with what can be deducted of it. Some take
 * back a part of the others.
 */
const buyLines = (lines: Step['lines'], ofReceipt: 1 | -1): object[] =>
  lines.map(({ cents, vat, quantity }, at) => {
    const sign = at > 0 && cents % 4 === 0 ? -ofReceipt : ofReceipt;
    const kind = bought[(cents + vat) % bought.length] ?? { vat_rate: 0 };
    const amount = Number(inEuro(sign * cents * quantity));
    const isStated = cents % 3 === 0 && kind.vat_rate > 0 && !('vat_category' in kind);
    return {
      ...kind,
      deductible_percent: deductible[quantity % deductible.length],
      ...(cents % 2 || kind.vat_category === 'IMPORT' ? { amount_gross: amount } : { amount_net: amount }),
      ...(isStated && { vat_amount: Number(inEuro(sign * Math.floor((cents * quantity) / 9))) }),
    };
  });

export const books: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    which: fc.nat({ max: 50 }),
    amount: fc.integer({ min: 1, max: 60_000 }),
    day: fc.nat({ max: days }),
    lines: fc.array(
      fc.record({
        cents: fc.integer({ min: 1, max: 30_000 }),
        vat: fc.nat({ max: vats.length - 1 }),
        quantity: fc.integer({ min: 1, max: 7 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    isPair: fc.nat({ max: 3 }).map((number) => number === 0),
  }),
  { minLength: 30, maxLength: 45 },
);

export const emptyIds = (): Ids => ({ invoices: [], 'credit-notes': [], receipts: [], suppliers: [] });

const inEuro = (cents: number): string => (cents / 100).toFixed(2);

/** A payment with adjustments in any order, which settles all that is due or a part of it. */
function adjust(due: number, choice: number, isInvoice: boolean) {
  const types = ['cash_discount', 'cash_discount', 'write_off', 'rounding', ...(isInvoice ? ['fee', 'credit'] : [])];
  const isWithoutMoney = choice % 3 === 0;
  const chosen = isWithoutMoney
    ? [types[(choice >> 3) % types.length]]
    : [...new Set([types[choice % types.length], types[(choice >> 3) % types.length]])];
  let left = due;
  const adjustments = chosen.map((type) => {
    const share = isWithoutMoney ? due : Math.max(Math.floor(due / ((choice % 5) + 2)), 1);
    const most = type === 'rounding' ? 100 : share;
    const cents = Math.min(most, left);
    left -= cents;
    return { type, amount: inEuro(cents), ...(type === 'write_off' && { reason: 'Insolvent' }) };
  });
  if (isInvoice && choice % 4 === 0) {
    const all = [...adjustments, { type: 'overpayment', amount: inEuro(choice) }];
    const first = (choice >> 6) % all.length;
    const inOrder = [...all.slice(first), ...all.slice(0, first)];
    return { adjustments: (choice >> 2) % 2 ? inOrder.toReversed() : inOrder };
  }
  if (choice % 4 === 1) return { adjustments, amount: inEuro(Math.floor(left / 2)) };
  return { adjustments };
}

const exchangeRates = [0.9234, 1.0731, 0.0061, 155.37];

/** A currency, often another one than at home, and often with what it was worth. */
const foreign = (
  choice: number,
  day: number,
): { currency: string; exchange_rate?: number; exchange_rate_date?: string } => {
  if (choice % 5 > 2) return { currency: 'EUR' };
  const rate = exchangeRates[choice % 4] ?? 1;
  return { currency: 'CHF', ...(choice % 5 > 0 && { exchange_rate: rate, exchange_rate_date: dayOf(day) }) };
};

/** The ids of the documents and suppliers that were made. */
export type Ids = Record<'invoices' | 'credit-notes' | 'receipts' | 'suppliers', string[]>;

/**
 * Takes the steps, of which those about a document are about one that is there.
 * @param ids what is there already; what is made is added. Suppliers that are there move to Spain first
 */
export async function makeBooks(who: Integrator, steps: Step[], ids: Ids = emptyIds()): Promise<void> {
  const rest = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await who.rest(method, path, body);
    if (answer.status >= 500) throw new Error(answer.text);
    return answer;
  };
  const customers: string[] = [];
  for (const buyer of buyers) customers.push(await makeCustomer(who, buyer));
  for (const id of ids.suppliers) await rest('PATCH', `/customers/${id}`, { country: 'ES', vat_id: null });
  if (ids.suppliers.length === 0)
    for (const supplier of suppliers) ids.suppliers.push(await makeCustomer(who, { ...supplier, type: 'SUPPLIER' }));
  const pick = (list: keyof typeof ids, which: number): string =>
    ids[list][which % Math.max(ids[list].length, 1)] ?? '00000000-0000-7000-8000-000000000000';
  /** Often a rate of the payment, where what is paid has one. */
  const paidAt = async (path: string, choice: number): Promise<{ exchange_rate?: number }> => {
    if (choice % 3 === 0) return {};
    const rate = (await rest('GET', path)).body.data?.exchange_rate ?? null;
    return rate === null ? {} : { exchange_rate: Number((rate * (0.9 + (choice % 21) / 100)).toFixed(8)) };
  };
  const take: Record<Step['kind'], (step: Step) => Promise<unknown>> = {
    invoice: async ({ which, day, amount, lines }) => {
      const items = lines.map(({ cents, vat, quantity }, at) => {
        const { vatRate, vatCategory, exemptionReason } = vats[vat] ?? { vatRate: '19' };
        return {
          title: `Line ${at}`,
          quantity,
          unit_price_net: inEuro(cents),
          vat_rate: vatRate,
          ...(vatCategory && { vat_category: vatCategory, exemption_reason: exemptionReason }),
        };
      });
      const delivered = amount % 3 === 0 ? { delivery_date: dayOf(Math.abs(day - (amount % 40))) } : {};
      const body = {
        customer_id: customers[which % customers.length],
        invoice_date: dayOf(day),
        items,
        ...foreign(amount + which, day),
        ...delivered,
      };
      const made = await rest('POST', '/invoices', body);
      if (made.status !== 201) throw new Error(made.text);
      if (which % 9 === 0) return; // a draft, which counts nowhere
      if ((await rest('POST', `/invoices/${made.body.data.id}/issue`)).status === 200)
        ids.invoices.push(made.body.data.id);
    },
    pay: async ({ which, amount, day }) => {
      const path = `/invoices/${pick('invoices', which)}`;
      await rest('POST', `${path}/payments`, {
        ...(amount % 4 > 0 && { amount: inEuro(amount) }),
        ...(await paidAt(path, amount)),
        paid_on: dayOf(day),
      });
    },
    credit: async ({ which, amount, day }) => {
      const invoice = pick('invoices', which);
      const { body } = await rest('GET', `/invoices/${invoice}`);
      const lines = body.data?.items ?? [];
      const line = lines[amount % Math.max(lines.length, 1)];
      const of = amount % 3 === 0 || !line ? {} : { items: [{ invoice_item_id: line.id, quantity: '1' }] };
      const made = await rest('POST', '/credit-notes', {
        invoice_id: invoice,
        credit_note_date: dayOf(day),
        ...of,
      });
      if (made.status === 201) ids['credit-notes'].push(made.body.data.id);
    },
    refund: async ({ which, amount, day }) => {
      const path = `/credit-notes/${pick('credit-notes', which)}`;
      await rest('POST', `${path}/refunds`, {
        ...(amount % 2 && { amount: inEuro(amount) }),
        ...(await paidAt(path, amount)),
        paid_on: dayOf(day),
      });
    },
    cancel: ({ which }) => rest('POST', `/invoices/${pick('invoices', which)}/cancel`),
    receipt: async ({ which, amount, day, lines }) => {
      const simple = { amount_gross: inEuro(amount), vat_rate: vats[which % 3]?.vatRate ?? '0' };
      const made = await rest('POST', '/receipts', {
        receipt_date: dayOf(day),
        supplier_id: ids.suppliers[which % (ids.suppliers.length + 1)] ?? null,
        ...foreign(amount + which, day),
        ...(amount % 3 === 0 ? simple : { lines: buyLines(lines, 1) }),
        ...(amount % 4 === 0 && { amount_prepaid: amount % 8 === 0 ? '0.01' : inEuro(lines[0]?.cents ?? 0) }),
      });
      // More than the gross amount, and a total below zero.
      if (made.status === 422 && ('amount_prepaid' in made.body.errors || 'lines' in made.body.errors)) return;
      if (made.status !== 201) throw new Error(made.text);
      if (which % 5 === 0) return;
      if ((await rest('POST', `/receipts/${made.body.data.id}/book`)).status === 200)
        ids.receipts.push(made.body.data.id);
    },
    'credit receipt': async ({ which, day, lines }) => {
      const credited = pick('receipts', which);
      const { body } = await rest('GET', `/receipts/${credited}`);
      if (!body.data) return;
      const made = await rest('POST', '/receipts', {
        receipt_date: dayOf(day),
        supplier_id: body.data.supplier_id,
        currency: body.data.currency,
        ...(body.data.currency === 'CHF' && day % 2 && { exchange_rate: 1.0842, exchange_rate_date: dayOf(day) }),
        credited_receipt_id: credited,
        lines: buyLines(lines, -1),
        status: 'booked',
      });
      if (made.status === 201) ids.receipts.push(made.body.data.id);
      else if (
        body.data.credited_receipt_id === null &&
        !['receipt_date', 'credited_receipt_id', 'lines'].some((field) => field in made.body.errors)
      )
        throw new Error(made.text);
    },
    'pay receipt': async ({ which, amount, day }) => {
      const path = `/receipts/${pick('receipts', which)}`;
      await rest('POST', `${path}/payments`, {
        ...(amount % 2 && { amount: inEuro(amount) }),
        ...(await paidAt(path, amount)),
        paid_on: dayOf(day),
      });
    },
    // From an account in euro.
    match: async ({ which, amount, day }) => {
      const type = (['INVOICE', 'RECEIPT', 'CREDIT_NOTE'] as const)[amount % 3] ?? 'INVOICE';
      const list = ({ INVOICE: 'invoices', RECEIPT: 'receipts', CREDIT_NOTE: 'credit-notes' } as const)[type];
      const id = pick(list, which);
      const { body } = await rest('GET', `/${list}/${id}`);
      const moved = inEuro(amount);
      const isReceived = type === 'INVOICE' || body.data?.credited_receipt_id;
      const signed = isReceived ? moved : `-${moved}`;
      const bookingDate = new Date(dayOf(day));
      const bank = await makeBankTransaction(who, { amount: signed, amountOpen: signed, bookingDate });
      const part = { type, id, ...(body.data?.currency === 'CHF' && { exchangeAmount: moved }) };
      await who.graphqlAnswer(
        'mutation ($id: UUID!, $matches: [MatchInput!]!) { matchBankTransaction(id: $id, matches: $matches) { id } }',
        { id: bank, matches: [part] },
      );
    },
    settle: async ({ which, amount, day }) => {
      const path = `/invoices/${pick('invoices', which)}`;
      const due = Math.round(((await rest('GET', path)).body.data?.amount_due ?? 0) * 100);
      const rate = await paidAt(path, amount);
      await rest('POST', `${path}/payments`, { ...adjust(due, amount, true), ...rate, paid_on: dayOf(day) });
    },
    'settle receipt': async ({ which, amount, day }) => {
      const path = `/receipts/${pick('receipts', which)}`;
      const { amount_payable = 0, amount_paid = 0, amount_adjusted = 0 } = (await rest('GET', path)).body.data ?? {};
      const due = Math.round((amount_payable - amount_paid - amount_adjusted) * 100);
      const rate = await paidAt(path, amount);
      await rest('POST', `${path}/payments`, { ...adjust(due, amount, false), ...rate, paid_on: dayOf(day) });
    },
    undo: async ({ which, amount }) => {
      const kind = amount % 3 === 0 ? '&kind=overpayment' : '';
      const { data } = (await rest('GET', `/payments?reversed=false${kind}`)).body;
      if (data.length > 0) await rest('POST', `/payments/${data[which % data.length].id}/reverse`);
    },
    reverse: ({ which }) => rest('POST', `/receipts/${pick('receipts', which)}/reverse`),
    // It is moved to and fro: until a day in the first third, or to before the books.
    lock: ({ which, day }) =>
      rest('PUT', '/period-locks', {
        series: ['sales', 'purchases', 'bank', 'all'][which % 4],
        locked_until: which % 3 === 0 ? '2025-12-31' : dayOf(Math.floor((day / days) * lastLocked)),
        kind: 'soft',
        reason: 'To and fro',
      }),
  };
  for (let at = 0; at < steps.length; at += 1) {
    const step = steps[at]!;
    const next = step.isPair ? steps[at + 1] : undefined;
    await Promise.all([take[step.kind](step), next && take[next.kind]({ ...next, which: step.which })]);
    if (next) at += 1;
  }
}
