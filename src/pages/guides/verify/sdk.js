import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from '@kontor/sdk';

const secret = process.env.WEBHOOK_SECRET ?? '';

createServer(async (request, response) => {
  try {
    const body = await buffer(request); // raw: as it came, before anything parses it
    const event = await verifyWebhook(body, request.headers, secret);
    if (event.event === 'invoice.paid') console.log(`${event.data.invoice.number} is paid`);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) console.error(error);
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
