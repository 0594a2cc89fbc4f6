import { takeFirstMatch } from './forms/first-match.ts';
import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import { t } from './i18n/t.ts';

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: '"Geist Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  components: {
    // The placeholder is not allowed inside a menu. Without it the first item gets the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Enter takes the first match. A choice is undone by the button that clears it, not by choosing it again.
    Select: { defaultProps: { onKeyDownCapture: takeFirstMatch, allowDeselect: false } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': t('Close') } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': t('Close') } } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true } } },
    // In a narrow row these keep their text, and their neighbours shrink.
    Badge: { styles: { root: { flexShrink: 0, minWidth: 'max-content' } } },
    Button: { styles: { root: { flexShrink: 0, maxWidth: '100%' } } },
    // Beside a title, Mantine dims the text below what is readable.
    Notification: { styles: { description: { color: 'inherit' } } },
    Skeleton: { defaultProps: { radius: 'sm', 'aria-busy': true } },
  },
});

// Mantine's secondary and tinted colours have less contrast than the 4.5:1 that WCAG requires for text.
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {
    // Bold weights of Geist are darker than those of the fonts for which Mantine's are made.
    '--mantine-font-weight-bold': '600',
  },
  light: {
    '--surface': 'var(--mantine-color-white)',
    '--row-focused': 'var(--mantine-color-gray-0)',
    '--row-selected': 'var(--mantine-color-indigo-0)',
    '--chart-invoiced': 'var(--mantine-color-indigo-6)',
    '--chart-paid': 'var(--mantine-color-teal-6)',
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-red-filled': 'var(--mantine-color-red-9)',
    '--mantine-color-red-text': 'var(--mantine-color-red-9)',
    ...tints(Object.keys(colors), (color) => [
      `var(--mantine-color-${color}-0)`,
      `var(--mantine-color-${color}-1)`,
      `color-mix(in srgb, var(--mantine-color-${color}-9), black 30%)`,
    ]),
  },
  dark: {
    '--surface': 'var(--mantine-color-dark-6)',
    '--row-focused': 'var(--mantine-color-dark-5)',
    '--row-selected': 'color-mix(in srgb, var(--mantine-color-indigo-8), transparent 75%)',
    '--chart-invoiced': 'var(--mantine-color-indigo-4)',
    '--chart-paid': 'var(--mantine-color-teal-5)',
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-red-filled': 'var(--mantine-color-red-9)',
    '--mantine-color-red-text': 'var(--mantine-color-red-4)',
    ...tints(Object.keys(colors), (color) => [
      `color-mix(in srgb, var(--mantine-color-${color}-8), transparent 82%)`,
      `color-mix(in srgb, var(--mantine-color-${color}-8), transparent 75%)`,
      `var(--mantine-color-${color}-2)`,
    ]),
  },
});

type Tint = [background: string, hover: string, text: string];

/** The colours of badges, alerts, and the like. */
const tints = (names: string[], tint: (color: string) => Tint): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((color) => {
      const [background, hover, text] = tint(color);
      const name = `--mantine-color-${color}-light`;
      return [
        [name, background],
        [`${name}-hover`, hover],
        [`${name}-color`, text],
      ];
    }),
  );
