import { Alert, Button, Group, Radio, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Dialog } from '../../../components/dialog.tsx';
import { failed } from '../../../components/toast.ts';
import { dateTime } from '../../../format/format.ts';
import { graphql } from '../../../graphql.ts';

const RotateSecret = graphql(`
  mutation RotateWebhookSecret($id: UUID!, $immediately: Boolean!) {
    rotateWebhookSecret(id: $id, immediately: $immediately) {
      secret
      webhook {
        id
        formerSecretsUntil
      }
    }
  }
`);

interface Props {
  webhookId: string;
  /** Until when each secret before the current one is good, the oldest first. While there are two, no third can be made. */
  formerUntil: readonly string[];
  opened: boolean;
  onClose: () => void;
  onDone: (secret: string) => void;
}

export function RotateSecretDialog({ webhookId, formerUntil, opened, onClose, onDone }: Props): ReactNode {
  const [when, setWhen] = useState('later');
  const [{ fetching }, rotate] = useMutation(RotateSecret);
  const [oldest, another] = formerUntil;
  const send = async (): Promise<void> => {
    const { data, error } = await rotate({ id: webhookId, immediately: when === 'now' });
    if (error) failed(error);
    if (data) onDone(data.rotateWebhookSecret.secret);
  };
  return (
    <Dialog title="Rotate the secret" opened={opened} onClose={onClose}>
      <Stack>
        {oldest && (
          <Alert color={another ? 'red' : 'yellow'}>
            {another
              ? `The secret was rotated twice within 24 hours. It can be rotated again from ${dateTime(oldest)}.`
              : `The secret was rotated before: the old one is good until ${dateTime(oldest)}. It keeps that time, and the current secret gets 24 hours of its own.`}
          </Alert>
        )}
        <Radio.Group
          label="When does X-Service-Signature change over?"
          description="The current secret stays good for 24 hours. Until then the Standard Webhooks header, webhook-signature, carries its signature beside the new one's, either way."
          value={when}
          onChange={setWhen}
        >
          <Stack gap="sm" mt="sm">
            <Radio
              value="later"
              label={oldest ? 'As each old secret ends' : 'In 24 hours'}
              description={
                oldest
                  ? 'The header stays with the oldest secret that is good. Put the new one in place within 24 hours.'
                  : 'Put the new secret in place by then.'
              }
            />
            <Radio
              value="now"
              label="At once"
              description="If the old secret has leaked. Receivers that check this header refuse until they know the new one."
            />
          </Stack>
        </Radio.Group>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={send} loading={fetching} disabled={another !== undefined}>
            Make a new secret
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
