import { builder } from '../graphql/builder.ts';
import { found } from '../errors/errors.ts';
import { maxRegisteredAtOnce, type TrustedDocument as Row } from '../graphql/trusted-document-store.ts';

const TrustedDocument = builder.objectRef<Row>('TrustedDocument').implement({
  description: 'A GraphQL document that requests name by its hash.',
  fields: (t) => ({
    hash: t.exposeString('hash', { description: 'The hash of its text, in hexadecimal digits.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was registered.' }),
  }),
});

const TrustedDocumentInput = builder.inputType('TrustedDocumentInput', {
  description: 'A document of a front end.',
  fields: (t) => ({
    hash: t.string({
      required: true,
      description: 'The SHA-256, SHA-1, or MD5 hash of its text, in hexadecimal digits.',
    }),
    text: t.string({ required: true, description: 'The document itself.' }),
  }),
});

const RegisteredDocuments = builder
  .objectRef<{ registered: number; created: number }>('RegisteredDocuments')
  .implement({
    description: 'What registering documents has done.',
    fields: (t) => ({
      registered: t.exposeInt('registered', { description: 'How many of the documents are registered now: all.' }),
      created: t.exposeInt('created', { description: 'How many of them are new.' }),
    }),
  });

builder.queryField('trustedDocuments', (t) =>
  t.field({
    type: [TrustedDocument],
    description: "The tenant's trusted documents, newest first, without those of the whole installation.",
    ability: 'documents:read',
    resolve: (_root, _args, context) => context.documents.list(context),
  }),
);

builder.mutationFields((t) => ({
  registerDocuments: t.field({
    type: RegisteredDocuments,
    description: `Registers up to ${maxRegisteredAtOnce} documents of the tenant's front ends, all or none. Those that are registered already stay.`,
    ability: 'documents:write',
    args: { documents: t.arg({ type: [TrustedDocumentInput], required: true, description: 'The documents.' }) },
    extensions: { hasOwnTransaction: true, commitsAlone: true }, // documents are validated without a connection
    rules: ({ documents = [] }, _context, problems) => {
      if (documents.length <= maxRegisteredAtOnce) return;
      const message = `Must not be more than ${maxRegisteredAtOnce} documents.`;
      problems.add('documents', 'wrong_count', message, { min: 0, max: maxRegisteredAtOnce });
    },
    resolve: async (_root, { documents }, context) => ({
      registered: documents.length,
      created: await context.documents.register(context, documents),
    }),
  }),

  deleteDocument: t.field({
    type: TrustedDocument,
    description: "Deletes one of the tenant's trusted documents. Processes forget it within a minute.",
    ability: 'documents:write',
    args: { hash: t.arg.string({ required: true, description: 'Its hash.' }) },
    extensions: { hasOwnTransaction: true, commitsAlone: true },
    resolve: (_root, { hash }, context) => found(context.documents.remove(context, hash)),
  }),
}));
