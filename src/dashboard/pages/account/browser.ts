import { t } from '../../i18n/t.ts';

// In order of precedence: Edge also names Chrome and Safari, and Chrome also names Safari.
const browsers: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
];

const systems: [name: string, pattern: RegExp][] = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];

/** The browser's name from its user agent: `Firefox on Windows`. Only common browsers are recognized. */
export function describeBrowser(userAgent: string | null): string {
  if (!userAgent) return t('Unknown browser');
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  if (!browser) return userAgent.slice(0, 40);
  return system ? t('{browser} on {system}', { browser, system }) : browser;
}
