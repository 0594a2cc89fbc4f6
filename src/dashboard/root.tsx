import '@fontsource-variable/geist/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './dashboard.css';
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { StrictMode, type ReactNode } from 'react';
import { App } from './app.tsx';
import { cssVariables, theme } from './theme.ts';

/** The dashboard, with its theme, its dialogs, and its messages. */
export const Root = (): ReactNode => (
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: 'kontor-color-scheme' })}
      cssVariablesResolver={cssVariables}
    >
      <ModalsProvider>
        <App />
      </ModalsProvider>
      <Notifications position="bottom-right" />
    </MantineProvider>
  </StrictMode>
);
