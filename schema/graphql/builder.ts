import SchemaBuilder from '@pothos/core';
import PrismaPlugin, { type PrismaModelTypes } from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import type { Prisma } from '../../prisma/client.ts';
import { getDatamodel, type default as PrismaTypes } from '../../prisma/generated/pothos.ts';
import ChecksPlugin from './plugins/authorization-and-validation.ts';
import type { Context } from './context.ts';
import DescriptionsPlugin from './plugins/descriptions.ts';
import FieldRateLimitPlugin from './plugins/field-rate-limit.ts';
import type { Decimal } from '../money/money.ts';
import type { Metadata } from './scalars/metadata.ts';
import type { UploadedFile } from './input/uploaded-file.ts';

/** Plugins and defaults; types are defined in the files named after them. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Scalars: {
    UUID: { Input: string; Output: string };
    Date: { Input: Date; Output: Date };
    DateTime: { Input: Date; Output: Date };
    Decimal: { Input: Decimal; Output: Decimal | Prisma.Decimal };
    Metadata: { Input: Metadata; Output: unknown };
    EventJson: { Input: never; Output: string };
    ProblemParams: { Input: never; Output: object };
    JsonObject: { Input: never; Output: unknown };
    Upload: { Input: UploadedFile; Output: never };
  };
  Connection: { totalCount: () => Promise<number> };
}>({
  plugins: [DescriptionsPlugin, ChecksPlugin, FieldRateLimitPlugin, RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  relay: { nodesOnConnection: true, edgesFieldOptions: { nullable: false }, nodeFieldOptions: { nullable: false } },
  prisma: {
    client: ({ db }) => db,
    dmmf: getDatamodel(),
    exposeDescriptions: true,
    onUnusedQuery: 'error',
  },
});

builder.queryType({});
builder.subscriptionType({ description: 'Changes as they happen, over server-sent events.' });
builder.mutationType({});

/** The field builder of input types, for fields that several of them share. */
export type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;
export type QueryFields = PothosSchemaTypes.QueryFieldBuilder<typeof builder.$inferSchemaTypes, object>;
export type MutationFields = PothosSchemaTypes.MutationFieldBuilder<typeof builder.$inferSchemaTypes, object>;
export type ObjectFields<Of> = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Of>;
type Model<Name extends keyof PrismaTypes> = PrismaModelTypes & PrismaTypes[Name];
type RowTypeOptions<Name extends keyof PrismaTypes> = Parameters<typeof builder.prismaObject<Name, [], Model<Name>>>[1];
/** The field builder of types that show rows of a model, for fields that several of them share. */
export type RowFields<Name extends keyof PrismaTypes> = Parameters<NonNullable<RowTypeOptions<Name>['fields']>>[0];
