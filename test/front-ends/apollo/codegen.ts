import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../../../schema/schema.graphql',
  documents: ['app.tsx'],
  ignoreNoDocuments: true,
  generates: { './generated/': { preset: 'client', config: { useTypeImports: true } } },
};
export default config;
