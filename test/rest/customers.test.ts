import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

describe('POST /customers', () => {
  it('answers 201 with the created customer and its Location', async () => {
    const { status, headers, body } = await acme.rest('POST', '/customers', {
      type: 'customer',
      company_name: '  Bäckerei Müller GmbH ',
      email: 'post@baeckerei-mueller.example',
      address_line1: 'Hauptstraße 1',
      postal_code: '10115',
      city: 'Berlin',
      country: 'DE',
      vat_id: 'DE123456789',
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${service.url}/api/v1/customers/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'customer',
        company_name: 'Bäckerei Müller GmbH',
        email: 'post@baeckerei-mueller.example',
        address_line1: 'Hauptstraße 1',
        postal_code: '10115',
        city: 'Berlin',
        country: 'DE',
        vat_id: 'DE123456789',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      },
    });
    const fetched = await acme.rest('GET', `/customers/${body.data.id}`);
    expect(fetched.status).toBe(200);
    expect(fetched.body).toEqual(body);
  });

  it('reports all bad fields at once, under their own names', async () => {
    const { status, headers, body } = await acme.rest('POST', '/customers', {
      type: 'foe',
      email: 'nobody@',
      country: 'XX',
      postal_code: 'x'.repeat(21),
      zip: '10115',
    });
    expect(status).toBe(422);
    expect(body).toEqual({
      message: 'type: Must be one of customer, supplier. (and 5 more)',
      errors: {
        type: ['Must be one of customer, supplier.'],
        company_name: ['Required.'],
        email: ['Must be an e-mail address.'],
        country: ['Must be an ISO 3166-1 country code of two capital letters.'],
        postal_code: ['Must not be longer than 20 characters.'],
        zip: ['This field is not known here.'],
      },
      request_id: headers.get('x-request-id'),
    });
  });
});
