import type { Task } from 'graphile-worker';
import { analyze, type AnalyzePayload } from '../database/analyze.ts';
import type { Database } from '../database/database.ts';

/** See analyzeSoon(). */
export const analyzeTables =
  (database: Pick<Database, 'pool' | 'workers'>): Task =>
  async (payload) => {
    const { tenantId, models } = payload as AnalyzePayload;
    await analyze(database, tenantId, models);
  };
