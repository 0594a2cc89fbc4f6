import { Card, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Page } from '../../layout/page.tsx';
import { useSession } from '../../session/session.tsx';
import { ChangePassword } from './change-password.tsx';
import { Sessions } from './sessions.tsx';
import { t } from '../../i18n/t.ts';

export default function Account(): ReactNode {
  const { user } = useSession();
  const [passwordChanges, setPasswordChanges] = useState(0);
  return (
    <Page title={t('Account')} description={`${user.name}, ${user.email}`}>
      <Stack gap="xl" maw={860}>
        <div>
          <Title order={2} size="h4">
            {t('Where you are signed in')}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {t('End sessions that you don’t recognize, then change your password.')}
          </Text>
          <Sessions key={passwordChanges} />
        </div>
        <div>
          <Title order={2} size="h4" mb="sm">
            {t('Password')}
          </Title>
          <Card withBorder radius="md" maw={480}>
            <ChangePassword onDone={() => setPasswordChanges(passwordChanges + 1)} />
          </Card>
        </div>
      </Stack>
    </Page>
  );
}
