import { Alert, Button, Group, Radio, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Dialog } from '../../../components/dialog.tsx';
import { notifyError } from '../../../components/toast.ts';
import { dateTime } from '../../../format/format.ts';
import { graphql } from '../../../graphql.ts';
import { t } from '../../../i18n/t.ts';

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
  /** When each previous secret expires, oldest first. While there are two, the secret can't be rotated again. */
  formerUntil: readonly string[];
  onClose: () => void;
  onDone: (secret: string) => void;
}

export function RotateSecretDialog({ opened, ...props }: Props & { opened: boolean }): ReactNode {
  return (
    <Dialog title={t('Rotate the secret')} opened={opened} onClose={props.onClose}>
      <RotateSecretForm {...props} />
    </Dialog>
  );
}

function RotateSecretForm({ webhookId, formerUntil, onClose, onDone }: Props): ReactNode {
  const [when, setWhen] = useState('later');
  const [{ fetching }, rotate] = useMutation(RotateSecret);
  const [oldest, another] = formerUntil;
  const send = async (): Promise<void> => {
    const { data, error } = await rotate({ id: webhookId, immediately: when === 'now' });
    if (error) notifyError(error);
    if (data) onDone(data.rotateWebhookSecret.secret);
  };
  return (
    <Stack>
      {oldest && (
        <Alert color={another ? 'red' : 'yellow'}>
          {another
            ? t('The secret was rotated twice within 24 hours. It can be rotated again from {time}.', {
                time: dateTime(oldest),
              })
            : t(
                'The previous secret is valid until {time}. That doesn’t change. The current secret stays valid for another 24 hours.',
                { time: dateTime(oldest) },
              )}
        </Alert>
      )}
      <Radio.Group
        label={t('When should X-Service-Signature use the new secret?')}
        description={t(
          'The current secret stays valid for 24 hours. Until then, the Standard Webhooks header, webhook-signature, has the signatures of both secrets in any case.',
        )}
        value={when}
        onChange={setWhen}
      >
        <Stack gap="sm" mt="sm">
          <Radio
            value="later"
            label={oldest ? t('When each previous secret expires') : t('In 24 hours')}
            description={
              oldest
                ? t('The header uses the oldest valid secret. Deploy the new one within 24 hours.')
                : t('Deploy the new secret by then.')
            }
          />
          <Radio
            value="now"
            label={t('Immediately')}
            description={t(
              'If the current secret has leaked. Receivers that verify this header reject requests until they have the new secret.',
            )}
          />
        </Stack>
      </Radio.Group>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button onClick={send} loading={fetching} disabled={another !== undefined}>
          {t('Rotate secret')}
        </Button>
      </Group>
    </Stack>
  );
}
