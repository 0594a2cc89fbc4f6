import { graphql } from '../../graphql.ts';

export const CreateExport = graphql(`
  mutation CreateExport($input: CreateExportInput!) {
    createExport(input: $input) {
      id
    }
  }
`);
