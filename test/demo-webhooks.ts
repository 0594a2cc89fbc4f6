import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { print } from '../src/commands/output.ts';
import { startOwnServer } from './own-server.ts';

// The demo's last part: an import of payments, and deliveries of events. A receiver on this machine has a private address,
// and the usual retry delay is too long for a demo. So this part runs its own server, which allows private addresses and
// has short delays.

interface Arrival {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers 500 to the first `failures` requests of each path, then 200. */
async function startReceiver(
  failures: Record<string, number>,
): Promise<{ server: Server; url: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      arrivals.push({ headers: request.headers, body });
      const left = failures[request.url ?? ''] ?? 0;
      failures[request.url ?? ''] = left - 1;
      response.writeHead(left > 0 ? 500 : 200).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals };
}

const buildStatement = (number: string, amount: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
  <GrpHdr><MsgId>DEMO</MsgId><CreDtTm>2026-02-10T06:00:00</CreDtTm></GrpHdr>
  <Stmt><Id>DEMO-1</Id><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>
    <Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><Dt>2026-02-09</Dt></BookgDt><ValDt><Dt>2026-02-09</Dt></ValDt><AcctSvcrRef>2026020900012</AcctSvcrRef>
      <NtryDtls><TxDtls>
        <RltdPties><Dbtr><Pty><Nm>Baeckerei Sonnenschein GmbH</Nm></Pty></Dbtr></RltdPties>
        <RmtInf><Ustrd>Rechnung ${number}, danke!</Ustrd></RmtInf>
      </TxDtls></NtryDtls>
    </Ntry>
  </Stmt></BkToCstmrStmt></Document>`;

export async function playMoneyAndEvents(): Promise<void> {
  print('\n══ Money in, events out (on a server of the demo’s own)');
  const dataDir = await mkdtemp(join(tmpdir(), 'kontor-demo-'));
  const { server: receiver, url, arrivals } = await startReceiver({ '/flaky': 2 });
  const { child, address, token } = await startOwnServer(dataDir);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  interface Answer {
    data: Record<string, unknown>;
    errors?: object;
  }
  const graphql = async <T>(title: string, query: string, variables: object): Promise<T> => {
    print(`\n── ${title}`);
    print(query.trim());
    print(JSON.stringify(variables));
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    });
    const answer = (await response.json()) as Answer;
    print(`→ ${response.status}\n${JSON.stringify(answer, null, 2)}`);
    if (answer.errors) throw new Error(`${title}: refused`);
    return answer.data as T;
  };
  const post = async (path: string, body: object): Promise<{ id: string; number: string; total_gross: number }> => {
    const response = await fetch(`${address}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await response.json()) as { data: { id: string; number: string; total_gross: number } }).data;
  };
  /** Waits until the result of a webhook's first delivery is recorded. */
  const delivered = async (webhookId: string): Promise<void> => {
    const query = 'query ($id: UUID!) { deliveries(webhookId: $id) { nodes { state } } }';
    const body = JSON.stringify({ query, variables: { id: webhookId } });
    for (let waited = 0; waited < 20_000; waited += 50) {
      const response = await fetch(`${address}/graphql`, { method: 'POST', headers, body });
      const { data } = (await response.json()) as { data: { deliveries: { nodes: { state: string }[] } } };
      if (data.deliveries.nodes[0]?.state !== 'WAITING') return;
      await sleep(50);
    }
    throw new Error('The delivery was not recorded');
  };
  const arrival = async (event: string, attempt: number): Promise<Arrival> => {
    for (let waited = 0; waited < 20_000; waited += 50) {
      const found = arrivals.find(
        (each) => each.headers['x-service-event'] === event && Number(each.headers['x-service-attempt']) === attempt,
      );
      if (found) return found;
      await sleep(50);
    }
    throw new Error(`${event} did not arrive`);
  };

  try {
    const { createWebhook } = await graphql<{ createWebhook: { secret: string } }>(
      'Register a receiver for invoice.paid',
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { id url events } } }',
      { input: { url, events: ['invoice.paid'] } },
    );
    const customer = await post('/customers', { type: 'customer', company_name: 'Bäckerei Sonnenschein GmbH' });
    const invoice = await post('/invoices', {
      customer_id: customer.id,
      invoice_date: '2026-01-31',
      status: 'issued',
      items: [{ title: 'Layout', quantity: 4.5, unit: 'h', unit_price_net: 85, vat_rate: 19 }],
    });
    print(`\nInvoice ${invoice.number} over ${invoice.total_gross} EUR is issued.`);

    print('\n── Import the statement that pays it: a multipart upload');
    const form = new FormData();
    const query =
      'mutation ($file: Upload!) { importBankStatement(file: $file) { imported skipped matched warnings } }';
    form.set('operations', JSON.stringify({ query, variables: { file: null } }));
    form.set('map', JSON.stringify({ file: ['variables.file'] }));
    form.set('file', new Blob([buildStatement(invoice.number, String(invoice.total_gross))]), 'statement.xml');
    const uploaded = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { authorization: headers.authorization },
      body: form,
    });
    print(`→ ${uploaded.status}\n${JSON.stringify(await uploaded.json(), null, 2)}`);

    const paid = await arrival('invoice.paid', 1);
    print('\n── invoice.paid arrives');
    print(JSON.stringify(paid, null, 2));
    new Webhook(createWebhook.secret).verify(paid.body, paid.headers as Record<string, string>);
    print('Its signature is verified by the standardwebhooks package.');

    const { createWebhook: flaky } = await graphql<{ createWebhook: { webhook: { id: string } } }>(
      'Register a receiver that fails twice',
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id url events } } }',
      { input: { url: `${url}/flaky`, events: ['customer.created'] } },
    );
    await post('/customers', { type: 'customer', company_name: 'Museum aan de Haven' });
    await arrival('customer.created', 3);
    await delivered(flaky.webhook.id);
    const { deliveries } = await graphql<{
      deliveries: { nodes: { state: string; attempts: { status: number }[] }[] };
    }>(
      'It recovers: the attempts, from the delivery log',
      'query ($id: UUID!) { deliveries(webhookId: $id) { nodes { id state attempts { number startedAt status durationMs error } } } }',
      { id: flaky.webhook.id },
    );
    const [delivery] = deliveries.nodes;
    const statuses = delivery?.attempts.map(({ status }) => status).join(' ');
    if (delivery?.state !== 'DELIVERED' || statuses !== '500 500 200')
      throw new Error(`Expected 500 500 200, got ${statuses}`);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    receiver.closeAllConnections();
    receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
