import { builder } from '../builder.ts';
import { text } from '../input/validators.ts';

/** Bounds of an id in another system. */
export const externalId = text(255);

export const externalIdArgument = builder.args((t) => ({
  externalId: t.string({
    description: 'Only the row that was imported with this id of the other system.',
    validate: externalId,
  }),
}));

export const byExternalId = (id: string) => ({ externalId: id });
