import { createTheme, type CSSVariablesResolver } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  components: {
    // Its placeholder for the first focus isn't allowed in a menu; without it the first item has the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true } } },
    // In a narrow row they keep their words, and their neighbours give way.
    Badge: { styles: { root: { flexShrink: 0, minWidth: 'max-content' } } },
    Button: { styles: { root: { flexShrink: 0, maxWidth: '100%' } } },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
});

// Mantine's own secondary and tinted colours stay below the 4.5:1 that WCAG asks of text.
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
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

/** What badges, alerts and the like are painted with. */
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
