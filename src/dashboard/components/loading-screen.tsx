import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';

/** While it isn't known yet who is there. */
export function LoadingScreen(): ReactNode {
  return (
    <Center h="100dvh" component="main" aria-busy>
      <Loader type="dots" role="status" aria-label="Opening" />
    </Center>
  );
}
