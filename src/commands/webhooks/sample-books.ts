import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { send, type ApiConnection } from '../remote/connection.ts';
import { askGraphql, readData } from '../remote/graphql.ts';

type Model = 'BankAccount' | 'Customer' | 'Invoice' | 'CreditNote' | 'Receipt' | 'Project' | 'TimeEntry' | 'Payment';
type Input = Record<string, unknown>;

const dayMs = 86_400_000;
const day = (offset: number): string => new Date(Date.now() + offset * dayMs).toISOString().slice(0, 10);

const result = z.object({ result: z.object({ id: z.string() }) });
const somePage = z.object({ nodes: z.array(z.object({ id: z.string() })) });
const reversed = z.object({ result: z.object({ reversal: z.object({ id: z.string() }) }) });
const paid = z.object({ result: z.object({ id: z.string(), payments: somePage }) });
const refunded = z.object({ result: z.object({ refunds: somePage }) });
const imported = z.object({ result: z.object({ warnings: z.array(z.string()) }) });
const started = z.object({ data: z.object({ id: z.string() }) });
const transactions = z.object({ result: somePage });

/** Changes the books of the token's tenant, as a front end does: by GraphQL's mutations, with invented data. */
export class SampleBooks {
  readonly #connection: ApiConnection;
  readonly #report: (step: string) => void;

  /** @param report is called with each mutation that was done */
  constructor(connection: ApiConnection, report: (step: string) => void) {
    this.#connection = connection;
    this.#report = report;
  }

  customer = (): Promise<string> => this.#create('Customer', { type: 'CUSTOMER', companyName: 'Example customer' });

  project = async (): Promise<string> =>
    this.#create('Project', { name: 'Example project', customerId: await this.customer(), hourlyRateNet: '100' });

  timeEntry = (projectId: string): Promise<string> =>
    this.#create('TimeEntry', { projectId, date: day(-1), durationMinutes: 60, description: 'Example' });

  /** A draft of 119.00. */
  invoice = async (more: Input = {}): Promise<string> =>
    this.#create('Invoice', {
      customerId: await this.customer(),
      invoiceDate: day(0),
      subject: 'Example',
      items: [{ title: 'Example', quantity: '1', unitPriceNet: '100', vatRate: '19' }],
      ...more,
    });

  issuedInvoice = async (more: Input = {}): Promise<string> => this.run('issueInvoice', await this.invoice(more));

  overdueInvoice = (): Promise<string> => this.issuedInvoice({ invoiceDate: day(-16), dueDate: day(-2) });

  /** Of all of a paid invoice, 119.00. */
  async refund(): Promise<{ id: string; invoice: string; payment: string }> {
    const { id: paidInvoice } = await this.pay('Invoice', await this.issuedInvoice());
    const { id, invoice } = await this.creditNote(paidInvoice);
    const document =
      'mutation ($id: UUID!) { result: refundCreditNote(id: $id) { id refunds(first: 1) { nodes { id } } } }';
    const { result: creditNote } = await this.#mutate(refunded, 'refundCreditNote', document, { id });
    return { id, invoice, payment: creditNote.refunds.nodes[0]?.id ?? '' };
  }

  async undoneRefund(): Promise<{ id: string; invoice: string }> {
    const { payment, ...refund } = await this.refund();
    await this.run('reversePayment', payment);
    return refund;
  }

  /** Of all of an invoice, 119.00. */
  async creditNote(invoice?: string): Promise<{ id: string; invoice: string }> {
    invoice ??= await this.issuedInvoice();
    return { id: await this.#create('CreditNote', { invoiceId: invoice, reason: 'Example' }), invoice };
  }

  /** A draft of 119.00. */
  receipt = (): Promise<string> =>
    this.#create('Receipt', { receiptDate: day(0), amountGross: '119', vatRate: '19', description: 'Example' });

  /** Takes back a booked receipt. @returns the receipt that reverses it */
  async receiptReversal(): Promise<string> {
    const id = await this.bookedReceipt();
    const document = 'mutation ($id: UUID!) { result: reverseReceipt(id: $id, reason: "Example") { reversal { id } } }';
    return (await this.#mutate(reversed, 'reverseReceipt', document, { id })).result.reversal.id;
  }

  bookedReceipt = async (): Promise<string> => this.run('bookReceipt', await this.receipt());

  /** Time on a draft. */
  async billedTime(): Promise<{ timeEntry: string; invoice: string }> {
    const projectId = await this.project();
    const timeEntry = await this.timeEntry(projectId);
    const { result: invoice } = await this.#mutate(
      result,
      'billProject',
      'mutation ($projectId: UUID!) { result: billProject(projectId: $projectId, vatRate: "19") { id } }',
      { projectId },
    );
    return { timeEntry, invoice: invoice.id };
  }

  bankAccount = (): Promise<string> => this.#create('BankAccount', { iban: randomUUID(), name: 'Example' });

  /** Money received, 119.00, from a statement. */
  async bankTransaction(): Promise<string> {
    const reference = randomUUID();
    await this.#import(statement(reference));
    const query = 'query ($q: String!) { result: bankTransactions(first: 1, filter: { q: $q }) { nodes { id } } }';
    const { result: page } = await askGraphql(this.#connection, transactions, query, { q: reference });
    const [transaction] = page.nodes;
    if (!transaction) throw new CommandFailure(exitCodes.failed, 'The imported bank transaction is not found.');
    return transaction.id;
  }

  async matchedTransaction(): Promise<string> {
    const id = await this.bankTransaction();
    const matches = [{ type: 'INVOICE', id: await this.issuedInvoice() }];
    const document = `mutation ($id: UUID!, $matches: [MatchInput!]!) {
      result: matchBankTransaction(id: $id, matches: $matches) { id }
    }`;
    return (await this.#mutate(result, 'matchBankTransaction', document, { id, matches })).result.id;
  }

  /** Of one line, cancelled unless a job has done it before. */
  async bulkOperation(): Promise<string> {
    const line = JSON.stringify({ name: 'Example project' });
    const response = await send(this.#connection, {
      method: 'POST',
      path: '/api/v1/bulk-operations?resource=projects&action=create',
      body: line,
      headers: { 'content-type': 'application/jsonl' },
    });
    const { id } = started.parse(response.body).data;
    this.#report('startBulkOperation');
    await this.run('cancelBulkOperation', id).catch(() => {});
    return id;
  }

  /** Cancelled unless a job has written it before. */
  async exportOfCustomers(): Promise<string> {
    const input = { type: 'LIST', resource: 'CUSTOMERS' };
    const document = 'mutation ($input: CreateExportInput!) { result: createExport(input: $input) { id } }';
    const { id } = (await this.#mutate(result, 'createExport', document, { input })).result;
    await this.run('cancelExport', id).catch(() => {});
    return id;
  }

  /** Runs a mutation that takes an id. @returns the id */
  async run(mutation: string, id: string): Promise<string> {
    await this.#mutate(result, mutation, `mutation ($id: UUID!) { result: ${mutation}(id: $id) { id } }`, { id });
    return id;
  }

  async update(model: Model, id: string, input: Input): Promise<string> {
    const document = `mutation ($id: UUID!, $input: Update${model}Input!) {
      result: update${model}(id: $id, input: $input) { id }
    }`;
    return (await this.#mutate(result, `update${model}`, document, { id, input })).result.id;
  }

  /** @param amount by default all that is due */
  async pay(model: 'Invoice' | 'Receipt', id: string, amount?: string): Promise<{ id: string; payment: string }> {
    const document = `mutation ($id: UUID!, $amount: Decimal) {
      result: pay${model}(id: $id, amount: $amount) { id payments(first: 1) { nodes { id } } }
    }`;
    const { result: payable } = await this.#mutate(paid, `pay${model}`, document, { id, amount });
    return { id, payment: payable.payments.nodes[0]?.id ?? '' };
  }

  async #create(model: Model, input: Input): Promise<string> {
    const document = `mutation ($input: Create${model}Input!) { result: create${model}(input: $input) { id } }`;
    return (await this.#mutate(result, `create${model}`, document, { input })).result.id;
  }

  async #mutate<Result>(shape: z.ZodType<Result>, name: string, document: string, variables: Input): Promise<Result> {
    const data = await askGraphql(this.#connection, shape, document, variables);
    this.#report(name);
    return data;
  }

  /** Uploads a bank statement, as the GraphQL multipart request specification says. */
  async #import(file: string): Promise<void> {
    const query = 'mutation ($file: Upload!) { result: importBankStatement(file: $file) { warnings } }';
    const form = new FormData();
    form.set('operations', JSON.stringify({ query, variables: { file: null } }));
    form.set('map', JSON.stringify({ 0: ['variables.file'] }));
    form.set('0', new File([file], 'example.xml', { type: 'application/xml' }));
    const encoded = new Response(form);
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
    const body = await encoded.text();
    readData(
      this.#connection,
      await send(this.#connection, { method: 'POST', path: '/graphql', body, headers }),
      imported,
    );
    this.#report('importBankStatement');
  }
}

/** A CAMT.053 statement of one transaction, which names no invoice. */
const statement = (reference: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.04"><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id></Acct>
<Ntry><Amt Ccy="EUR">119</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${day(0)}</Dt></BookgDt>
<AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls><TxDtls>
<RltdPties><Dbtr><Nm>Example customer</Nm></Dbtr></RltdPties><RmtInf><Ustrd>${reference}</Ustrd></RmtInf>
</TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>
`;
