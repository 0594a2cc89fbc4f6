import { expect, it } from 'vitest';
import { translateWarning } from '../../src/dashboard/pages/invoices/warning-texts.ts';
import { findAllWarnings } from './invoice-warnings.ts';

it('in English, a warning stays as the server says it', () => {
  const warnings = findAllWarnings();
  expect(warnings.length).toBeGreaterThan(50);
  expect(warnings.map(translateWarning)).toEqual(warnings);
});
