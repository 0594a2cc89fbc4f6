import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { loadExplanations } from './errors/explain.ts';
import { language } from './i18n/language.ts';
import { loadTexts } from './i18n/t.ts';

// Not with `await` outside of a function: the app imports what this file imports, and would wait for this file to end.
async function start(): Promise<void> {
  const element = document.querySelector('#root');
  if (!element) throw new Error('index.html has no #root.');
  document.documentElement.lang = language;
  await loadTexts();
  const [{ Root }] = await Promise.all([import('./root.tsx'), loadExplanations()]);
  createRoot(element).render(createElement(Root));
}

void start();
