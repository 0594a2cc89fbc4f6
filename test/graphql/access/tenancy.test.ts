import { makeAttachment } from '../../attachments/files.ts';
import { makeSampleAnchor } from '../../anchors/sample.ts';
import { randomUUID } from 'node:crypto';
import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getChecks } from '../../../schema/graphql/plugins/authorization-and-validation.ts';
import { resources } from '../../../schema/resource-list.ts';
import { hasUnproven, proveNext } from '../../../schema/resources/document/proofs.ts';
import { toSchema } from '../../../schema/index.ts';
import { createInvitation, createToken, createUser, startSession } from '../../../src/identity/index.ts';
import { isSecondRun, startService, type Answer, type Integrator, type Service } from '../../harness.ts';
import {
  digestBooks,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makeBankStatement,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../books.ts';
import { samples } from '../../resources.ts';
import { makeTestTenant } from '../../test-tenants/make.ts';
import {
  argumentsFor,
  buildSelection,
  documentFor,
  inputAt,
  leadsTo,
  listPlaces,
  pathsTo,
  type Place,
} from '../questions.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;

const schema = toSchema();
const places = listPlaces(schema);

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  globex = await service.integrator();
});
afterAll(() => service.close());

const someEmail = (): string => `${randomUUID()}@example.com`;
const newSession = ({ userId }: Integrator) =>
  startSession(service.client, { userId, userAgent: null, now: new Date() });

/** Sends a query that requires a session, in one. */
async function sendInSession(who: Integrator, query: string, variables: object): Promise<Answer> {
  const { token } = await newSession(who);
  return service.request('POST', '/graphql', { body: { query, variables }, headers: { cookie: `kontor=${token}` } });
}

/** Creates a row of each kind that has an id. */
const make: Record<string, (who: Integrator) => Promise<string>> = {
  ...Object.fromEntries(resources.map(({ model }) => [model, (who) => samples[model].make(who)])),
  Supplier: (who) => makeCustomer(who, { type: 'SUPPLIER' }),
  'booked receipt': (who) => makeReceipt(who, { status: 'BOOKED' }),
  'issued invoice': (who) => makeInvoice(who, { status: 'ISSUED' }),
  'proven invoice': async (who) => {
    const id = await makeInvoice(who, { status: 'ISSUED' });
    const context = await service.contextOf(who);
    while (await hasUnproven(context)) await proveNext(context);
    return id;
  },
  'proven credit note': async (who) => {
    const id = await makeCreditNote(who);
    const context = await service.contextOf(who);
    while (await hasUnproven(context)) await proveNext(context);
    return id;
  },
  'matched transaction': (who) => makeBankTransaction(who, { matchStatus: 'MATCHED', amountOpen: 0 }),
  InvoiceItem: async (who) => {
    const { invoice } = await who.graphql(`{ invoice(id: "${await makeInvoice(who)}") { items { id } } }`);
    return invoice.items[0].id;
  },
  Payment: async (who) => makePayment(who, await makeInvoice(who, { status: 'ISSUED' })),
  Webhook: async (who) => (await makeDelivery(who)).webhookId,
  Event: async (who) => (await makeDelivery(who)).eventId,
  Delivery: async (who) => (await makeDelivery(who)).id,
  AuditEntry: async (who) => {
    await makeCustomer(who);
    return (await who.db.auditEntry.findFirstOrThrow({ orderBy: { id: 'desc' } })).id;
  },
  'acting token': async (who) => {
    await who.rest('POST', '/customers', { type: 'customer', company_name: 'Acme' });
    return who.tokenId;
  },
  Attachment: async (who) => makeAttachment(who, await makeReceipt(who)),
  BulkOperation: (who) => samples.BulkOperation.make(who),
  Export: (who) => samples.Export.make(who),
  Anchor: makeSampleAnchor,
  BankStatement: (who) => makeBankStatement(who),
  BankBalance: (who) => samples.BankAccount.make(who),
  User: async ({ tenantId }) => (await createUser(service.client, { email: someEmail(), tenantId })).id,
  ApiToken: async ({ tenantId, userId }) => {
    const { email } = await service.client.user.findUniqueOrThrow({ where: { id: userId } });
    return (await createToken(service.client, { tenantId, userEmail: email })).id;
  },
  Invitation: async ({ tenantId, userId: inviterId }) => {
    const input = { tenantId, email: someEmail(), inviterId, now: new Date() };
    return (await createInvitation(service.client, input)).invitation.id;
  },
  TestTenant: (who) => makeTestTenant(service, who),
  Session: async (who) => (await newSession(who)).session.id,
};

/** The kinds of ids with other names. */
const namedOtherwise: Record<string, string> = {
  'auditLog.actor': 'acting token',
  'auditLog.resourceId': 'Customer',
  'confirmExactMatches.matches.id': 'issued invoice',
  'confirmExactMatches.matches.transactionId': 'BankTransaction',
  'createCreditNote.input.invoiceId': 'issued invoice',
  'createReceipt.input.creditedReceiptId': 'booked receipt',
  'createExport.input.ids': 'Invoice',
  'creditNotePdf.id': 'CreditNote',
  'creditNoteXml.id': 'CreditNote',
  'creditNoteProof.id': 'proven credit note',
  'events.resourceId': 'Customer',
  'matchBankTransaction.matches.id': 'issued invoice',
  'invoicePdf.id': 'Invoice',
  'customerCredit.id': 'Customer',
  'refundCredit.id': 'Customer',
  'invoicePreflight.id': 'Invoice',
  'invoiceProof.id': 'proven invoice',
  'invoiceXml.id': 'issued invoice',
  'pingWebhook.id': 'Webhook',
  'rotateWebhookSecret.id': 'Webhook',
  'simulateWebhookFailures.id': 'Webhook',
  'unmatchBankTransaction.id': 'matched transaction',
  'unmatchBankTransaction.matched': 'issued invoice',
};

/** The text that argumentsFor() gives. */
const sampleText = 'https://example.com/hook';

/** Creates a row that a query finds by an own id. */
const narrowedBy: Record<string, (id: string) => Promise<string>> = {
  'receiptNumberWarnings.supplierId': (supplierId) => makeReceipt(acme, { supplierId, receiptNumber: sampleText }),
};

/** Ids that must belong to the row of another id: an own one of another row is answered like an unknown one. */
const belonging = new Set([
  'createExport.input.ids', // the file leaves out unknown rows: test/exports/lists.test.ts
  'attachment.receiptId',
  'attachment.id',
  'addAttachment.receiptId', // a file comes only in a form: test/attachments/hostile.test.ts
  'deleteAttachment.receiptId',
  'deleteAttachment.id',
  'unmatchBankTransaction.matched',
  'confirmExactMatches.matches.id', // and an unknown transaction is left out
  'confirmExactMatches.matches.transactionId',
  'receiptNumberWarnings.receiptId',
  'createCreditNote.input.items.invoiceItemId',
  'simulateBankTransaction.input.invoiceId', // test tenants only: test/test-tenants/simulated-payments.test.ts
  'creditNotePreview.input.items.invoiceItemId',
]);

/** The kind of row of the id at this path: a customer for `customerId`, the field's type for `id`. */
function kindOf({ field }: Place, path: string[]): string {
  const name = path.at(-1)!;
  const plain = name === 'id' ? getNamedType(field.type).name : name.charAt(0).toUpperCase() + name.slice(1, -2);
  const kind = namedOtherwise[[field.name, ...path].join('.')] ?? plain;
  if (!(kind in make)) throw new Error(`${field.name}, ${path.join('.')}: tell this test how to make a ${kind}`);
  return kind;
}

/** An id of no row, similar to this one. */
const unknownLike = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

const allIdPlaces = places
  .filter(({ parent }) => parent.name !== 'Subscription')
  .flatMap((place) =>
    pathsTo('UUID', place.field.args).map((path) => ({ place, path, title: `${place.field.name}(${path.join('.')})` })),
  );
const isInFilter = ({ path }: { path: string[] }): boolean => path[0] === 'filter';
const idPlaces = allIdPlaces.filter((each) => !isInFilter(each));
/** Every comparison of a list's own columns; of related rows' columns, which are compared in the same way, one. */
const isTried = ({ path }: { path: string[] }): boolean => path.length <= 3 || path.at(-1) === 'eq';
const triedPlaces = allIdPlaces.filter((each) => isInFilter(each) && isTried(each));
const filterPlaces = [...Map.groupBy(triedPlaces, ({ place }) => place)].map(([place, of]) => ({
  place,
  paths: of.map(({ path }) => path),
  title: `${place.parent.name}.${place.field.name}(filter), ${of.length} ids`,
}));

/** Lists within another resource: the resource that has a row in its list, or any where none has. */
const withinResource: Record<string, (id: string) => Promise<string>> = {
  'Customer.invoices': async (id) => (await acme.db.invoice.findFirstOrThrow({ where: { id } })).customerId,
  'Project.timeEntries': async (id) => (await acme.db.timeEntry.findFirstOrThrow({ where: { id } })).projectId,
  'Invoice.timeEntries': async (id) => {
    const { invoiceId } = await acme.db.timeEntry.findFirstOrThrow({ where: { id } });
    if (invoiceId) return invoiceId;
    const bills = await makeInvoice(acme);
    await acme.db.timeEntry.updateMany({ where: { id }, data: { invoiceId: bills } });
    return bills;
  },
  'BankAccount.statements': async (id) =>
    (await acme.db.bankStatement.findFirstOrThrow({ where: { id } })).bankAccountId,
  'Invoice.creditNotes': async (id) => (await acme.db.creditNote.findFirstOrThrow({ where: { id } })).invoiceId,
  'Invoice.payments': async (id) => (await findPayment(id)).invoiceId ?? makeInvoice(acme),
  'Receipt.payments': async (id) => (await findPayment(id)).receiptId ?? makeReceipt(acme),
  'CreditNote.refunds': async (id) => (await findPayment(id)).creditNoteId ?? makeCreditNote(acme),
};

const findPayment = (id: string) => acme.db.payment.findFirstOrThrow({ where: { id } });

// A subscription has no single answer: subscriptions.test.ts tests it with another tenant's ids.
const argumentsOf = (of: GraphQLSchema) =>
  listPlaces(of)
    .filter(({ parent }) => parent.name !== 'Subscription')
    .flatMap(({ field }) => pathsTo('UUID', field.args).map((path) => [field.name, ...path].join('.')));

describe('another tenant’s id is answered exactly like an unknown id', () => {
  it('for every id argument of the schema', async () => {
    const introspected: GraphQLSchema = buildClientSchema(await acme.graphql(getIntrospectionQuery()));
    expect(argumentsOf(introspected).toSorted()).toEqual(
      allIdPlaces.map(({ place, path }) => [place.field.name, ...path].join('.')).toSorted(),
    );
    expect(idPlaces.length).toBeGreaterThan(30);
    expect(filterPlaces.length).toBeGreaterThanOrEqual(8);
  });

  it.each(idPlaces)('$title', async ({ place, path }) => {
    const own = new Map<string, string>();
    for (const other of pathsTo('UUID', place.field.args)) {
      if (other.join('.') !== path.join('.') && pathIsRequired(place, other))
        own.set(other.join('.'), await make[kindOf(place, other)]!(acme));
    }
    const send = async (id: string): Promise<Answer> => {
      const args = argumentsFor(place.field.args, (at) => {
        if (at.at(-1) === '…') return leadsTo(at.slice(0, -1), path);
        if (at.join('.') === path.join('.')) return isList(place, path) ? [id] : id;
        return pathIsRequired(place, at) ? own.get(at.join('.')) : undefined;
      });
      const { inSession } = getChecks(place.field.extensions['pothosOptions']);
      if (inSession) return sendInSession(acme, documentFor(place, args), args);
      return acme.graphqlAnswer(documentFor(place, args), args);
    };
    const foreign = await make[kindOf(place, path)]!(globex);
    const before = await digestBooks(service, globex, acme);
    const [toForeign, toUnknown] = [await send(foreign), await send(unknownLike(foreign))];
    expect(toForeign.body).toEqual(toUnknown.body);
    expect(toForeign.status).toBe(toUnknown.status);
    expect(toForeign.text).not.toContain('INTERNAL_SERVER_ERROR');
    expect(await digestBooks(service, globex, acme)).toEqual(before);
    // The id makes the difference: an own one is answered differently.
    const mine = await make[kindOf(place, path)]!(acme);
    const name = [place.field.name, ...path].join('.');
    await narrowedBy[name]?.(mine);
    if (!belonging.has(name)) expect((await send(mine)).body).not.toEqual(toUnknown.body);
  });

  it.each(filterPlaces)('$title', async ({ place, paths }) => {
    const model = nameOf(inputAt(place.field.args, ['filter'])).replace(/Filter$/, '');
    const { parent, field } = place;
    const list = `${parent.name}.${field.name}`;
    const send = async (path: string[], id: string, owner: string): Promise<Answer> => {
      const args = argumentsFor(place.field.args, (at) => {
        if (at.at(-1) === '…') return leadsTo(at.slice(0, -1), path);
        return at.join('.') === path.join('.') ? (isList(place, path) ? [id] : id) : undefined;
      });
      if (place.operation) return acme.graphqlAnswer(documentFor(place, args), args);
      const { type } = inputAt(field.args, ['filter']);
      const root = parent.name.charAt(0).toLowerCase() + parent.name.slice(1);
      const document = `query ($id: UUID!, $filter: ${String(type)}) {
        parent: ${root}(id: $id) { ${field.name}(filter: $filter) ${buildSelection(field.type)} }
      }`;
      return acme.graphqlAnswer(document, { ...args, id: owner });
    };
    const makeInList = async (kind: string, relations: string[]) => {
      const { row, ...related } = await makeRelated(model, kind, relations);
      return { ...related, owner: (await withinResource[list]?.(row)) ?? '' };
    };
    const found = new Map<string, ReturnType<typeof makeInList>>();
    const idsOf = ({ kind, relations }: Target): ReturnType<typeof makeInList> => {
      const key = [...relations, kind].join();
      const made = found.get(key) ?? makeInList(kind, relations);
      found.set(key, made);
      return made;
    };
    const tried = isSecondRun() ? paths.slice(0, 3) : paths;
    const targets = tried.map((path) => ({ path, target: targetOf(model, path) }));
    for (const { target } of targets) await idsOf(target);
    const before = await digestBooks(service, globex, acme);
    for (const { path, target } of targets) {
      const { foreign, mine, owner } = await idsOf(target);
      const [toForeign, toUnknown] = [await send(path, foreign, owner), await send(path, unknownLike(foreign), owner)];
      expect({ path, body: toForeign.body }).toEqual({ path, body: toUnknown.body });
      expect(toForeign.status).toBe(toUnknown.status);
      expect({ path, body: toForeign.body }).not.toHaveProperty('body.errors');
      const compared = path.slice(1, -1).filter((name) => name !== 'and' && name !== 'or');
      const toMine = { path, body: (await send(path, mine, owner)).body };
      if (neverFound[list]?.test(compared.join('.'))) expect(toMine).toEqual({ path, body: toUnknown.body });
      else expect(toMine).not.toEqual({ path, body: toUnknown.body });
    }
    expect(await digestBooks(service, globex, acme)).toEqual(before);
  });
});

/** A list of the payments of one kind of resource has no others. */
const neverFound: Record<string, RegExp> = {
  'Invoice.payments': /^receipt|^creditNote/,
  'Receipt.payments': /^(?!receipt)/,
  'CreditNote.refunds': /^(?!creditNote)/,
};

const nameOf = ({ type }: { type: GraphQLInputType }): string => getNamedType(type).name;

/** The row whose id a path in a filter compares. */
interface Target {
  kind: string;
  /** From the list's rows to it. */
  relations: string[];
}

/** The models of relations that have another name. */
const relatedModels: Record<string, string> = { supplier: 'Customer' };

function targetOf(model: string, path: string[]): Target {
  const names = path.slice(1, -1).filter((name) => name !== 'and' && name !== 'or'); // without the operator
  const relations = names.map((name) => name.replace(/Id$/, '')).filter((name) => name !== 'id');
  // A row that another row reverses, credits, or was recorded with, is of the same kind.
  const follow = (kind: string, name: string): string =>
    ['reversalOf', 'creditedReceipt', 'recordedWith'].includes(name)
      ? kind
      : (relatedModels[name] ?? name.charAt(0).toUpperCase() + name.slice(1));
  return { kind: relations.reduce(follow, model), relations };
}

/** Creates a row that refers to the row of this id. */
const refer: Record<string, (id: string) => Promise<string>> = {
  'BankStatement.bankAccount': (bankAccountId) => makeBankStatement(acme, { bankAccountId }),
  'Invoice.customer': (customerId) => makeInvoice(acme, { customerId, status: 'ISSUED' }),
  'CreditNote.invoice': (invoiceId) => makeCreditNote(acme, { invoiceId }),
  'CreditNote.customer': async (customerId) =>
    makeCreditNote(acme, { invoiceId: await makeInvoice(acme, { customerId, status: 'ISSUED' }) }),
  'Payment.invoice': (invoiceId) => makePayment(acme, invoiceId),
  'Payment.creditNote': async (creditNoteId) =>
    (
      await acme.db.payment.create({
        data: { creditNoteId, amount: 1, currency: 'EUR', paidOn: new Date('2026-03-02') },
      })
    ).id,
  'Payment.receipt': async (receiptId) => {
    const data = { receiptId, amount: 1, currency: 'EUR', paidOn: new Date('2026-03-02') };
    return (await acme.db.payment.create({ data })).id;
  },
  'Payment.reversalOf': async (id) => {
    await acme.graphql(`mutation { reversePayment(id: "${id}", reason: "x") { id } }`);
    return (await acme.db.payment.findFirstOrThrow({ where: { reversalOfId: id } })).id;
  },
  'Payment.user': async (userId) => {
    const data = { amount: -1, currency: 'EUR', paidOn: new Date('2026-03-02'), userId };
    const id = await makePayment(acme, await makeInvoice(acme, { status: 'ISSUED' }));
    const { invoiceId } = await acme.db.payment.findUniqueOrThrow({
      where: { tenantId_id: { tenantId: acme.tenantId, id } },
    });
    return (await acme.db.payment.create({ data: { ...data, invoiceId, reversalOfId: id } })).id;
  },
  'Payment.customer': async (customerId) => {
    const invoiceId = await makeInvoice(acme, { customerId, status: 'ISSUED' });
    const paid = { amount: 1, currency: 'EUR', paidOn: new Date('2026-03-02') };
    const data = { kind: 'CREDIT', customerId, invoiceId, ...paid } as const;
    return (await acme.db.payment.create({ data })).id;
  },
  'Payment.recordedWith': async (id) => {
    const { invoiceId, amount, currency, paidOn } = await acme.db.payment.findFirstOrThrow({ where: { id } });
    const data = { kind: 'CASH_DISCOUNT', invoiceId, amount, currency, paidOn, recordedWithId: id } as const;
    return (await acme.db.payment.create({ data })).id;
  },
  'Payment.bankTransaction': async (bankTransactionId) => {
    const matches = `[{ type: INVOICE, id: "${await makeInvoice(acme, { status: 'ISSUED' })}" }]`;
    await acme.graphql(`mutation { matchBankTransaction(id: "${bankTransactionId}", matches: ${matches}) { id } }`);
    return (await acme.db.payment.findFirstOrThrow({ where: { bankTransactionId } })).id;
  },
  'Project.customer': (customerId) => makeProject(acme, { customerId }),
  'Receipt.reversalOf': async (id) => {
    await acme.graphql(`mutation { bookReceipt(id: "${id}") { id } reverseReceipt(id: "${id}", reason: "x") { id } }`);
    return (await acme.db.receipt.findFirstOrThrow({ where: { reversalOfId: id } })).id;
  },
  'Receipt.creditedReceipt': async (creditedReceiptId) => {
    const credited = await acme.db.receipt.findFirstOrThrow({ where: { id: creditedReceiptId } });
    if (credited.status === 'DRAFT') await acme.graphql(`mutation { bookReceipt(id: "${creditedReceiptId}") { id } }`);
    const { supplierId, currency } = credited;
    return makeReceipt(acme, { supplierId, currency, creditedReceiptId, amountGross: '-1' });
  },
  'Receipt.supplier': (supplierId) => makeReceipt(acme, { supplierId }),
  'Receipt.project': (projectId) => makeReceipt(acme, { projectId }),
  'TimeEntry.project': (projectId) => makeTimeEntry(acme, { projectId }),
  'TimeEntry.invoice': async (invoiceId) => {
    const id = await makeTimeEntry(acme);
    await acme.db.timeEntry.updateMany({ where: { id }, data: { invoiceId } });
    return id;
  },
  'TimeEntry.user': async (userId) => {
    const id = await makeTimeEntry(acme);
    await acme.db.timeEntry.updateMany({ where: { id }, data: { userId } });
    return id;
  },
};

/** Creates a row of either tenant; and of Acme, a row of `model` that leads to its own by these relations. */
async function makeRelated(model: string, kind: string, relations: string[]) {
  const referred = relations.at(-1) === 'supplier' ? 'Supplier' : kind === 'Invoice' ? 'issued invoice' : kind;
  const [foreign, mine] = [await make[referred]!(globex), await make[referred]!(acme)];
  const models = [model, ...relations.map((_, at) => targetOf(model, ['', ...relations.slice(0, at + 1), '']).kind)];
  let row = mine;
  for (const [at, relation] of [...relations.entries()].toReversed())
    row = await refer[`${models[at]}.${relation}`]!(row);
  return { foreign, mine, row };
}

const isList = ({ field }: Place, path: string[]): boolean =>
  String(inputAt(field.args, path).type).startsWith('[UUID');

/** Optional ids are omitted, so that they don't affect the tested one. */
const pathIsRequired = ({ field }: Place, path: string[]): boolean =>
  path.length > 1 || String(field.args.find(({ name }) => name === path[0])?.type).endsWith('!');

// Those of rows. The results of a bulk operation go forward only, and their cursors are places in a file: test/bulk/results.test.ts.
const cursorPlaces = places
  .filter(({ field }) => field.args.some(({ name }) => name === 'before') && !field.args.some(isRequiredArgument))
  .map((place) => ({ place, title: `${place.parent.name}.${place.field.name}` }));

describe('another tenant’s cursor is answered exactly like one of an unknown row', () => {
  it.each(cursorPlaces)('$title', async ({ place: { parent, field, operation } }) => {
    const nodeType = getNamedType(field.type).name.replace(/Connection$/, '');
    const list = listPlaces(schema).find(
      (each) => each.operation === 'query' && getNamedType(each.field.type).name === getNamedType(field.type).name,
    );
    await make[nodeType]!(acme);
    const foreignId = await make[nodeType]!(globex);
    await make[nodeType]!(acme);
    const theirs = await globex.graphql(`{ list: ${list!.field.name}(first: 1) { edges { cursor node { id } } } }`);
    const [edge] = theirs.list.edges;
    expect(edge.node.id).toBe(foreignId);
    const unknown = Buffer.from(unknownLike(foreignId)).toString('base64url');
    expect(Buffer.from(edge.cursor, 'base64url').toString()).toBe(foreignId);

    const rows =
      'nodes { id } edges { cursor } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
    const send = async (args: string): Promise<unknown> => {
      if (operation) return (await acme.graphqlAnswer(`{ ${field.name}(${args}) { ${rows} } }`)).body;
      const id = await parentOf(parent.name);
      const root = parent.name.charAt(0).toLowerCase() + parent.name.slice(1);
      return (await acme.graphqlAnswer(`{ ${root}(id: "${id}") { ${field.name}(${args}) { ${rows} } } }`)).body;
    };
    for (const way of ['after', 'before', 'last: 2, after', 'last: 2, before']) {
      const answer = await send(`${way}: "${edge.cursor}"`);
      expect(answer).toEqual(await send(`${way}: "${unknown}"`));
      expect(answer).not.toHaveProperty('errors');
    }
  });

  const parents = new Map<string, string>();
  async function parentOf(type: string): Promise<string> {
    const id = parents.get(type) ?? (await make[type]!(acme));
    parents.set(type, id);
    return id;
  }
});

it('no list and no count has rows of another tenant', async () => {
  const lists = places.filter(
    ({ field, operation }) =>
      operation === 'query' &&
      field.args.some(({ name }) => name === 'after') &&
      !field.args.some(isRequiredArgument) &&
      field.name !== 'auditLog', // which says how the tenant was made: audit-log/reading.test.ts
  );
  const fresh = await service.integrator();
  for (const { field } of lists) {
    expect(await fresh.graphql(`{ list: ${field.name} { totalCount nodes { id } } }`)).toEqual({
      list: { totalCount: 0, nodes: [] },
    });
  }
});

it('no type has a field for the tenant of a row', () => {
  for (const { parent, field } of places) {
    expect(`${parent.name}.${field.name}`).not.toMatch(/tenantId/i);
    if (parent.name !== 'Profile')
      expect(isObjectType(getNamedType(field.type)) && getNamedType(field.type).name).not.toBe('Tenant');
  }
});
