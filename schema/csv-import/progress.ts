import { builder } from '../graphql/builder.ts';
import type { Context } from '../graphql/context.ts';
import { refusal } from '../graphql/input/issues.ts';
import { requiredText } from '../graphql/input/validators.ts';

/** Progress is announced each time that so many rows are done. */
const announcedRows = 500;

/** An id of the caller's choice. A notification's parts are separated by spaces. */
export const progressIdText = requiredText(64)
  .refine((id) => /^[\w-]*$/.test(id), refusal('invalid_format', 'Must have only letters, digits, - and _.'))
  .meta({ pattern: '^[A-Za-z0-9_-]+$' });

/** Counts what is done of an import. Each row counts when it has been read, and again when it has been written. */
export class Progress {
  readonly #announce: (done: number) => void;
  #done = 0;
  #announced = 0;

  /** @param id by which the caller follows the import; null if nobody does */
  constructor(context: Context, id: string | null, rows: number) {
    this.#announce = (done) => {
      // A transaction that is retried writes its rows again.
      if (id !== null) context.notifications.notify('imports', `${id} ${Math.min(done, 2 * rows)} ${2 * rows}`);
    };
    this.#announce(0);
  }

  add(rows: number): void {
    this.#done += rows;
    if (this.#done - this.#announced < announcedRows) return;
    this.#announced = this.#done;
    this.#announce(this.#done);
  }
}

interface Announced {
  done: number;
  total: number;
}

const ImportProgress = builder.objectRef<Announced>('ImportProgress').implement({
  description: 'How far an import is.',
  fields: (t) => ({
    done: t.exposeInt('done', { description: 'The steps that are done.' }),
    total: t.exposeInt('total', { description: 'All steps: each row is read and written.' }),
  }),
});

builder.subscriptionField('importProgress', (t) =>
  t.field({
    type: ImportProgress,
    description:
      'The progress of an import from now on, a dry run included. The answer of the import says when it has ended, and what became of it.',
    args: { id: t.arg.string({ required: true, description: "The import's `progressId`.", validate: progressIdText }) },
    subscribe: (_root, { id }, context) =>
      context.notifications.watch('imports', ([ofImport, ...counts]) =>
        ofImport === id ? counts.join(' ') : undefined,
      ),
    resolve: (announced) => {
      const [done, total] = String(announced).split(' ').map(Number);
      return { done: done ?? 0, total: total ?? 0 };
    },
  }),
);
