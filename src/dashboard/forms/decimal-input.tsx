import { TextInput, type TextInputProps } from '@mantine/core';
import type { FocusEvent, ReactNode } from 'react';
import { normalized } from './form-values.ts';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string;
  /** Mantine's forms accept an event or a value. */
  onChange?: (value: unknown) => void;
}

/** A field for a decimal. On blur it shows the parsed number, formatted in the locale. */
export function DecimalInput({ value = '', onChange, onBlur, ...rest }: Props): ReactNode {
  const normalize = (event: FocusEvent<HTMLInputElement>): void => {
    const text = normalized(value);
    if (text !== value) onChange?.(text);
    onBlur?.(event);
  };
  return (
    <TextInput inputMode="decimal" autoComplete="off" value={value} onChange={onChange} onBlur={normalize} {...rest} />
  );
}
