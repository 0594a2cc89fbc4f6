import { builder } from '../../graphql/builder.ts';
import { key } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { found, refuse, requireAbilities } from '../../errors/errors.ts';
import { bulkKinds } from './kinds.ts';
import { maxUnfinished, startOperation } from './start.ts';
import { finish } from './transitions.ts';
import { BulkAction, BulkOperation, BulkResource } from './type.ts';
import { allows, transitions } from '../../rows/states.ts';

const StartBulkOperationInput = builder.inputType('StartBulkOperationInput', {
  description: 'A new bulk operation.',
  fields: (t) => ({
    resource: t.field({ type: BulkResource, required: true, description: 'Of which resource the lines are.' }),
    action: t.field({ type: BulkAction, required: true, description: 'What is done with each line.' }),
    file: t.field({
      type: 'Upload',
      required: true,
      description: 'JSON Lines: a body as the single request of REST takes it in each line, with its names.',
    }),
  }),
});

builder.mutationFields((t) => ({
  startBulkOperation: t.prismaField({
    type: BulkOperation,
    description: `Has a job do what each line of a file says, one after the other, as the single request would. A tenant has at most ${maxUnfinished} unfinished ones. Needs the ability to write the resource as well, until its end.`,
    ability: 'bulk-operations:write',
    extensions: { hasOwnTransaction: true }, // a long file takes seconds
    args: { input: t.arg({ type: StartBulkOperationInput, required: true }) },
    rules: ({ input }, context, problems) => {
      if (!input?.resource) return;
      const { scope, actions }: { scope: string; actions: readonly string[] } = bulkKinds[input.resource];
      requireAbilities(context, [`${scope}:write` as 'customers:write']);
      if (input.action && !actions.includes(input.action)) {
        const values = actions.map((action) => action.toLowerCase());
        problems.add('input.action', 'unknown_value', `Must be one of ${values.join(', ')} for this resource.`, {
          values,
        });
      }
    },
    resolve: async (query, _root, { input: { file, ...input } }, context) => {
      if (file.problem !== undefined) refuse('input.file', ...file.problem);
      return findById(context, 'BulkOperation', await startOperation(context, input, file.path), query);
    },
  }),

  cancelBulkOperation: t.prismaField({
    type: BulkOperation,
    description: 'Ends a bulk operation before its next lines. What is done stays.',
    ability: 'bulk-operations:write',
    args: idArgument,
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        const operation = await found(inside.db.lock('BulkOperation', id, 'no key update'));
        if (!allows(transitions.BulkOperation.cancel, operation.status))
          refuse('status', 'wrong_state', 'Has ended already.');
        await finish(inside, operation, { status: 'CANCELLED' });
        return found(inside.db.model('BulkOperation').findUnique({ ...query, where: key(inside, id) }));
      }),
  }),
}));
