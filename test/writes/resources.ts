import fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer, Integrator } from '../harness.ts';
import {
  makeBankAccount,
  makeCompany,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import { fits, invoiceTotals, minorDigits, plain, receiptAmounts, type Decimal } from '../money/oracle.ts';

// A model of how each updatable resource handles a change: the rules of DECISIONS.md#d71-locked-rows,
// as pure functions. Whatever is sent at once must come out as if it had been sent in some order.

export type State = Record<string, unknown>;

/** One request that changes a resource, or something that the rules of the resource look at. */
export interface Change {
  /** In words, for whoever reads of a failure. */
  told: string;
  send(who: Integrator, ids: Ids): Promise<Answer>;
  /** The state that follows; undefined where the change is refused. */
  apply(state: State): State | undefined;
}

type Ids = Record<string, string>;

export interface Resource {
  /** The mutation, and the path of the REST route, that update it. */
  mutation: string;
  path?: string;
  make(who: Integrator): Promise<Ids>;
  change: fc.Arbitrary<Change>;
  read(who: Integrator, ids: Ids): Promise<State>;
}

/** A decimal as the API writes it, for the arithmetic of the oracle. */
function decimal(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

const enumFields = new Set(['type', 'status', 'requiredEInvoice', 'issueDateOrder']);
/** Formats of e-invoices have hyphens in REST; no other value that is generated here has two words. */
const restEnumValue = (value: string): string => value.toLowerCase().replaceAll('_', '-');

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The same input as REST takes it: other names, and enum values in lower case. */
const inRest = (input: State): State =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      snake(name),
      typeof value === 'string' && enumFields.has(name) ? restEnumValue(value) : value,
    ]),
  );

/** Keys are set and removed one by one. */
function withMergedMetadata(state: State, input: State): State {
  const { metadata } = input;
  if (metadata === undefined) return input;
  const merged = metadata === null ? {} : { ...(state['metadata'] as object), ...(metadata as object) };
  const left = Object.entries(merged).filter(([, value]) => value !== null);
  return { ...input, metadata: Object.fromEntries(left) };
}

interface Doors {
  resource: string;
  /** Where REST changes it, if it does. */
  path?: string;
  /** False where a tenant has only one. */
  hasId?: boolean;
}

/** An update that names some of these fields, through one of the APIs. */
function updates(
  { resource, path, hasId = true }: Doors,
  values: Record<string, fc.Arbitrary<unknown>>,
  apply: (state: State, input: State) => State | undefined,
): fc.Arbitrary<Change> {
  const [variable, argument] = hasId ? ['$id: UUID!, ', 'id: $id, '] : ['', ''];
  const mutation = `mutation (${variable}$input: Update${resource}Input!) { update${resource}(${argument}input: $input) { id } }`;
  const input = fc
    .shuffledSubarray(Object.keys(values), { minLength: 1, maxLength: Math.min(3, Object.keys(values).length) })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, values[name] ?? fc.constant(null)]))));
  return fc.tuple(input, fc.boolean()).map(([fields, isRest]) => ({
    told: `${isRest && path ? 'PATCH' : 'update'} ${JSON.stringify(fields)}`,
    send: (who, { id = '' }) =>
      isRest && path
        ? who.rest('PATCH', `${path}/${id}`, inRest(fields))
        : who.graphqlAnswer(mutation, { ...(hasId && { id }), input: fields }),
    apply: (state) => apply(state, withMergedMetadata(state, fields)),
  }));
}

/** Some other mutation of a row by its id. */
const transition = (
  name: string,
  apply: Change['apply'],
  document = `mutation ($id: UUID!) { ${name}(id: $id) { id } }`,
): fc.Arbitrary<Change> =>
  fc.constant({ told: name, send: (who, { id }) => who.graphqlAnswer(document, { id }), apply });

const often = (usual: fc.Arbitrary<Change>, ...others: fc.Arbitrary<Change>[]): fc.Arbitrary<Change> =>
  fc.oneof({ arbitrary: usual, weight: 4 }, ...others.map((arbitrary) => ({ arbitrary, weight: 1 })));

const day = fc.constantFrom('2026-01-10', '2026-01-20', '2026-01-30');
const optionalDay = fc.option(day, { nil: null });
const word = fc.constantFrom('a', 'b', 'c');
const optionalWord = fc.option(word, { nil: null });
const currency = fc.constantFrom('EUR', 'JPY');
/** Fields of every resource that clients write. */
const own = {
  externalId: fc.option(fc.uuid(), { nil: null }), // another for each row
  metadata: fc.constantFrom<unknown[]>({ a: '1' }, { a: '2', b: '1' }, { a: null }, { b: null, c: '1' }, {}, null),
};
const ownFields = 'externalId metadata';
const list = (state: State, name: string): unknown[] => state[name] as unknown[];

const exchange = {
  currency: fc.constantFrom('EUR', 'JPY', 'USD'),
  exchangeRate: fc.constantFrom('0.5', '2', null),
  exchangeRateDate: optionalDay,
  exchangeRateSource: optionalWord,
};

/** Whether an update leaves a rate with its day, of the document's own currency, which isn't that at home. */
function keepsExchange(state: State, input: State): boolean {
  const { exchangeRate, exchangeRateDate, exchangeRateSource, currency: after } = { ...state, ...input };
  if (exchangeRate === null) return exchangeRateDate === null && exchangeRateSource === null;
  const isOfBefore = input['exchangeRate'] === undefined && after !== state['currency'];
  return exchangeRateDate !== null && after !== 'EUR' && !isOfBefore;
}

const project: Resource = {
  mutation: 'updateProject',
  path: '/projects',
  make: async (who) => ({ id: await makeProject(who, { startDate: '2026-01-20', hourlyRateNet: '100' }) }),
  change: often(
    updates(
      { resource: 'Project', path: '/projects' },
      {
        name: word,
        description: optionalWord,
        status: fc.constantFrom('ACTIVE', 'COMPLETED', 'ARCHIVED'),
        hourlyRateNet: fc.constantFrom('100', '15000'),
        budgetHours: fc.constantFrom('10', '20.5'),
        currency,
        startDate: optionalDay,
        endDate: optionalDay,
        ...own,
      },
      (state, input) => {
        const next = { ...state, ...input };
        if (next.startDate && next.endDate && String(next.endDate) < String(next.startDate)) return undefined;
        return next.currency !== state['currency'] && list(state, 'rates').length > 0 ? undefined : next;
      },
    ),
    fc.constant({
      told: 'time tracked',
      send: (who, { id }) =>
        who.rest('POST', '/time-entries', { project_id: id, date: '2026-01-20', duration_minutes: 60 }),
      // Priced as the project is, in its currency.
      apply: (state) => ({ ...state, rates: [...list(state, 'rates'), state['hourlyRateNet']].toSorted() }),
    }),
  ),
  read: async (who, { id }) => {
    const { project: found } = await who.graphql(
      `query ($id: UUID!) { project(id: $id) {
        name description status hourlyRateNet budgetHours currency startDate endDate ${ownFields}
        timeEntries { nodes { hourlyRateNet } } } }`,
      { id },
    );
    const { timeEntries, ...rest } = found;
    const rates = timeEntries.nodes.map(({ hourlyRateNet }: { hourlyRateNet: string }) => hourlyRateNet);
    return { ...rest, rates: rates.toSorted() };
  },
};

const bankAccount: Resource = {
  mutation: 'updateBankAccount',
  path: '/bank-accounts',
  make: async (who) => ({ id: await makeBankAccount(who) }),
  change: updates(
    { resource: 'BankAccount', path: '/bank-accounts' },
    { name: optionalWord, ...own },
    (state, input) => ({ ...state, ...input }),
  ),
  read: async (who, { id }) =>
    (await who.graphql(`query ($id: UUID!) { bankAccount(id: $id) { name ${ownFields} } }`, { id })).bankAccount,
};

const namesSupplier = (told: string, send: Change['send']): fc.Arbitrary<Change> =>
  fc.constant({
    told,
    send,
    apply: (state) =>
      state['type'] === 'SUPPLIER' ? { ...state, receipts: [...list(state, 'receipts'), told].toSorted() } : undefined,
  });

const customer: Resource = {
  mutation: 'updateCustomer',
  path: '/customers',
  make: async (who) => ({
    id: await makeCustomer(who, { type: 'SUPPLIER' }),
    receipt: await makeReceipt(who, { description: 'a receipt changed' }),
  }),
  change: often(
    updates(
      { resource: 'Customer', path: '/customers' },
      {
        type: fc.constantFrom('SUPPLIER', 'CUSTOMER', 'CUSTOMER'),
        companyName: word,
        email: fc.constantFrom('a@example.com', 'b@example.com', null),
        addressLine1: optionalWord,
        postalCode: optionalWord,
        city: optionalWord,
        country: fc.constantFrom('DE', 'FR', null),
        vatId: optionalWord,
        contactName: optionalWord,
        phone: optionalWord,
        buyerReference: optionalWord,
        electronicAddress: optionalWord,
        electronicAddressScheme: fc.constantFrom('EM', '0204', null),
        language: fc.constantFrom('de', 'en', null),
        paymentTermsDays: fc.constantFrom(7, 30, null),
        requiredEInvoice: fc.constantFrom('NONE', 'PEPPOL', null),
        ...own,
      },
      (state, input) => {
        const next = { ...state, ...input };
        if ((next.electronicAddress === null) !== (next.electronicAddressScheme === null)) return undefined;
        return next.type === 'CUSTOMER' && state['type'] === 'SUPPLIER' && list(state, 'receipts').length > 0
          ? undefined
          : next;
      },
    ),
    namesSupplier('a receipt added', (who, { id }) =>
      who.rest('POST', '/receipts', {
        supplier_id: id,
        receipt_date: '2026-01-20',
        amount_gross: 1,
        description: 'a receipt added',
      }),
    ),
    fc.constant({
      told: 'a receipt changed',
      send: (who, { id, receipt }) =>
        who.graphqlAnswer(
          'mutation ($id: UUID!, $input: UpdateReceiptInput!) { updateReceipt(id: $id, input: $input) { id } }',
          { id: receipt, input: { supplierId: id } },
        ),
      apply: (state) => {
        if (state['type'] !== 'SUPPLIER') return undefined;
        const others = list(state, 'receipts').filter((each) => each !== 'a receipt changed');
        return { ...state, receipts: [...others, 'a receipt changed'].toSorted() };
      },
    }),
  ),
  read: async (who, { id }) => {
    const asked = `type companyName email addressLine1 postalCode city country vatId contactName phone buyerReference
      electronicAddress electronicAddressScheme language paymentTermsDays requiredEInvoice ${ownFields}`;
    const { customer: found, receipts } = await who.graphql(
      `query ($id: UUID!) { customer(id: $id) { ${asked} } receipts(filter: { supplierId: { eq: $id } }) { nodes { description } } }`,
      { id },
    );
    const told = receipts.nodes.map(({ description }: { description: string }) => description);
    return { ...found, receipts: told.toSorted() };
  },
};

interface ReceiptLine {
  amountGross: string;
  vatRate: string;
}

/** A receipt's lines and amounts; undefined where an amount has too many decimals. */
function computeReceipt(lines: ReceiptLine[], inCurrency: string): State | undefined {
  const digits = minorDigits[inCurrency] ?? 0;
  if (lines.some(({ amountGross }) => decimal(amountGross).scale > digits)) return undefined;
  const whole = lines.map((each) => {
    const { vat, net } = receiptAmounts(decimal(each.amountGross), decimal(each.vatRate), inCurrency);
    return { ...each, vat, net };
  });
  const sum = (amounts: Decimal[]) => ({ units: amounts.reduce((all, { units }) => all + units, 0n), scale: digits });
  const [net, vat] = [sum(whole.map((each) => each.net)), sum(whole.map((each) => each.vat))];
  const isOne = lines.length === 1;
  return {
    lines: whole.map((each) => ({
      amountGross: each.amountGross,
      vatRate: each.vatRate,
      vatAmount: plain(each.vat),
      amountNet: plain(each.net),
    })),
    amountGross: plain(sum([net, vat])),
    amountNet: plain(net),
    vatRate: isOne ? lines[0]?.vatRate : null,
    vatAmount: isOne ? plain(vat) : null,
  };
}

/** Changes a receipt's lines by an update: to the given ones; or the only one, by the receipt's own fields. */
function changeReceipt(state: State, input: State): State | undefined {
  const before = list(state, 'lines') as unknown as ReceiptLine[];
  const { amountGross, vatRate } = input;
  const inCurrency = String(input['currency'] ?? state['currency']);
  if (input['lines']) {
    const after = computeReceipt(input['lines'] as ReceiptLine[], inCurrency);
    const isSame = (name: string): boolean => input[name] === undefined || input[name] === after?.[name];
    return isSame('amountGross') && isSame('vatRate') ? after : undefined;
  }
  const [one] = before;
  if (before.length > 1 || !one) {
    if (vatRate !== undefined || (amountGross !== undefined && amountGross !== state['amountGross'])) return undefined;
    const isStored = inCurrency === state['currency'];
    const amounts = before.flatMap((each) => Object.values(each) as string[]);
    const fitsCurrency = amounts.every((amount) => decimal(amount).scale <= (minorDigits[inCurrency] ?? 0));
    return isStored || fitsCurrency ? state : undefined;
  }
  const changed = { amountGross: String(amountGross ?? one.amountGross), vatRate: String(vatRate ?? one.vatRate) };
  return computeReceipt([changed], inCurrency);
}

const receiptLine = fc.record({
  amountGross: fc.constantFrom('119', '107', '10.5'),
  vatRate: fc.constantFrom('0', '7', '19'),
});

function applyToReceipt(state: State, input: State): State | undefined {
  const isOfBooks = Object.keys(input).some((name) => name !== 'metadata' && name !== 'externalId');
  if (state['status'] !== 'DRAFT' && isOfBooks) return undefined;
  if (!keepsExchange(state, input)) return undefined;
  const amounts = changeReceipt(state, input);
  if (!amounts) return undefined;
  const { lines, amountGross, amountNet, vatRate, vatAmount } = amounts;
  const next: State = { ...state, ...input, lines, amountGross, amountNet, vatRate, vatAmount };
  return Number(next['amountPrepaid']) > Number(amountGross) ? undefined : next;
}

const receipt: Resource = {
  mutation: 'updateReceipt',
  make: async (who) => ({ id: await makeReceipt(who, { amountGross: '119', vatRate: '19' }) }),
  change: often(
    updates(
      { resource: 'Receipt' },
      {
        receiptDate: day,
        dueDate: optionalDay,
        serviceDate: optionalDay,
        receivedOn: optionalDay,
        description: optionalWord,
        category: optionalWord,
        receiptNumber: optionalWord,
        amountGross: fc.constantFrom('119', '107', '10.5', '10.25'),
        vatRate: fc.constantFrom('0', '7', '19'),
        lines: fc.array(receiptLine, { minLength: 1, maxLength: 3 }),
        amountPrepaid: fc.constantFrom('0', '10', '50'),
        currency,
        ...own,
      },
      applyToReceipt,
    ),
    updates({ resource: 'Receipt' }, exchange, applyToReceipt),
    transition('bookReceipt', (state) => (state['status'] === 'DRAFT' ? { ...state, status: 'BOOKED' } : undefined)),
    transition('payReceipt', (state) =>
      state['status'] !== 'BOOKED'
        ? undefined
        : {
            ...state,
            status: 'PAID',
            amountPaid: String(Number((Number(state['amountGross']) - Number(state['amountPrepaid'])).toFixed(3))),
          },
    ),
  ),
  read: async (who, { id }) => {
    const asked = `receiptDate dueDate serviceDate receivedOn description category receiptNumber amountGross vatRate currency exchangeRate exchangeRateDate exchangeRateSource vatAmount
      amountNet amountPrepaid amountPaid status lines { amountGross vatRate vatAmount amountNet } ${ownFields}`;
    return (await who.graphql(`query ($id: UUID!) { receipt(id: $id) { ${asked} } }`, { id })).receipt;
  },
};

const line = (unitPriceNet: string) => ({ title: 'Advice', quantity: '1.5', unit: 'h', unitPriceNet, vatRate: '19' });

interface Item {
  quantity: string;
  unitPriceNet: string;
  vatRate: string;
}

/** The totals of an invoice's lines; undefined where a total isn't allowed. */
function computeTotals(items: Item[], inCurrency: string): State | undefined {
  const lines = items.map(({ quantity, unitPriceNet, vatRate }) => ({
    quantity: decimal(quantity),
    price: decimal(unitPriceNet),
    rate: decimal(vatRate),
  }));
  const { net, vat, gross } = invoiceTotals(lines, inCurrency);
  if (![net, vat, gross].every(fits) || gross.units < 0n) return undefined;
  return { totalNet: plain(net), totalVat: plain(vat), totalGross: plain(gross) };
}

function applyToInvoice(state: State, input: State): State | undefined {
  if (state['status'] !== 'DRAFT' || !keepsExchange(state, input)) return undefined;
  const next = { ...state, ...input } as State & { items: Item[]; currency: string };
  if (String(next['dueDate']) < String(next['invoiceDate'])) return undefined;
  const totals = computeTotals(next.items, next.currency);
  return totals && { ...next, ...totals };
}

const invoice: Resource = {
  mutation: 'updateInvoice',
  make: async (who) => {
    await makeCompany(who, { issueDateOrder: 'WARN' }); // the same tenant issues invoices with other dates
    return { id: await makeInvoice(who, { invoiceDate: '2026-01-10', dueDate: '2026-01-20', items: [line('100')] }) };
  },
  change: often(
    updates(
      { resource: 'Invoice' },
      {
        invoiceDate: day,
        dueDate: day,
        deliveryDate: optionalDay,
        subject: optionalWord,
        currency,
        items: fc.array(fc.constantFrom('0.33', '100', '99.99').map(line), { minLength: 1, maxLength: 3 }),
        ...own,
      },
      applyToInvoice,
    ),
    updates({ resource: 'Invoice' }, exchange, applyToInvoice),
    transition('issueInvoice', (state) => {
      // A total of zero is paid the moment it is issued.
      const status = state['totalGross'] === '0' ? 'PAID' : 'ISSUED';
      return state['status'] === 'DRAFT' ? { ...state, status } : undefined;
    }),
  ),
  read: async (who, { id }) => {
    const asked = `invoiceDate dueDate deliveryDate subject currency exchangeRate exchangeRateDate exchangeRateSource status totalNet totalVat totalGross ${ownFields} items { title quantity unit unitPriceNet vatRate }`;
    return (await who.graphql(`query ($id: UUID!) { invoice(id: $id) { ${asked} } }`, { id })).invoice;
  },
};

const timeEntry: Resource = {
  mutation: 'updateTimeEntry',
  make: async (who) => {
    const projectId = await makeProject(who, { customerId: await makeCustomer(who) });
    return { id: await makeTimeEntry(who, { projectId, hourlyRateNet: '100' }), projectId };
  },
  change: often(
    updates(
      { resource: 'TimeEntry' },
      {
        date: day,
        durationMinutes: fc.constantFrom(30, 90),
        billable: fc.boolean(),
        description: optionalWord,
        hourlyRateNet: fc.constantFrom('50', '60'),
        ...own,
      },
      (state, input) => (state['billed'] ? undefined : { ...state, ...input }),
    ),
    fc.constant({
      told: 'billed',
      send: (who, { projectId }) =>
        who.graphqlAnswer('mutation ($id: UUID!) { billProject(projectId: $id, vatRate: "19") { id } }', {
          id: projectId,
        }),
      apply: (state) => {
        if (state['billed'] || !state['billable']) return undefined;
        const hours = { 30: '0.5', 60: '1', 90: '1.5' }[state['durationMinutes'] as number];
        return { ...state, billed: true, lines: [{ quantity: hours, unitPriceNet: state['hourlyRateNet'] }] };
      },
    }),
  ),
  read: async (who, { id }) => {
    const asked = `date durationMinutes billable description hourlyRateNet billed ${ownFields} invoice { items { quantity unitPriceNet } }`;
    const { timeEntry: found } = await who.graphql(`query ($id: UUID!) { timeEntry(id: $id) { ${asked} } }`, { id });
    const { invoice: billing, ...rest } = found;
    return { ...rest, lines: billing?.items ?? [] };
  },
};

const webhook: Resource = {
  mutation: 'updateWebhook',
  path: '/webhooks',
  make: async (who) => {
    const url = 'https://example.com/a';
    await who.db.webhook.updateMany({ data: { slot: null, deletedAt: new Date() } }); // a tenant has ten at most
    const made = await who.graphql(
      'mutation ($url: String!) { createWebhook(input: { url: $url }) { webhook { id } } }',
      {
        url,
      },
    );
    return { id: made.createWebhook.webhook.id };
  },
  change: often(
    updates(
      { resource: 'Webhook' },
      {
        url: fc.constantFrom('https://example.com/a', 'https://example.com/b'),
        description: optionalWord,
        events: fc.constantFrom(['*'], ['invoice.paid'], ['invoice.paid', 'customer.created']),
        active: fc.boolean(),
      },
      (state, input) => (state['isThere'] ? { ...state, ...input } : undefined),
    ),
    transition('enableWebhook', (state) => (state['isThere'] ? { ...state, active: true } : undefined)),
    transition('deleteWebhook', (state) =>
      state['isThere'] ? { ...state, active: false, isThere: false } : undefined,
    ),
  ),
  read: async (who, { id }) => {
    const row = await who.db.webhook.findFirst({ where: { id } });
    if (!row) throw new Error('A webhook stays in its table');
    const { url, description, events, active, deletedAt } = row;
    return { url, description, events, active, isThere: deletedAt === null };
  },
};

const payment: Resource = {
  mutation: 'updatePayment',
  path: '/payments',
  make: async (who) => ({ id: await makePayment(who, await makeInvoice(who, { status: 'ISSUED' })) }),
  change: often(
    updates({ resource: 'Payment', path: '/payments' }, own, (state, input) => ({ ...state, ...input })),
    transition('reversePayment', (state) => (state['isReversed'] ? undefined : { ...state, isReversed: true })),
  ),
  read: async (who, { id }) => {
    const { payment: found } = await who.graphql(
      `query ($id: UUID!) { payment(id: $id) { amount paidOn ${ownFields} reversal { amount ${ownFields} } } }`,
      { id },
    );
    const { reversal, ...rest } = found;
    // A reversal has data of clients of its own.
    if (reversal) expect(reversal).toEqual({ amount: '-119', externalId: null, metadata: {} });
    return { ...rest, isReversed: reversal !== null };
  },
};

const blank = { legalName: 'a', issueDateOrder: 'WARN', city: null, iban: null, defaultVatRate: null };
const companyFields = `legalName addressLine1 addressLine2 postalCode city country vatId taxNumber registerEntry registrationNumber
  registrationNumberScheme electronicAddress electronicAddressScheme contactName phone email iban bic paymentTermsDays defaultVatRate footer language accentColor
  requiredEInvoice issueDateOrder`;

const company: Resource = {
  mutation: 'updateCompany',
  make: async (who) => {
    const words = companyFields.split(/\s+/);
    const nothing = Object.fromEntries(words.map((name) => [name, null]));
    return { id: await makeCompany(who, { ...nothing, ...blank }) };
  },
  change: updates(
    { resource: 'Company', hasId: false },
    {
      legalName: word,
      addressLine1: optionalWord,
      addressLine2: optionalWord,
      postalCode: optionalWord,
      city: optionalWord,
      country: fc.constantFrom('DE', 'FR', null),
      vatId: fc.constantFrom('DE123456789', null),
      taxNumber: optionalWord,
      registerEntry: optionalWord,
      registrationNumber: optionalWord,
      registrationNumberScheme: fc.constantFrom('0106', null),
      electronicAddress: optionalWord,
      electronicAddressScheme: fc.constantFrom('0088', null),
      contactName: optionalWord,
      phone: optionalWord,
      email: fc.constantFrom('a@example.com', null),
      iban: fc.constantFrom('DE02120300000000202051', null),
      bic: fc.constantFrom('BYLADEM1001', null),
      paymentTermsDays: fc.constantFrom(7, 30, null),
      defaultVatRate: fc.constantFrom('7', '19', null),
      footer: optionalWord,
      language: fc.constantFrom('de', 'en', null),
      accentColor: fc.constantFrom('#000000', null),
      issueDateOrder: fc.constantFrom('WARN', 'REFUSE'),
      requiredEInvoice: fc.constantFrom('NONE', null), // no format: the same tenant issues invoices
    },
    (state, input) => {
      const next = { ...state, ...input };
      const isPair = (field: string): boolean => (next[field] === null) === (next[`${field}Scheme`] === null);
      return isPair('registrationNumber') && isPair('electronicAddress') ? next : undefined;
    },
  ),
  read: async (who) => (await who.graphql(`{ company { ${companyFields} } }`)).company,
};

/** Every resource that an update changes. */
export const resources: Resource[] = [
  bankAccount,
  company,
  project,
  customer,
  receipt,
  invoice,
  timeEntry,
  payment,
  webhook,
];
