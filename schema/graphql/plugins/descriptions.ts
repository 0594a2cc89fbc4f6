import SchemaBuilder, {
  BasePlugin,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLInputObjectType, GraphQLObjectType } from 'graphql';
import { getDatamodel } from '../../../prisma/generated/pothos.ts';
import { boundsInWords } from '../input/validators.ts';
import { rateInWords } from './field-rate-limit.ts';

// The description of a field, argument or input comes from its declaration, else from the comment of the model's field that
// it shows or sets, else from the tables here, which have the common ones. The bounds of an input, and how often a field
// may be asked for, are appended.

const fields: Record<string, string> = {
  id: 'UUIDv7: ids grow with the time of creation.',
  createdAt: 'When it was made.',
  updatedAt: 'When it last changed.',
  nodes: 'The rows of this page.',
  edges: 'The rows of this page, each with its cursor.',
  pageInfo: 'Whether there are more pages, and the cursors to request them.',
  node: 'The row.',
  cursor: 'For `after` and `before`. It stays valid when the row is deleted.',
  hasNextPage: 'Whether rows follow this page.',
  hasPreviousPage: 'Whether rows precede this page.',
  startCursor: 'The cursor of the first row, for `before`; null on an empty page.',
  endCursor: 'The cursor of the last row, for `after`; null on an empty page.',
};

const args: Record<string, string> = {
  id: 'The id. An unknown id, and an id of another tenant, is answered as not found.',
  input: 'All errors in it are reported at once, by their paths.',
  first: 'The number of rows from the start, or after `after`: 1 to 100, default 25.',
  after: 'Only rows after this cursor.',
  last: 'The number of rows from the end, or before `before`: 1 to 100. Not together with `first`.',
  before: 'Only rows before this cursor.',
  offset: 'The number of rows to skip.',
};

const types: [name: RegExp, description: string][] = [
  [/^Query$/, "All reads. They return only data of the caller's tenant."],
  [/^Mutation$/, 'All changes. A deletion returns the deleted resource as it was.'],
  [/^PageInfo$/, 'The position of a page in its list.'],
  [/Connection$/, 'A page of a list.'],
  [/Edge$/, 'A row of a page.'],
];

const { models } = getDatamodel().datamodel;

/** The comment of a model's field; for an input, of the model that it makes, changes, or filters. */
export function modelComment(typeName: string, field: string): string | undefined {
  const model = models[typeName.replace(/^(Create|Update)?(\w+?)(Input|Filter)$/, '$2')];
  return model?.fields.find(({ name }) => name === field)?.documentation;
}

class DescriptionsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onTypeConfig(config: PothosTypeConfig): PothosTypeConfig {
    const described = types.find(([name]) => name.test(config.name))?.[1];
    return { ...config, description: config.description ?? models[config.name]?.documentation ?? described };
  }

  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { name, parentType, pothosOptions } = config;
    const meaning = config.description ?? modelComment(parentType, name) ?? fields[name];
    return { ...config, description: meaning && `${meaning} ${rateInWords(pothosOptions)}`.trim() };
  }

  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const { name, parentType, kind, pothosOptions } = config;
    const meaning =
      config.description ?? (kind === 'Arg' ? args[name] : (modelComment(parentType, name) ?? fields[name]));
    const bounds = boundsInWords((pothosOptions as { validate?: unknown }).validate);
    return { ...config, description: meaning && `${meaning} ${bounds}`.trim() };
  }
}

/** The example that a type or an input was declared with. */
export const exampleValues = ({
  extensions,
}: GraphQLObjectType | GraphQLInputObjectType): Readonly<Record<string, unknown>> =>
  (extensions['pothosOptions'] as { example?: Record<string, unknown> } | undefined)?.example ?? {};

const pluginName = 'descriptions';

declare global {
  export namespace PothosSchemaTypes {
    export interface BaseTypeOptions<Types extends SchemaTypes> {
      /** Typical values of the type's fields, as GraphQL answers them. The OpenAPI description shows them. */
      example?: Readonly<Record<string, unknown>>;
    }
    export interface Plugins<Types extends SchemaTypes> {
      descriptions: DescriptionsPlugin<Types>;
    }
  }
}

SchemaBuilder.registerPlugin(pluginName, DescriptionsPlugin);
export default pluginName;
