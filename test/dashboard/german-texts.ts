// Prints what German pages say instead of the API's own texts. In a process of its own: pages make their texts once.

Object.defineProperty(globalThis, 'localStorage', { value: { getItem: () => 'de' } });

const { loadTexts, translate } = await import('../../src/dashboard/i18n/t.ts');
await loadTexts();
const { translateWarning } = await import('../../src/dashboard/pages/invoices/warning-texts.ts');
const { saySentence } = await import('../../src/dashboard/errors/server-sentences.ts');
const { explain, loadExplanations } = await import('../../src/dashboard/errors/explain.ts');
await loadExplanations();
const { findAllChecks, findAllWarnings } = await import('./invoice-warnings.ts');
const { rulesByFormat } = await import('../../schema/documents/e-invoice/breaches.ts');

const laws = new Set(findAllChecks().flatMap(({ law }) => law ?? []));
const rules = Object.values(rulesByFormat).flat();
process.stdout.write(
  JSON.stringify({
    warnings: findAllWarnings().map(translateWarning),
    laws: [...laws].map((law) => [law, translate(law)]),
    problems: (JSON.parse(process.argv[3] ?? '[]') as Parameters<typeof explain>[0][]).map(explain),
    sentences: (JSON.parse(process.argv[2] ?? '[]') as string[]).map(saySentence),
    rules: rules.map(({ message }) => [message, translate(message)]),
  }),
);
