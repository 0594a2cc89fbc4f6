import { TextInput, type TextInputProps } from '@mantine/core';
import type { FocusEvent, ReactNode } from 'react';
import { normalized } from './form-values.ts';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string;
  /** Mantine's forms take an event or a value. */
  onChange?: (typed: unknown) => void;
}

/** A field for a decimal. When it is left, it shows the number that was understood, as the locale writes it. */
export function DecimalInput({ value = '', onChange, onBlur, ...rest }: Props): ReactNode {
  const leave = (event: FocusEvent<HTMLInputElement>): void => {
    const shown = normalized(value);
    if (shown !== value) onChange?.(shown);
    onBlur?.(event);
  };
  return (
    <TextInput inputMode="decimal" autoComplete="off" value={value} onChange={onChange} onBlur={leave} {...rest} />
  );
}
