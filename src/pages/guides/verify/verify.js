import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET;

/** Whether these very bytes were signed with our secret. Equal or not, the comparison takes the same time. */
function isGenuine(body, signature = '') {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // raw: as it came, before anything parses it

  if (!isGenuine(body, request.headers['x-service-signature'])) {
    response.writeHead(401).end();
    return;
  }
  const { event } = JSON.parse(body.toString());
  console.log(`${event} arrived`); // put it into a queue of yours, and answer
  response.writeHead(204).end();
}).listen(process.env.PORT, '127.0.0.1');
