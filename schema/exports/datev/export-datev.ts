import type { Context } from '../../graphql/context.ts';
import { formatDay } from '../../graphql/scalars/days.ts';
import type { ExportRow } from '../../resources/export/transitions.ts';
import { ExportError } from '../export-error.ts';
import { UnpreparedError, type ExportContent, type OnRows } from '../export-content.ts';
import { zipChunks } from '../zip.ts';
import { charts } from './accounts.ts';
import { readDocuments } from './documents.ts';
import { headLines, maxPostings, postingLines, type Batch } from './extf.ts';
import { haveAccounts } from './partner-accounts.ts';
import { buildPostings, type Posting } from './postings.ts';

/** Whether there are at most so many postings. It reads no further than that. */
async function areFew(pages: AsyncIterable<Posting[]>, most: number): Promise<boolean> {
  let count = 0;
  for await (const postings of pages) if ((count += postings.length) > most) return false;
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
  const written = { documents: 0 };
  const readPages = (batch: Batch) =>
    readPostings(context, batch, asked, (documents) => onRows((written.documents += documents)));
  if (batches.length === 1 && (await areFew(readPostings(context, first, asked), most)))
    return { fileName: fileName(first), chunks: fileChunks(first, readPages(first)) };
  return {
    fileName: `datev-${period.from}-${period.to}.zip`,
    chunks: zipChunks(async (zip) => {
      for (const batch of batches) {
        const pages = divide(readPages(batch), most);
        for (let part = 1, next = await pages.next(); part === 1 || !next.done; part += 1) {
          const chunks = fileChunks(
            batch,
            untilBreak(next, pages, (following) => void (next = following)),
          );
          await zip.add(fileName(batch, part), chunks);
        }
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
): AsyncGenerator<Posting[]> {
  const accounts = charts[chart ?? 'SKR03'];
  for await (const documents of readDocuments(context, batch)) {
    yield documents.flatMap((document) => buildPostings(document, accounts, context.tenant.country));
    onDocuments(documents.length);
  }
}

async function* fileChunks(batch: Batch, pages: AsyncIterable<Posting[]>): AsyncGenerator<Uint8Array> {
  yield headLines(batch);
  for await (const postings of pages) if (postings.length > 0) yield postingLines(postings, batch);
}

/** A page of postings, and whether it is the last of a file. */
interface Page {
  postings: Posting[];
  endsFile: boolean;
}

async function* divide(pages: AsyncIterable<Posting[]>, most: number): AsyncGenerator<Page> {
  let count = 0;
  for await (const postings of pages) {
    for (let at = 0; at < postings.length;) {
      const part = postings.slice(at, at + most - count);
      at += part.length;
      count += part.length;
      const endsFile = count === most;
      if (endsFile) count = 0;
      yield { postings: part, endsFile };
    }
  }
}

/** The pages of one file. @param end gets the page after its last */
async function* untilBreak(
  first: IteratorResult<Page>,
  rest: AsyncGenerator<Page>,
  end: (next: IteratorResult<Page>) => void,
): AsyncGenerator<Posting[]> {
  let next = first;
  for (let goesOn = true; goesOn && !next.done;) {
    yield next.value.postings;
    goesOn = !next.value.endsFile;
    next = await rest.next();
  }
  end(next);
}
