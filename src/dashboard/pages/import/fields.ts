import { graphql, type ResultOf } from '../../graphql.ts';

export const ImportKinds = graphql(`
  query ImportKinds {
    importKinds {
      resource
      fields {
        name
        description
        type
        isRequired
      }
      presets {
        preset
        title
        columns {
          field
          text
        }
        defaults {
          field
          text
        }
        dateFormat
        decimalSeparator
      }
    }
  }
`);

export type Kind = ResultOf<typeof ImportKinds>['importKinds'][number];
export type ImportField = Kind['fields'][number];
export type PresetFile = Kind['presets'][number];
