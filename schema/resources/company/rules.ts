import type { Row } from '../../../prisma/client.ts';
import type { Problems } from '../../errors/errors.ts';
import { schemeRules } from '../../graphql/input/schemes.ts';

export type Identifiers = Partial<
  Pick<
    Row<'Company'>,
    'electronicAddress' | 'electronicAddressScheme' | 'registrationNumber' | 'registrationNumberScheme'
  >
>;

export function companyRules(input: Identifiers, problems: Problems, current: Identifiers | null): void {
  schemeRules('electronicAddress', input, problems, 'input.', current);
  schemeRules('registrationNumber', input, problems, 'input.', current);
}
