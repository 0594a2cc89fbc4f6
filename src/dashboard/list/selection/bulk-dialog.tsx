import { Anchor, Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { Fragment, useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { changeByOthers, errorMessage } from '../../errors/form-errors.ts';
import { count } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import type { BulkAction, Left, SelectionOptions, Work } from './selection.ts';

interface Props<Row> {
  options: SelectionOptions<Row>;
  action: BulkAction<Row>;
  /** The selected rows. */
  rows: readonly Row[];
  onClose: () => void;
  /** Called with the rows with which it was not done. */
  onEnd: (left: string[]) => void;
}

type Step<Row> =
  | { name: 'ASKING' }
  | { name: 'RUNNING'; at: number; of: number }
  | { name: 'ENDED'; done: string; left: readonly Left<Row>[] };

/** Asks whether an action is to be done with the selected rows, does it with one after the other, and says what was left. */
export function BulkDialog<Row extends { id: string }>(props: Props<Row>): ReactNode {
  const { options, action, rows, onClose, onEnd } = props;
  const [step, setStep] = useState<Step<Row>>({ name: 'ASKING' });
  const isStopped = useRef(false);
  useEffect(() => {
    isStopped.current = false;
    return () => void (isStopped.current = true);
  }, []);
  const isRunning = step.name === 'RUNNING';
  useEffect(() => {
    if (!isRunning) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isRunning]);

  const begin = async (work: Work<Row>): Promise<void> => {
    const { done, left } = await runWork(work, isStopped, (at) =>
      setStep({ name: 'RUNNING', at, of: work.rows.length }),
    );
    onEnd(left.map(({ row }) => row.id));
    if (left.length === 0) {
      notifySuccess(work.sayDone(done));
      return onClose();
    }
    setStep({ name: 'ENDED', done: work.sayDone(done), left });
  };
  const stop = (): void => void (isStopped.current = true);
  const { Question } = action;
  return (
    <Dialog title={action.title} opened onClose={isRunning ? stop : onClose}>
      {step.name === 'ASKING' && (
        <Question
          options={options}
          rows={rows.filter(action.isFor)}
          left={rows.filter((row) => !action.isFor(row)).map((row) => ({ row, reason: action.notFor }))}
          begin={(work) => void begin(work)}
          cancel={onClose}
        />
      )}
      {step.name === 'RUNNING' && <Running at={step.at} of={step.of} stop={stop} />}
      {step.name === 'ENDED' && <Ended options={options} done={step.done} left={step.left} close={onClose} />}
    </Dialog>
  );
}

/** Does the work with one row after the other, until it is stopped or the server can't be reached. */
async function runWork<Row>(
  { rows, left: leftBefore, request }: Work<Row>,
  isStopped: { readonly current: boolean },
  onRow: (at: number) => void,
): Promise<{ done: number; left: Left<Row>[] }> {
  const left: Left<Row>[] = [];
  let done = 0;
  let hindrance: string | undefined;
  for (const [at, row] of rows.entries()) {
    if (isStopped.current) hindrance ??= t('Stopped before this one.');
    if (hindrance !== undefined) {
      left.push({ row, reason: hindrance });
      continue;
    }
    onRow(at);
    const { error } = await request(row);
    if (!error) {
      done += 1;
      continue;
    }
    const reason = changeByOthers(error) ?? errorMessage(error);
    if (error.networkError) hindrance = reason;
    left.push({ row, reason });
  }
  return { done, left: [...left, ...leftBefore] };
}

function Running({ at, of, stop }: { at: number; of: number; stop: () => void }): ReactNode {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <Stack gap="md" ref={panel} tabIndex={-1} style={{ outline: 'none' }} aria-busy>
      <Text size="sm">
        {t('{done} of {total} are done. Keep this page open.', { done: count(at), total: count(of) })}
      </Text>
      <Progress value={(at / of) * 100} aria-label={t('Progress')} />
      <Group justify="flex-end">
        <Button variant="default" onClick={stop}>
          {t('Stop')}
        </Button>
      </Group>
    </Stack>
  );
}

interface EndedProps<Row> {
  options: SelectionOptions<Row>;
  done: string;
  left: readonly Left<Row>[];
  close: () => void;
}

function Ended<Row extends { id: string }>({ options, done, left, close }: EndedProps<Row>): ReactNode {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <Stack gap="md">
      <Stack gap="md" ref={panel} tabIndex={-1} style={{ outline: 'none' }}>
        <Text fw={600} role="status">
          {done} {t('{count} are left as they are:', { count: left.length })}
        </Text>
        <LeftRows options={options} left={left} />
      </Stack>
      <Group justify="flex-end" className="dialog-footer">
        <Button onClick={close}>{t('Close')}</Button>
      </Group>
    </Stack>
  );
}

/** Rows with which an action isn't done, by the reason. */
export const LeftRows = <Row extends { id: string }>({
  options,
  left,
}: Pick<EndedProps<Row>, 'options' | 'left'>): ReactNode => (
  <List size="sm" spacing={6} aria-label={t('Left as they are')}>
    {[...Map.groupBy(left, ({ reason }) => reason)].map(([reason, group]) => (
      <List.Item key={reason} className="long">
        {group.map(({ row }, at) => (
          <Fragment key={row.id}>
            {at > 0 && ' · '}
            <RowName options={options} row={row} />
          </Fragment>
        ))}
        {`: ${reason}`}
      </List.Item>
    ))}
  </List>
);

const RowName = <Row extends { id: string }>({
  options: { getName, getPath },
  row,
}: Pick<Props<Row>, 'options'> & { row: Row }): ReactNode =>
  getPath ? (
    <Anchor component={Link} to={getPath(row)} size="sm" underline="always">
      {getName(row)}
    </Anchor>
  ) : (
    getName(row)
  );
