import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface Props extends AnchorProps {
  className?: string;
  /** A page of the dashboard; `~/…` is outside of the tenant. */
  to: string;
  children: ReactNode;
}

/** A link within the dashboard. Underline it inside of a sentence, where colour alone is not enough to recognize it. */
export const TextLink = (props: Props): ReactNode => <Anchor component={Link} size="sm" {...props} />;
