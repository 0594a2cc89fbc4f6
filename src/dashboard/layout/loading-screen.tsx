import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/t.ts';

/** Shown until it is known whether a user is signed in. */
export function LoadingScreen(): ReactNode {
  return (
    <Center h="100dvh" component="main" aria-busy>
      <Loader type="dots" role="status" aria-label={t('Loading')} />
    </Center>
  );
}
