import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';

/** The input of a preview, once the user stops typing. Compared by its text, because each render makes a new object. */
export function useDebouncedInput<Input extends object>(input: Input | undefined): Input | undefined {
  const [text] = useDebouncedValue(JSON.stringify(input), 250);
  return useMemo(() => (text === undefined ? undefined : (JSON.parse(text) as Input)), [text]);
}
