import type { GraphqlTool } from './tools.ts';

const inputSchema = {
  type: 'object' as const,
  properties: {
    query: { type: 'string', description: 'The GraphQL document.' },
    variables: { type: 'object', description: 'The values of its variables.' },
    operation_name: { type: 'string', description: 'Which operation to run, if the document has several.' },
  },
  required: ['query'],
  additionalProperties: false,
};

const seeSchema =
  'The resource /schema.graphql has the whole schema; `{ __type(name: "Query") { fields { name description } } }` shows a part of it.';

/** For what REST doesn't have: sums and groups, billing a project's time, bank matching, the company profile. */
export const graphqlTools: readonly GraphqlTool[] = [
  {
    api: 'graphql',
    // GraphQL over HTTP allows no mutation by GET, so that the rule doesn't stand here again.
    method: 'GET',
    tool: {
      name: 'graphql_query',
      title: 'Runs a GraphQL query',
      description: `Reads by GraphQL what the other tools can't: \`overview\`, sums and groups (\`invoicesAggregate\`), search, nested resources. Names are in camelCase. ${seeSchema}`,
      inputSchema,
      annotations: {
        title: 'Runs a GraphQL query',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
  },
  {
    api: 'graphql',
    method: 'POST',
    tool: {
      name: 'graphql_mutation',
      title: 'Runs a GraphQL mutation',
      description: `Changes by GraphQL what the other tools can't: \`billProject\` makes a draft invoice from a project's unbilled hours, \`updateInvoice\` changes a draft. Names are in camelCase. ${seeSchema}`,
      inputSchema: {
        ...inputSchema,
        properties: {
          ...inputSchema.properties,
          idempotency_key: {
            type: 'string',
            minLength: 1,
            maxLength: 255,
            description: 'For 24 hours, the same key with the same document and variables runs once.',
          },
        },
      },
      annotations: {
        title: 'Runs a GraphQL mutation',
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true, // it can make webhooks
      },
    },
  },
];
