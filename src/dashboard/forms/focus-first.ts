import type { UseFormReturnType } from '@mantine/form';

/** Gives the focus to the first of a form's fields that are wrong. */
export function focusFirst<Values>(form: UseFormReturnType<Values>, errors: object): void {
  const [first] = Object.keys(errors);
  if (first !== undefined) form.getInputNode(first)?.focus();
}
