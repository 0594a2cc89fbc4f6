import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import helper from '@prisma/generator-helper';

// Run by `prisma generate`: writes the part of the data model that tables.ts needs, and that Prisma's client doesn't have.

helper.generatorHandler({
  onManifest: () => ({ defaultOutput: './generated/datamodel.ts', prettyName: 'the data model' }),
  onGenerate: async ({ generator, dmmf: { datamodel } }) => {
    const models = datamodel.models.map(({ name, dbName, fields, primaryKey }) => ({
      name,
      dbName,
      indexes: datamodel.indexes
        .filter(({ model, type }) => model === name && type !== 'id')
        .map((index) => index.fields.map((field) => field.name)),
      primaryKey: primaryKey?.fields ?? fields.filter(({ isId }) => isId).map((field) => field.name),
      fields: fields.map((field) => ({
        name: field.name,
        dbName: field.dbName ?? null,
        kind: field.kind,
        type: field.type,
        nativeType: field.nativeType?.[0] ?? null,
        nativeArguments: (field.nativeType?.[1] ?? []).map(Number),
        isList: field.isList,
        isRequired: field.isRequired,
        default: field.default ?? null,
        isUpdatedAt: field.isUpdatedAt ?? false,
        relationName: field.relationName ?? null,
        relationFromFields: field.relationFromFields ?? [],
        relationToFields: field.relationToFields ?? [],
      })),
    }));
    const enums = datamodel.enums.map(({ name, dbName, values }) => ({
      name,
      dbName: dbName ?? null,
      values: values.map((value) => ({ name: value.name, dbName: value.dbName ?? null })),
    }));
    const file = generator.output?.value ?? '';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `export const datamodel = ${JSON.stringify({ models, enums }, null, 2)};\n`);
  },
});
