import { etagOf, Kontor, NotFoundError, ValidationError, verifyWebhook } from '@kontor/sdk';

// Runs in a page of another origin than the service. The page's address has the service's URL, a token, and a delivery.

const given = new URL(location.href).searchParams;
const must = (name: string): string => given.get(name) ?? '';
const kontor = new Kontor({ baseUrl: must('url'), token: must('token') });

async function steps(): Promise<unknown> {
  const { tenant } = await kontor.me();
  const created = await kontor.customers.create({ type: 'customer', company_name: 'Nordlicht Verlag' });
  await kontor.customers.create({ type: 'customer', company_name: 'Museum aan de Haven' });
  const changed = await kontor.customers.update(created.id, { city: 'Kiel' }, { ifMatch: etagOf(created) });
  const isTagged = etagOf(changed) !== undefined && etagOf(changed) !== etagOf(created);
  const names: string[] = [];
  for await (const { company_name } of kontor.customers.list({ per_page: 1 })) names.push(company_name);
  const refused: unknown = await kontor.customers
    .create({ type: 'customer', company_name: '' })
    .catch((error: unknown) => error instanceof ValidationError && [error.errors, typeof error.requestId]);
  await kontor.customers.delete(created.id);
  const gone = await kontor.customers.get(created.id).catch((error: unknown) => error instanceof NotFoundError);
  const event = await verifyWebhook(must('body'), JSON.parse(must('signed')) as Record<string, string>, must('secret'));
  return { tenant: tenant.name, city: changed.city, isTagged, names, refused, gone, event: event.event };
}

const show = (result: unknown): void => {
  document.title = 'done';
  document.body.textContent = JSON.stringify(result);
};
steps().then(show, (error: unknown) => show(String(error)));
