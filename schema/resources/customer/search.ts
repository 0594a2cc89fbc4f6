import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { containsInFirst, fold, containsWord, containsWords, splitWords } from '../../graphql/filters/search.ts';
import type { RelatedSearch } from '../../graphql/filters/filter-input.ts';
import type { Context } from '../../graphql/context.ts';

/** More ids than this are not put into one statement. */
const maxPartners = 1000;

/** For so many words of a search, partners are looked up first. */
const maxLookups = 5;

/** A partner's searched fields, the company name first: as the migrations' search_text has them. */
const searchedFields = 4;

/** The condition that a partner has this company name, in upper or lower case. It uses the index of searches. */
export const byPartnerName = (name: string): Prisma.CustomerWhereInput => ({
  companyName: { equals: name, mode: 'insensitive' },
  ...containsInFirst(fold(name).replaceAll('\n', ' '), searchedFields),
});

type Word = ReturnType<typeof containsWord>;
type OfPartner<Field extends string> = { [name in Field | `${Field}Id`]?: object };

const orPartner = <Field extends string>(field: Field, word: string): OfPartner<Field> =>
  ({ [field]: containsInFirst(word, searchedFields) }) as OfPartner<Field>;

/** Has the `q` of a list search the company names of the rows' partners too. @param field the relation to the partner */
export const searchPartners = (field: 'customer' | 'supplier'): RelatedSearch => ({
  findConditions: (q, context) => containsWordsOrPartner(q, context, field),
  toConditions: (q, context) =>
    context.may('customers:read')
      ? splitWords(q).map((word) => ({ OR: [containsWord(word), orPartner(field, word)] }))
      : containsWords(q),
});

/**
 * The conditions, all of which must hold, under which each word of `q` is in a row's searched fields or its partner's
 * company name; in the row's alone for those who may not read customers. Few partners are looked up first: PostgreSQL
 * serves their ids from an index beside other conditions, while a join would make it read every row. Where many match, so do
 * many rows, and a page is soon full.
 * @param field the relation to the partner
 */
async function containsWordsOrPartner<Field extends 'customer' | 'supplier'>(
  q: string,
  context: Context,
  field: Field,
): Promise<({ OR: (OfPartner<Field> | Word)[] } | Word)[]> {
  if (!context.may('customers:read')) return containsWords(q);
  const ofPartners = async (word: string, at: number): Promise<OfPartner<Field>[]> => {
    const byPartner = orPartner(field, word);
    if (at >= maxLookups) return [byPartner];
    const where = containsInFirst(word, searchedFields);
    const partners = await context.db.customer.findMany({ where, select: { id: true }, take: maxPartners + 1 });
    if (partners.length > maxPartners) return [byPartner];
    const ids = partners.map(({ id }) => id);
    return ids.length > 0 ? [{ [`${field}Id`]: { in: ids } } as OfPartner<Field>] : [];
  };
  return Promise.all(
    splitWords(q).map(async (word, at) => ({ OR: [containsWord(word), ...(await ofPartners(word, at))] })),
  );
}
