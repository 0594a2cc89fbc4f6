import { builder } from '../../graphql/builder.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { Anchor } from './type.ts';

const AnchorConnection = builder.connectionObject({ type: Anchor, name: 'AnchorConnection' });

builder.queryFields((t) => ({
  anchor: t.prismaField({
    type: Anchor,
    nullable: true,
    description: 'One anchor.',
    ability: 'audit:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Anchor', id, query),
  }),
  anchors: t.connection(
    {
      type: Anchor,
      description:
        'The anchors, newest first: at most one a day, if the books have changed. Keep them elsewhere: an anchor proves all documents and the audit log up to it.',
      ability: 'audit:read',
      args: { offset: t.arg.int() },
      resolve: (_root, args, context, info) => readPage({ context, info }, 'Anchor', args, {}),
    },
    AnchorConnection,
  ),
}));
