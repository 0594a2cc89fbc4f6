import {
  isLeafType,
  getNamedType,
  isInputObjectType,
  isObjectType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import { exampleValues } from '../../schema/graphql/plugins/descriptions.ts';
import { restLeafSerializer } from '../naming.ts';
import { toSnakeCase } from '../snake-case.ts';
import { answeredTime, type Components, type JsonSchema } from './schemas.ts';

const id = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const link = (page: number): string => `https://kontor.example/api/v1/customers?page=${page}`;

type Values = Record<string, unknown>;

/** The examples of REST's own schemas. The examples of resources are declared with their types in schema/. */
const envelopes: Record<string, Values> = {
  PageLinks: { first: link(1), last: link(1), prev: null, next: null },
  PageMeta: { from: 1, to: 1 },
};

/** The differences of an event's data from the resource's usual example. */
const eventValues: Record<string, Values> = {
  InvoiceCreatedEvent: { number: null, status: 'draft', issued_at: null },
  InvoiceDeletedEvent: { number: null, status: 'draft', issued_at: null },
  InvoiceUpdatedEvent: { number: null, status: 'draft', issued_at: null },
  InvoicePaymentRecordedEvent: { amount_paid: 100, amount_due: 804.4 },
  InvoicePaidEvent: { status: 'paid', amount_paid: 904.4, amount_due: 0, paid_at: '2026-02-10T08:15:00+00:00' },
  InvoiceCancelledEvent: { status: 'cancelled', amount_due: 0, cancelled_at: '2026-02-01T10:00:00+00:00' },
  InvoiceOverdueEvent: { is_overdue: true },
  ReceiptBookedEvent: { status: 'booked' },
  ReceiptPaymentRecordedEvent: { status: 'booked' },
  ReceiptPaidEvent: { status: 'paid', paid_at: '2026-02-10T08:15:00+00:00' },
  ReceiptPaymentRevertedEvent: { status: 'booked' },
  PaymentReversedEvent: { reversed_at: '2026-02-11T08:15:00+00:00' },
  TimeEntryBilledEvent: { invoice_id: id, billed: true },
  BankTransactionCreatedEvent: { match_status: 'unmatched', amount_open: 904.4, matches: [] },
  BankTransactionUnmatchedEvent: { match_status: 'unmatched', amount_open: 904.4, matches: [] },
  BankTransactionIgnoredEvent: { match_status: 'ignored', amount_open: 904.4, matches: [] },
  BankTransactionUnignoredEvent: { match_status: 'unmatched', amount_open: 904.4, matches: [] },
};

/** The examples of fields that have none of their own, by format or type. */
const typical: Values = {
  uuid: id,
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00+00:00',
  email: 'ada@kontor.example',
  uri: 'https://kontor.example',
  string: 'text',
  integer: 1,
  number: 1,
  boolean: false,
};

/** The example of a type or an input, in REST's names and values. */
function restExample(schema: GraphQLSchema, typeName: string): Values {
  const type = schema.getType(typeName);
  if (!isObjectType(type) && !isInputObjectType(type)) return {};
  const values = Object.entries(exampleValues(type)).map(([name, value]) => {
    const field: { type: GraphQLType } | undefined = type.getFields()[name];
    const leaf = field && getNamedType(field.type);
    if (!isLeafType(leaf)) throw new Error(`The example of ${typeName}.${name} is not the example of a value`);
    const toRest = (each: unknown): unknown => JSON.parse(restLeafSerializer(leaf)(leaf.parseValue(each)));
    return [toSnakeCase(name), value === null ? null : Array.isArray(value) ? value.map(toRest) : toRest(value)];
  });
  return Object.fromEntries(values) as Values;
}

/** Makes examples of what JSON Schemas describe. */
export class Examples {
  readonly #schema: GraphQLSchema;
  readonly #components: Components;
  /** The examples of components, by name. */
  readonly #values = new Map<string, Values>();

  constructor(schema: GraphQLSchema, components: Components) {
    this.#schema = schema;
    this.#components = components;
  }

  /** Adds an example to each body in a part of the document. */
  addTo(part: unknown): void {
    if (typeof part !== 'object' || part === null) return;
    const { content } = part as { content?: Record<string, { schema: JsonSchema; example?: unknown }> };
    for (const body of Object.values(content ?? {})) body.example = this.#exampleOf(body.schema);
    for (const [key, each] of Object.entries(part)) if (key !== 'content') this.addTo(each);
  }

  /**
   * @param owner the component that the schema is a part of
   * @param name the property that the schema describes
   */
  #exampleOf(schema: JsonSchema, owner = '', name = ''): unknown {
    const {
      $ref,
      anyOf,
      oneOf,
      properties,
      required,
      items,
      const: only,
      enum: choices,
      type,
      format,
      pattern,
    } = schema;
    if (typeof $ref === 'string') {
      const referred = $ref.slice($ref.lastIndexOf('/') + 1);
      const component = this.#components.get(referred);
      if (!component) throw new Error(`There is no component ${referred}`);
      if (!('properties' in component)) return this.#exampleOf(component, owner, name);
      const example = this.#exampleOf(component, referred) as { data: Record<string, object> };
      return referred in eventValues ? withEventValues(example, eventValues[referred]) : example;
    }
    if (only !== undefined) return only;
    if (Array.isArray(schema['examples'])) return schema['examples'][0];
    const values = this.#valuesOf(owner);
    if (name in values) return values[name];
    if (Array.isArray(anyOf)) return this.#exampleOf(anyOf[0] as JsonSchema, owner, name);
    if (Array.isArray(oneOf)) {
      const one = this.#exampleOf(oneOf[0] as JsonSchema, owner, name);
      return (required as string[] | undefined)?.includes('id') ? { id, ...(one as object) } : one;
    }
    if (schema['propertyNames']) return { cost_center: '4711' };
    if (properties) {
      const written = Object.entries(properties as Record<string, JsonSchema>).filter(([, each]) => !each['readOnly']);
      return Object.fromEntries(written.map(([key, each]) => [key, this.#exampleOf(each, owner, key)]));
    }
    if (items) return [this.#exampleOf(items as JsonSchema, owner)];
    if (Array.isArray(choices)) return choices[0];
    if (pattern === answeredTime['pattern']) return typical['date-time'];
    if (name === 'currency') return 'EUR';
    // The examples have no foreign money, and an external id is given only once.
    if (name === 'exchange_rate' || name === 'external_id') return null;
    return typical[String(format)] ?? typical[String([type].flat()[0])];
  }

  /** The example of a component: of REST's own schema, or of a type. An input has its own, or its type's. */
  #valuesOf(owner: string): Values {
    let values = this.#values.get(owner) ?? envelopes[owner];
    values ??= {
      ...restExample(this.#schema, owner.replace(/^(?:Create|Update)?(\w+)Input$|^(\w+)Update$/, '$1$2')),
      ...restExample(this.#schema, owner),
    };
    this.#values.set(owner, values);
    return values;
  }
}

/** The example of an event's body, with the values that the event leaves in its resource. */
const withEventValues = ({ data, ...body }: { data: Record<string, object> }, changed: Values | undefined): object => ({
  ...body,
  data: Object.fromEntries(Object.entries(data).map(([name, resource]) => [name, { ...resource, ...changed }])),
});
