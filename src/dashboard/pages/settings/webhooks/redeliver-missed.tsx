import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Dialog } from '../../../components/dialog.tsx';
import { notifySuccess, notifyError } from '../../../components/toast.ts';
import { toInstant } from '../../../format/day-and-time.ts';
import { graphql } from '../../../graphql.ts';
import { t } from '../../../i18n/t.ts';
import { Trans } from '../../../i18n/trans.ts';

const RedeliverMissed = graphql(`
  mutation RedeliverMissed($webhookId: UUID!, $since: DateTime!) {
    redeliverMissed(webhookId: $webhookId, since: $since)
  }
`);

interface Props {
  webhook: { id: string; url: string };
  onClose: () => void;
}

/** Redelivers the events that a webhook has missed since a given time. */
export function RedeliverMissedDialog({ opened, ...props }: Props & { opened: boolean }): ReactNode {
  return (
    <Dialog title={t('Redeliver missed events')} opened={opened} onClose={props.onClose}>
      <RedeliverMissedForm {...props} />
    </Dialog>
  );
}

function RedeliverMissedForm({ webhook, onClose }: Props): ReactNode {
  const [since, setSince] = useState(() => local(new Date(Date.now() - 86_400_000)));
  const [{ fetching }, redeliver] = useMutation(RedeliverMissed);
  const send = async (): Promise<void> => {
    const { data, error } = await redeliver({ webhookId: webhook.id, since: toInstant(since) });
    if (error) notifyError(error);
    if (!data) return;
    const events = data.redeliverMissed;
    notifySuccess(
      events === 0 ? t('No events were missed since then.') : t('{count} events redelivered.', { count: events }),
    );
    onClose();
  };
  return (
    <Stack>
      <Text size="sm">
        <Trans
          i18nKey="Redelivers each event whose deliveries to <url /> all failed or were set aside. Each gets a new delivery with the same body."
          components={{ url: <Address url={webhook.url} /> }}
        />
      </Text>
      <TextInput
        type="datetime-local"
        label={t('Since')}
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
        required
        data-autofocus
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button onClick={send} loading={fetching} disabled={!since}>
          {t('Redeliver')}
        </Button>
      </Group>
    </Stack>
  );
}

const Address = ({ url }: { url: string }): ReactNode => <b style={{ overflowWrap: 'anywhere' }}>{url}</b>;

/** Formats an instant for datetime-local: in the reader's time zone, to the minute. */
function local(instant: Date): string {
  return new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
