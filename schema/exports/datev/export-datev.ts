import type { Context } from '../../graphql/context.ts';
import { formatDay } from '../../graphql/scalars/days.ts';
import type { ExportRow } from '../../resources/export/transitions.ts';
import { inParts } from '../in-parts.ts';
import { ExportError } from '../export-error.ts';
import { UnpreparedError, type ExportContent, type OnRows } from '../export-content.ts';
import { zipChunks } from '../zip.ts';
import { charts } from './accounts.ts';
import { readDocuments } from './documents.ts';
import { headLines, maxPostings, postingLines, type Batch } from './extf.ts';
import { haveAccounts } from './partner-accounts.ts';
import { buildPostings, type Posting } from './postings.ts';

/** Whether there are at most so many postings. It reads no further than that. */
async function areFew(postings: AsyncIterable<Posting>, most: number): Promise<boolean> {
  let count = 0;
  for await (const _ of postings) if ((count += 1) > most) return false;
  return true;
}

/**
 * A file for each year, or several where one has no room for all of a year's postings. More than one are a zip.
 * @param most the most postings of a file
 * @throws UnpreparedError if a partner has no number yet
 */
export async function datevContent(
  context: Context,
  asked: ExportRow,
  onRows: OnRows,
  most = maxPostings,
): Promise<ExportContent> {
  const batches = await buildBatches(context, asked);
  const [first] = batches;
  const last = batches.at(-1);
  if (!first || !last) throw new ExportError('The period has no day.');
  const period = { from: first.from, to: last.to };
  if (!(await haveAccounts(context, period))) throw new UnpreparedError();
  let written = 0;
  const readAll = (batch: Batch) => readPostings(context, batch, asked, (documents) => onRows((written += documents)));
  if (batches.length === 1 && (await areFew(readPostings(context, first, asked), most)))
    return { fileName: fileName(first), chunks: fileChunks(first, readAll(first)) };
  return {
    fileName: `datev-${period.from}-${period.to}.zip`,
    chunks: zipChunks(async (zip) => {
      for (const batch of batches) {
        let part = 0;
        for await (const postings of inParts(readAll(batch), most))
          await zip.add(fileName(batch, (part += 1)), fileChunks(batch, postings));
      }
    }),
  };
}

const fileName = ({ from, to }: Batch, part = 1): string =>
  `EXTF_Buchungsstapel_${from}_${to}${part > 1 ? `_${part}` : ''}.csv`.replaceAll(/(\d)-(\d)/g, '$1$2');

/** A batch for each fiscal year, which is the calendar year. */
async function buildBatches({ db, tenant }: Context, asked: ExportRow): Promise<Batch[]> {
  const { from, to, chart, consultantNumber, clientNumber } = asked;
  if (!from || !to || !chart) throw new Error('A DATEV export has a period and a chart');
  const locks = await db.periodLock.findMany({ where: { kind: 'FINAL' } });
  const years = Array.from(
    { length: to.getUTCFullYear() - from.getUTCFullYear() + 1 },
    (_, at) => from.getUTCFullYear() + at,
  );
  return years.map((year) => {
    const first = new Date(Math.max(Number(from), Date.UTC(year, 0, 1)));
    const last = new Date(Math.min(Number(to), Date.UTC(year, 11, 31)));
    const closes = (series: string): boolean =>
      locks.some((lock) => (lock.series === series || lock.series === 'ALL') && lock.lockedUntil >= last);
    return {
      consultantNumber: consultantNumber ?? 1001,
      clientNumber: clientNumber ?? 1,
      chart: charts[chart].name,
      currency: tenant.defaultCurrency,
      from: formatDay(first),
      to: formatDay(last),
      isFinal: closes('SALES') && closes('PURCHASES'),
    };
  });
}

async function* readPostings(
  context: Context,
  batch: Batch,
  { chart }: Pick<ExportRow, 'chart'>,
  onDocuments: (count: number) => void = () => {},
): AsyncGenerator<Posting> {
  const accounts = charts[chart ?? 'SKR03'];
  const home = { country: context.tenant.country, currency: batch.currency };
  for await (const documents of readDocuments(context, batch)) {
    for (const document of documents) yield* buildPostings(document, accounts, home);
    onDocuments(documents.length);
  }
}

/** So many postings are encoded at once. */
const chunkPostings = 100;

async function* fileChunks(batch: Batch, postings: AsyncIterable<Posting>): AsyncGenerator<Uint8Array> {
  yield headLines(batch);
  let chunk: Posting[] = [];
  for await (const posting of postings) {
    chunk.push(posting);
    if (chunk.length < chunkPostings) continue;
    yield postingLines(chunk, batch);
    chunk = [];
  }
  if (chunk.length > 0) yield postingLines(chunk, batch);
}
