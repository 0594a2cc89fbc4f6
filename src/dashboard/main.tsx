import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './dashboard.css';
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { language } from './i18n/language.ts';
import { cssVariables, theme } from './theme.ts';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root.');
document.documentElement.lang = language;
createRoot(root).render(
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
  </StrictMode>,
);
