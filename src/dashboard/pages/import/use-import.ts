import { useState } from 'react';
import { useClient, useSubscription } from 'urql';
import { errorMessage, fieldErrors } from '../../errors/form-errors.ts';
import { plainMessage } from '../../errors/plain-messages.ts';
import { randomId } from '../../forms/random-id.ts';
import { graphql } from '../../graphql.ts';
import { useUpload } from '../../upload/use-upload.ts';
import { getLabel } from './field-names.ts';
import type { FileHead } from './file-head.ts';
import { imports, type Result } from './import-mutations.ts';
import { mappingArguments, type MappingValues } from './mapping-values.ts';
import type { Records } from './records.ts';

const ImportProgressQuery = graphql(`
  subscription ImportProgress($id: String!) {
    importProgress(id: $id) {
      done
      total
    }
  }
`);

/** An import, or its dry run, that is under way. */
export interface ImportRun {
  busy: boolean;
  /** The part of the file that is uploaded, from 0 to 1. */
  sent: number;
  /** The part of the import that is done, from 0 to 1; undefined until the server reports it. */
  done: number | undefined;
  /** Why the last one could not be run: by field, and what concerns no field. */
  fieldErrors: Record<string, string>;
  errors: string[];
  /** Whether that was a dry run. */
  wasDryRun: boolean;
  /** @returns nothing if it could not be run */
  start: (head: FileHead, mapping: MappingValues, dryRun: boolean) => Promise<Result | undefined>;
}

type Failures = Pick<ImportRun, 'fieldErrors' | 'errors'>;

/** Runs imports of one kind of records, and follows their progress. */
export function useImport(records: Records): ImportRun {
  const client = useClient();
  const [id, setId] = useState<string>();
  const { sent, begin } = useUpload();
  const [failed, setFailed] = useState<Failures>({ fieldErrors: {}, errors: [] });
  const [wasDryRun, setWasDryRun] = useState(true);
  // Announcements can overtake each other.
  const [{ data: done }] = useSubscription(
    { query: ImportProgressQuery, variables: { id: id ?? '' }, pause: id === undefined },
    (furthest: { id: string | undefined; part: number } | undefined, { importProgress: { done: steps, total } }) => {
      const part = total === 0 ? 1 : steps / total;
      return { id, part: furthest?.id === id ? Math.max(furthest?.part ?? 0, part) : part };
    },
  );

  const start: ImportRun['start'] = async ({ file, delimiter, encoding }, mapping, dryRun) => {
    const { format, ...mapped } = mappingArguments(mapping);
    const progressId = randomId();
    setId(progressId);
    setFailed({ fieldErrors: {}, errors: [] });
    setWasDryRun(dryRun);
    const variables = { ...mapped, file, format: { ...format, delimiter, encoding }, dryRun, progressId };
    const { data, error } = await imports[records](client, variables, { fetch: begin() });
    setId(undefined);
    if (data) return data.result;
    if (error) setFailed(getFailures(error));
    return undefined;
  };
  return {
    busy: id !== undefined,
    sent,
    done: done && done.id === id ? done.part : undefined,
    ...failed,
    wasDryRun,
    start,
  };
}

function getFailures(error: Parameters<typeof fieldErrors>[0]): Failures {
  const failures: Failures = { fieldErrors: {}, errors: [] };
  const all = fieldErrors(error);
  if (all.length === 0) failures.errors.push(errorMessage(error));
  for (const { path, problems } of all) {
    const text = problems.map(plainMessage).join(' ');
    const [, field] = /^(?:columns|defaults)\.(\w+)$/.exec(path) ?? [];
    if (field === undefined) failures.errors.push(text);
    else {
      failures.fieldErrors[field] = text;
      failures.errors.push(`${getLabel(field)}: ${text}`);
    }
  }
  return failures;
}
