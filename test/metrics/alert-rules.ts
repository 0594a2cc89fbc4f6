import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

/** The file of the example alerts. */
export const alertsFile = fileURLToPath(new URL('../../src/observability/metrics/alerts.yml', import.meta.url));

const rule = z.strictObject({
  alert: z.string().regex(/^Kontor[A-Z]\w+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[smh]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string() }),
});

const { groups } = z
  .strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })) })
  .parse(parse(readFileSync(alertsFile, 'utf8')));

/** The example alerts. */
export const rules = groups.flatMap((group) => group.rules);
