import { Skeleton, Stack, Stepper } from '@mantine/core';
import { useContext, useEffect, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { useSearchParams } from 'wouter';
import { notifyError } from '../../components/toast.ts';
import { LoadError } from '../../errors/error-boundary.tsx';
import { FormScopeContext, registerForm } from '../../forms/unsaved.ts';
import { Page } from '../../layout/page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { CheckFile } from './check-file.tsx';
import { ChooseFile } from './choose-file.tsx';
import { readHead, rowsOfHead, type FileHead } from './file-head.ts';
import { ImportKinds, type Kind } from './fields.ts';
import type { Result } from './import-mutations.ts';
import { MapColumns } from './map-columns.tsx';
import { getColumns, detectPreset, mappingFor, type MappingValues } from './mapping-values.ts';
import { Outcome } from './outcome.tsx';
import { allRecords, type Records } from './records.ts';
import { useImport } from './use-import.ts';
import { t } from '../../i18n/t.ts';

export default function Import(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: ImportKinds });
  return (
    <Page
      title={t('Import')}
      description={t(
        'Records from another system, as CSV files. Import customers first, then projects, then the rest.',
      )}
      guide={{ href: '/docs/moving', label: t('Moving in and out') }}
    >
      {data ? (
        <Wizard kinds={data.importKinds} />
      ) : error ? (
        <LoadError error={error} refetch={refetch} />
      ) : (
        <Skeleton h={320} />
      )}
    </Page>
  );
}

function Wizard({ kinds }: { kinds: readonly Kind[] }): ReactNode {
  const [search] = useSearchParams();
  const [step, setStep] = useState(0);
  const [records, setRecords] = useState<Records>(
    findOneOf(search.get('records') ?? undefined, allRecords) ?? 'CUSTOMER',
  );
  const [head, setHead] = useState<FileHead>();
  const [mapping, setMapping] = useState<MappingValues>();
  const [guessed, setGuessed] = useState<MappingValues>();
  const [checked, setChecked] = useState<Result>();
  const [outcome, setOutcome] = useState<Result>();
  const run = useImport(records);
  const kind = kinds.find(({ resource }) => resource === records);
  useAskToLeave(mapping !== guessed && outcome === undefined);

  const guessFor = (of: FileHead, as: Records): void => {
    const chosen = kinds.find(({ resource }) => resource === as);
    const rows = rowsOfHead(of);
    if (chosen) {
      const guess = mappingFor(chosen, rows, detectPreset(chosen, getColumns(rows)));
      setMapping(guess);
      setGuessed(guess);
    }
    setHead(of);
  };
  /** Takes a file, or another way to read it. With the same headings as before, the mapping stays. */
  const take = (changed: FileHead): void => {
    const isSame = head && JSON.stringify(rowsOfHead(head)[0]) === JSON.stringify(rowsOfHead(changed)[0]);
    if (isSame) setHead(changed);
    else guessFor(changed, records);
  };
  const choose = async (file: File): Promise<void> => {
    try {
      take(await readHead(file));
    } catch (unreadable) {
      notifyError((unreadable as Error).message);
    }
  };
  const changeRecords = (as: Records): void => {
    setRecords(as);
    if (head) guessFor(head, as);
  };
  const send = async (dryRun: boolean): Promise<void> => {
    if (!head || !mapping) return;
    const result = await run.start(head, mapping, dryRun);
    if (!result) return setStep(1);
    const isDone = !dryRun && result.errors.length === 0;
    if (isDone) setOutcome(result);
    else setChecked(result);
    setStep(isDone ? 3 : 2);
  };
  const startAgain = (): void => {
    setHead(undefined);
    setMapping(undefined);
    setGuessed(undefined);
    setChecked(undefined);
    setOutcome(undefined);
    setStep(0);
  };

  if (!kind) return null;
  return (
    <Stack gap="lg">
      <Stepper
        active={step}
        onStepClick={outcome || run.busy ? undefined : setStep}
        allowNextStepsSelect={false}
        size="sm"
        wrap
      >
        <Stepper.Step label={t('File')} />
        <Stepper.Step label={t('Columns')} />
        <Stepper.Step label={t('Check')} />
      </Stepper>
      {step === 0 && (
        <ChooseFile
          records={records}
          onRecords={changeRecords}
          file={head?.file ?? null}
          onFile={choose}
          onNext={() => setStep(1)}
        />
      )}
      {step === 1 && head && mapping && (
        <MapColumns
          kind={kind}
          head={head}
          onHead={take}
          mapping={mapping}
          onMapping={setMapping}
          run={run}
          onBack={() => setStep(0)}
          onNext={() => void send(true)}
        />
      )}
      {step === 2 && head && checked && (
        <CheckFile
          kind={kind}
          columns={getColumns(rowsOfHead(head))}
          result={checked}
          run={run}
          onBack={() => setStep(1)}
          onImport={() => void send(false)}
        />
      )}
      {outcome && <Outcome records={records} result={outcome} onAgain={startAgain} />}
    </Stack>
  );
}

/** Has the page ask before a mapping that was made by hand is lost, as it asks for a form. */
function useAskToLeave(isUnsaved: boolean): void {
  const scope = useContext(FormScopeContext);
  useEffect(() => {
    let asks = isUnsaved;
    return registerForm(scope, { isUnsaved: () => asks, discard: () => (asks = false) });
  }, [scope, isUnsaved]);
}
