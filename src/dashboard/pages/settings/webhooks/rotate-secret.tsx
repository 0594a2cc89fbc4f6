import { Button, Group, Radio, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Dialog } from '../../../components/dialog.tsx';
import { failed } from '../../../components/toast.ts';
import { graphql } from '../../../graphql.ts';

const RotateSecret = graphql(`
  mutation RotateWebhookSecret($id: UUID!, $immediately: Boolean!) {
    rotateWebhookSecret(id: $id, immediately: $immediately) {
      secret
    }
  }
`);

interface Props {
  webhookId: string;
  opened: boolean;
  onClose: () => void;
  onDone: (secret: string) => void;
}

export function RotateSecretDialog({ webhookId, opened, onClose, onDone }: Props): ReactNode {
  const [when, setWhen] = useState('later');
  const [{ fetching }, rotate] = useMutation(RotateSecret);
  const send = async (): Promise<void> => {
    const { data, error } = await rotate({ id: webhookId, immediately: when === 'now' });
    if (error) failed(error);
    if (data) onDone(data.rotateWebhookSecret.secret);
  };
  return (
    <Dialog title="Rotate the secret" opened={opened} onClose={onClose}>
      <Stack>
        <Radio.Group
          label="When does X-Service-Signature change over?"
          description="For 24 hours the Standard Webhooks header, webhook-signature, carries signatures of both secrets either way."
          value={when}
          onChange={setWhen}
        >
          <Stack gap="sm" mt="sm">
            <Radio value="later" label="In 24 hours" description="Put the new secret in place by then." />
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
          <Button onClick={send} loading={fetching}>
            Make a new secret
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
