import { readFileSync } from 'node:fs';

// The operations of the REST API, as commands. They are derived from its OpenAPI description, so that a new route is a
// new command. `npm run build` writes them to a file: a command that built the whole schema first would take four times as long.

/** An option of a command: a parameter, a header, or a field of the body. */
export interface Flag {
  /** `company-name`, for the field `company_name`. */
  name: string;
  field: string;
  in: 'query' | 'header' | 'body';
  /** `json`: arrays and objects of a body, which are given as JSON. `list`: several values, comma-separated. */
  type: 'text' | 'number' | 'boolean' | 'json' | 'list';
  choices: string[] | undefined;
  description: string;
  isRequired: boolean;
}

export interface RemoteOperation {
  /** `create`, of the operation `createCustomer`; for a file the resource: `invoice`, of `/invoices/{id}/pdf`. That of an export is `download`. */
  verb: string;
  /** `customers`, of the path `/customers/{id}`; of a batch `customers-batch`; for a file its kind: `pdf`. */
  noun: string;
  method: string;
  /** With parameters in braces: `/customers/{id}`. */
  path: string;
  /** Parameters of the path, in order. */
  pathParameters: string[];
  flags: Flag[];
  hasBody: boolean;
  /** Whether its body is a file. */
  takesFile: boolean;
  summary: string;
  /** The kind of its response: a list whose pages have links, another JSON value, a file, a batch's results, or nothing. */
  result: 'list' | 'item' | 'file' | 'batch' | 'none';
  /** The names and types of the returned resource's fields. */
  fields: Map<string, FieldType>;
}

/** `nested`: an array or object. */
export type FieldType = 'text' | 'number' | 'nested';

export const operationsFile = new URL('operations.json', import.meta.url);

/** The operations as the build wrote them. */
export function readOperations(): RemoteOperation[] {
  let json: string;
  try {
    json = readFileSync(operationsFile, 'utf8');
  } catch (error) {
    throw new Error('The commands are not built: npm run build', { cause: error });
  }
  const operations = JSON.parse(json) as SerializedOperation[];
  return operations.map((operation) => ({ ...operation, fields: new Map(operation.fields) }));
}

type SerializedOperation = Omit<RemoteOperation, 'fields'> & { fields: [name: string, type: FieldType][] };

export const serializeOperations = (operations: RemoteOperation[]): string =>
  JSON.stringify(operations.map((operation): SerializedOperation => ({ ...operation, fields: [...operation.fields] })));
