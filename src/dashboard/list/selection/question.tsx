import { Box, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useClient, type Client, type CombinedError } from 'urql';
import { t } from '../../i18n/t.ts';
import { LeftRows } from './bulk-dialog.tsx';
import type { Left, QuestionProps, SelectionOptions } from './selection.ts';

interface QuestionFormProps<Row> {
  options: SelectionOptions<Row>;
  rows: readonly Row[];
  left: readonly Left<Row>[];
  /** With how many rows it is done: `18 invoices are issued.` */
  summary: string;
  /** The effect, and whether it can be undone. */
  consequence: string;
  confirm: string;
  isRed?: boolean;
  begin: () => void;
  cancel: () => void;
  /** Fields, and choices. */
  children?: ReactNode;
}

/** Says with which rows an action will be done, and with which not. */
export function QuestionForm<Row extends { id: string }>(props: QuestionFormProps<Row>): ReactNode {
  const { options, rows, left, summary, consequence, confirm, isRed = false, begin, cancel, children } = props;
  const sum = rows.length > 0 && options.addUp?.(rows);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        begin();
      }}
    >
      <Stack gap="md">
        <Text fw={600}>
          {summary}{' '}
          {sum && (
            <Text span inherit className="numbers">
              {sum}
            </Text>
          )}
        </Text>
        <Text size="sm">{consequence}</Text>
        {children}
        {left.length > 0 && (
          <Stack gap={6}>
            <Text size="sm" fw={600}>
              {t('{count} are left as they are:', { count: left.length })}
            </Text>
            <LeftRows options={options} left={left} />
          </Stack>
        )}
      </Stack>
      <Box className="dialog-footer">
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel} {...(isRed && { 'data-autofocus': true })}>
            {t('Cancel')}
          </Button>
          <Button
            type="submit"
            disabled={rows.length === 0}
            {...(isRed ? { color: 'red' } : { 'data-autofocus': true })}
          >
            {confirm}
          </Button>
        </Group>
      </Box>
    </form>
  );
}

interface Texts {
  /** `{count} drafts will be deleted.` */
  summary: (count: number) => string;
  consequence: string;
  confirm: string;
  isRed?: boolean;
  /** `{count} drafts are deleted.` */
  sayDone: (count: number) => string;
}

/** The question of an action that needs nothing but a yes. */
export const buildQuestion =
  <Row extends { id: string }>(
    { summary, sayDone, ...texts }: Texts,
    request: (client: Client, row: Row) => Promise<{ error?: CombinedError | undefined }>,
  ) =>
  ({ begin, ...props }: QuestionProps<Row>): ReactNode => {
    const { rows, left } = props;
    const client = useClient();
    return (
      <QuestionForm
        {...props}
        {...texts}
        summary={summary(rows.length)}
        begin={() => begin({ rows, left, sayDone, request: (row) => request(client, row) })}
      />
    );
  };
