import { Alert, Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { OperationResult } from 'urql';
import { getCode, type IdempotentContext } from '../api/client.ts';
import { buildFormErrors } from '../errors/form-errors.ts';
import { fieldName } from '../errors/plain-messages.ts';
import { focusFirst } from './focus-first.ts';
import { mergeEdits, taken, type Change, type StoredState } from './edit-conflict.ts';
import { randomId } from './random-id.ts';
import type { Kept } from './use-kept-input.ts';
import { useUnsaved, type Unsaved } from './use-unsaved.ts';
import { t } from '../i18n/t.ts';

export interface Submission {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  busy: boolean;
  /** Errors that belong to no field. */
  errors: string[];
  /** Changes that were made elsewhere since the form was opened. The user reviews them before saving. */
  changes: ReviewedChange[];
  /** The reason why the form's row can no longer be edited. */
  blocked: string | undefined;
  unsaved: Unsaved;
  /** The input that a reload has kept, and what to do with it. */
  restored: Restored | undefined;
}

interface Restored {
  /** Changes that were made elsewhere meanwhile. */
  changes: string[];
  discard: () => void;
  accept: () => void;
}

/** A change that was made elsewhere, and a function that takes its value where the field was changed here as well. */
interface ReviewedChange {
  text: string;
  take?: () => void;
}

/** The row that a form edits, as the form last read it. */
interface Known<Values> {
  values: Values;
  version: number | undefined;
}

/** The changes that were made elsewhere, and what the user has decided. */
interface Review<Values> {
  /** The stored values. */
  theirs: Values;
  changes: Change<Values>[];
  /** The fields whose stored value the user has taken. */
  taken: string[];
}

function reviewedChange<Values>(
  { text, conflict }: Change<Values>,
  review: Review<Values>,
  name: (field: string) => string,
  take: (review: Review<Values>, field: keyof Values & string) => void,
): ReviewedChange {
  if (conflict === undefined) return { text };
  if (review.taken.includes(conflict)) return { text: taken(conflict, review.theirs[conflict], name) };
  return { text, take: () => take(review, conflict) };
}

/** The row that a form edits. */
export interface Edited<Values> {
  /** The row's version when the form was opened; undefined for rows without versions. */
  version?: number;
  /** Reads the row as it is stored now. */
  read: () => Promise<StoredState<Values>>;
}

/** Names a field as the form does: by its label. */
const labelIn =
  <Values,>(form: UseFormReturnType<Values>) =>
  (path: string): string => {
    const node: Element | null = form.getInputNode(path);
    const label =
      node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement ? node.labels?.[0] : undefined;
    const text = label?.textContent ?? node?.getAttribute('aria-label');
    return text?.replace(/\s*\*$/, '') || fieldName(path);
  };

/** How often a form is sent again by itself, because the row was changed in between. */
const maxConflicts = 3;

/**
 * Submits a form. Validation errors are shown beside the fields, which have the names of the input's paths, such as
 * `items.0.quantity`; the first invalid field gets the focus. The input stays until it is saved. After a network error,
 * sending the same values again uses the same Idempotency-Key, so that they are saved once. Before a row is changed, changes
 * made elsewhere are merged. If the row changes after that, the server refuses the version, and they are merged again.
 * @param send runs the mutation. An update expects the version
 * @param edited the row, for a form that edits one
 * @param kept the input that a reload keeps
 */
export function useSubmit<Values extends object, Data>(
  form: UseFormReturnType<Values>,
  send: (values: Values, context: IdempotentContext, version?: number) => Promise<OperationResult<Data>>,
  onDone: (data: Data) => void | Promise<void>,
  edited?: Edited<Values>,
  kept?: Kept<Values>,
): Submission {
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<string[]>([]);
  const [review, setReview] = useState<Review<Values>>();
  const [blocked, setBlocked] = useState<string>();
  const [unconfirmed, setUnconfirmed] = useState<{ key: string; request: string }>();
  const unsaved = useUnsaved(form, kept);
  const [isRestored, setRestored] = useState(kept?.isRestored ?? false);
  const { values: typed } = form;
  useEffect(() => kept?.keep(typed), [kept, typed]);
  const [known, setKnown] = useState<Known<Values>>(() => ({
    values: kept?.base ?? form.getValues(),
    version: edited?.version,
  }));
  /** Merges changes that were made elsewhere. @returns whether the form can be sent unchanged, and the row as it is */
  const merge = async (before: Known<Values>): Promise<{ isUpToDate: boolean; now: Known<Values> }> => {
    const stored = await edited?.read();
    const now = { values: stored?.values ?? before.values, version: stored?.version ?? before.version };
    setKnown(now);
    if (stored?.blocked) setBlocked(stored.blocked);
    const theirs = stored?.values;
    if (!theirs) return { isUpToDate: !stored?.blocked, now };
    const merged = mergeEdits(before.values, form.getValues(), theirs, labelIn(form));
    form.setValues(merged.values);
    setReview({ theirs, changes: merged.changes, taken: [] });
    return { isUpToDate: merged.changes.length === 0, now };
  };

  const submit = async (values: Values, before = known, conflicts = 0): Promise<void> => {
    const { isUpToDate, now } = blocked ? { isUpToDate: true, now: before } : await merge(before);
    if (!isUpToDate) return;
    const text = JSON.stringify([values, now.version]);
    const key = unconfirmed?.request === text ? unconfirmed.key : randomId();
    const { data, error } = await send(values, { idempotencyKey: key }, now.version);
    setUnconfirmed(error?.networkError ? { key, request: text } : undefined);
    if (error && getCode(error) === 'VERSION_CONFLICT' && conflicts < maxConflicts)
      return submit(values, now, conflicts + 1);
    if (error) {
      const { fields, rest } = buildFormErrors(error, (path) => form.getInputNode(path) !== null);
      form.setErrors(fields);
      setErrors(rest);
      focusFirst(form, fields);
    } else if (data) {
      // A row's form stays as it is. Another one may be typed into no longer, or has new initial values after onDone.
      const saved = edited && values;
      unsaved.markSaved(saved);
      setRestored(false);
      await onDone(data); // a form that has more to do is not sent again meanwhile
      unsaved.markSaved(saved);
    }
  };

  const handle = form.onSubmit(
    async (values) => {
      setBusy(true);
      setErrors([]);
      setReview(undefined);
      await submit(values)
        .catch((error: unknown) => {
          setErrors([t('Something went wrong. Try again.')]);
          throw error; // the browser's console names it
        })
        .finally(() => setBusy(false));
    },
    (invalid) => focusFirst(form, invalid),
  );
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    // In React, the event of a form in a dialog bubbles to the form that contains the dialog.
    event.stopPropagation();
    // A key sends the form also while its button is disabled.
    if (busy) event.preventDefault();
    else handle(event);
  };
  const take = ({ theirs, ...rest }: Review<Values>, field: keyof Values & string): void => {
    form.setValues({ ...form.getValues(), [field]: theirs[field] });
    setReview({ ...rest, theirs, taken: [...rest.taken, field] });
  };
  const changes = review ? review.changes.map((change) => reviewedChange(change, review, labelIn(form), take)) : [];
  const restored = kept &&
    isRestored && {
      changes: kept.changes.map(({ text }) => text),
      accept: () => setRestored(false),
      discard: () => {
        form.setValues(kept.base);
        form.clearErrors();
        setRestored(false);
      },
    };
  return { onSubmit, busy, errors, changes, blocked, unsaved, restored: restored || undefined };
}

interface FormProps {
  submission: Submission;
  /** The label of the submit button: `Add the webhook`. */
  submit: string;
  onCancel?: () => void;
  children: ReactNode;
  danger?: boolean;
  /** Where the buttons are, if not below the fields. */
  footer?: (buttons: ReactNode) => ReactNode;
}

/** A form and its buttons. The browser's own validation is off, so that all error messages come from the server. */
export function Form({ submission, submit, onCancel, children, danger, footer }: FormProps): ReactNode {
  const cancel = async (): Promise<void> => {
    if (await submission.unsaved.confirmDiscard()) onCancel?.();
  };
  const buttons = (
    <>
      {onCancel && (
        <Button variant="default" onClick={() => void cancel()}>
          {t('Cancel')}
        </Button>
      )}
      <Button type="submit" loading={submission.busy} {...(danger && { color: 'red' })}>
        {submit}
      </Button>
    </>
  );
  return (
    <form onSubmit={submission.onSubmit} noValidate>
      <Stack gap="md">
        <FormMessages submission={submission} />
        {children}
        {footer ? (
          footer(buttons)
        ) : (
          <Group justify="flex-end" gap="xs">
            {buttons}
          </Group>
        )}
      </Stack>
    </form>
  );
}

/** Messages above the fields. */
export function FormMessages({ submission }: { submission: Submission }): ReactNode {
  const { errors, changes, blocked, restored } = submission;
  const top = useRef<HTMLDivElement>(null);
  const hasMessages = errors.length > 0 || changes.length > 0 || blocked !== undefined;
  // They were caused by a button that may be far below.
  useEffect(() => {
    if (hasMessages) top.current?.scrollIntoView({ block: 'center' });
  }, [hasMessages]);
  return (
    <>
      {hasMessages && <div ref={top} />}
      {restored && (
        <Alert color="blue" role="status" title={t('Your unsaved input is back')}>
          <Stack gap="xs" align="flex-start">
            <span>{t('It was kept in this tab while the page was loaded anew. It isn’t saved yet.')}</span>
            {restored.changes.map((text) => (
              <span key={text}>{text}</span>
            ))}
            <Group gap="xs">
              <Button size="compact-sm" variant="default" onClick={restored.accept}>
                {t('Keep it')}
              </Button>
              <Button size="compact-sm" variant="default" onClick={restored.discard}>
                {t('Discard it')}
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {blocked && (
        <Alert color="yellow" role="alert" title={t('Not saved')}>
          {blocked} {t('Your input is still here.')}
        </Alert>
      )}
      {changes.length > 0 && (
        <Alert color="yellow" role="alert" title={t('Not saved yet: changed elsewhere')}>
          {changes.map(({ text, take }) => (
            <Group key={text} gap="xs">
              <span>{text}</span>
              {take && (
                <Button size="compact-xs" variant="default" onClick={take}>
                  {t('Use the other value')}
                </Button>
              )}
            </Group>
          ))}
          <div>{t('Review the changes, then save again.')}</div>
        </Alert>
      )}
      {errors.length > 0 && (
        <Alert color="red" role="alert" title={t('Not saved')}>
          {errors.map((message) => (
            <div key={message}>{message}</div>
          ))}
        </Alert>
      )}
    </>
  );
}
