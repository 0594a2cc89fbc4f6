import { expect, it } from 'vitest';
import { date } from '../../src/dashboard/format/format.ts';
import { translateWarning } from '../../src/dashboard/pages/invoices/warning-texts.ts';
import { findAllWarnings } from './invoice-warnings.ts';

it('in English, a warning stays as the server says it', () => {
  const warnings = findAllWarnings();
  expect(warnings.length).toBeGreaterThan(50);
  expect(warnings.map(translateWarning)).toEqual(
    warnings.map((message) => message.replace(/\d{4}-\d{2}-\d{2}(?=\.$)/, date)),
  );
});
