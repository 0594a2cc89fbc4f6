import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { toCount } from '../../forms/form-values.ts';
import { Form, useSubmit } from '../../forms/form.tsx';
import { count } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';

const UpdateApiToken = graphql(`
  mutation UpdateApiToken($id: UUID!, $input: UpdateApiTokenInput!) {
    updateApiToken(id: $id, input: $input) {
      id
      requestsPerMinute
    }
  }
`);

/** The limits of the installation; null until they are read. */
export type TokenLimits = { requestsPerMinute: number | null; maxRequestsPerMinute: number } | null;

interface Token {
  id: string;
  name: string;
  requestsPerMinute: number | null;
}

export function describeLimits(limits: TokenLimits): string {
  if (limits === null) return '';
  const max = count(limits.maxRequestsPerMinute);
  return limits.requestsPerMinute === null
    ? t('Up to {max}; empty for no limit', { max })
    : t('Up to {max}; empty for {usual}', { max, usual: count(limits.requestsPerMinute) });
}

/** The limit of a token: its own, but at most the highest, or the usual one. */
export function showLimit(own: number | null, limits: TokenLimits): string {
  const { requestsPerMinute: usual = null, maxRequestsPerMinute: max = 0 } = limits ?? {};
  if (usual === null) return t('No limit');
  return count(own === null ? usual : Math.min(own, max));
}

export function ChangeLimit({ token, limits }: { token: Token; limits: TokenLimits }): ReactNode {
  const [opened, dialog] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={dialog.open}
        aria-label={t('Change the limit of {name}', { name: token.name })}
      >
        {t('Limit')}
      </Button>
      <Dialog title={t('Change the limit')} opened={opened} onClose={dialog.close}>
        <LimitForm token={token} limits={limits} onClose={dialog.close} />
      </Dialog>
    </>
  );
}

function LimitForm({ token, limits, onClose }: { token: Token; limits: TokenLimits; onClose: () => void }): ReactNode {
  const [, update] = useMutation(UpdateApiToken);
  const form = useForm({
    mode: 'controlled',
    initialValues: { requestsPerMinute: token.requestsPerMinute?.toString() ?? '' },
  });
  const submission = useSubmit(
    form,
    ({ requestsPerMinute }) => update({ id: token.id, input: { requestsPerMinute: toCount(requestsPerMinute) } }),
    () => {
      onClose();
      notifySuccess(t('The limit holds from the next request.'));
    },
  );
  return (
    <Form submission={submission} submit={t('Save')} onCancel={onClose}>
      <TextInput
        label={t('Requests a minute')}
        description={describeLimits(limits)}
        inputMode="numeric"
        data-autofocus
        {...form.getInputProps('requestsPerMinute')}
      />
    </Form>
  );
}
