import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { BeakerIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { Dialog } from '../components/dialog.tsx';
import { notifySuccess } from '../components/toast.ts';
import { Form, useSubmit } from '../forms/form.tsx';
import { toInstant } from '../format/day-and-time.ts';
import { dateTime } from '../format/format.ts';
import { graphql } from '../graphql.ts';
import { TestClockQuery } from '../session/tenant-clock.tsx';
import { t } from '../i18n/t.ts';

const SetTestClock = graphql(`
  mutation SetTestClock($input: SetTestClockInput!) {
    setTestClock(input: $input) {
      now
    }
  }
`);

/** Says on each page of a test tenant what it is, and what time its clock says. */
export default function TestNotice(): ReactNode {
  const [{ data }, refetch] = useQuery({ query: TestClockQuery });
  const [setting, dialog] = useDisclosure();
  return (
    <Alert color="orange" variant="light" mb="md" py="xs" role="note" icon={<BeakerIcon aria-hidden />}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {t('This is a test tenant: nothing here is real.')}{' '}
          {data && t('Its clock says {time}.', { time: dateTime(data.testClock.now) })}
        </Text>
        <Button size="xs" variant="default" onClick={dialog.open}>
          {t('Set the clock')}
        </Button>
      </Group>
      <Dialog title={t('Set the clock')} opened={setting} onClose={dialog.close}>
        <ClockForm
          onCancel={dialog.close}
          onDone={() => {
            dialog.close();
            refetch({ requestPolicy: 'network-only' });
          }}
        />
      </Dialog>
    </Alert>
  );
}

function ClockForm({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }): ReactNode {
  const [, setClock] = useMutation(SetTestClock);
  const form = useForm({ mode: 'uncontrolled', initialValues: { now: '' } });
  const submission = useSubmit(
    form,
    ({ now }, context) => setClock({ input: { now: toInstant(now) } }, context),
    ({ setTestClock: { now } }) => {
      notifySuccess(t('Its clock says {time}.', { time: dateTime(now) }));
      onDone();
    },
  );
  return (
    <Form submission={submission} submit={t('Set the clock')} onCancel={onCancel}>
      <TextInput
        type="datetime-local"
        label={t('Time')}
        description={t('Only forward. What is due or overdue follows.')}
        required
        key={form.key('now')}
        {...form.getInputProps('now')}
      />
    </Form>
  );
}
