import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { FormScopeContext, registerForm } from '../../forms/unsaved.ts';
import { t } from '../../i18n/t.ts';
import { FileAndForm } from './file/file-and-form.tsx';
import { FilePanel } from './file/file-panel.tsx';
import { useCompleteDraft, type DraftCompletion } from './file/complete-draft.ts';
import { ReceiptForm } from './receipt-form.tsx';

interface Props {
  file: File | undefined;
  onFile: (file: File | undefined) => void;
  onDone: (id: string) => void;
  onCancel: () => void;
}

/** A new receipt, filled in beside its file. It is stored as a draft first, which takes the file, and is booked then. */
export function NewReceipt({ file, onFile, onDone, onCancel }: Props): ReactNode {
  const markStored = useUnsavedFile(file);
  const done = (id: string): void => {
    markStored();
    onDone(id);
  };
  const { state, complete } = useCompleteDraft(done);
  const store = (id: string, book: boolean): void => {
    if (file) void complete({ id, file, book });
    else done(id);
  };
  const changeFile = (chosen: File): void => {
    onFile(chosen);
    if (state) void complete({ ...state.draft, file: chosen });
  };
  const canChange = !state || (state.problem !== undefined && state.draft.file !== undefined);
  return (
    <FileAndForm
      isShown={file !== undefined}
      file={
        <FilePanel
          file={file}
          onFile={canChange ? changeFile : undefined}
          onRemove={state ? undefined : () => onFile(undefined)}
        />
      }
    >
      {state ? (
        <CompletionStatus
          state={state}
          again={() => void complete(state.draft)}
          openDraft={() => done(state.draft.id)}
        />
      ) : (
        <ReceiptForm storesDraft={file !== undefined} onCancel={onCancel} onDone={store} />
      )}
    </FileAndForm>
  );
}

/** A photo may be nowhere else: closing the dialog asks. @returns a function that ends that */
function useUnsavedFile(file: File | undefined): () => void {
  const scope = useContext(FormScopeContext);
  const isSettled = useRef(false);
  const hasFile = file !== undefined;
  const [settle] = useState(() => () => {
    isSettled.current = true;
  });
  useEffect(
    () => registerForm(scope, { isUnsaved: () => hasFile && !isSettled.current, discard: settle }),
    [scope, hasFile, settle],
  );
  return settle;
}

interface CompletionStatusProps {
  state: DraftCompletion;
  again: () => void;
  openDraft: () => void;
}

/** The progress of the stored draft, or the problem that stopped it. */
function CompletionStatus({ state: { draft, sent, problem }, again, openDraft }: CompletionStatusProps): ReactNode {
  if (problem === undefined)
    return (
      <Stack gap="xs" role="status">
        <Text>{draft.file ? t('Uploading {name}', { name: draft.file.name }) : t('Booking the receipt')}</Text>
        <Progress value={sent * 100} animated={sent === 1} aria-label={t('Upload')} />
      </Stack>
    );
  return (
    <Stack gap="md">
      <Alert
        color="red"
        role="alert"
        title={draft.file ? t('Saved as a draft, without its file') : t('Saved as a draft, not booked')}
      >
        {problem}
      </Alert>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={openDraft}>
          {t('Open the draft')}
        </Button>
        <Button data-autofocus onClick={again}>
          {t('Try again')}
        </Button>
      </Group>
    </Stack>
  );
}
