import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

interface Props {
  /** `Body of the request` */
  label: string;
  code: string;
  /** Wraps long lines. Default: they scroll. */
  wrap?: boolean;
}

/** Preformatted text with a copy button. */
export function CodeBlock({ label, code, wrap }: Props): ReactNode {
  return (
    <Box pos="relative">
      <pre
        className="code"
        tabIndex={0}
        role="region"
        aria-label={label}
        style={{ maxHeight: 420, paddingRight: 44, ...(wrap && { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }) }}
      >
        {code}
      </pre>
      <Box pos="absolute" top={8} right={8}>
        <CopyButton value={code} name={label} />
      </Box>
    </Box>
  );
}
