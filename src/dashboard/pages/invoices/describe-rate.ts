import { date, decimal } from '../../format/format.ts';

interface Rated {
  exchangeRate: string | null;
  exchangeRateDate: string | null;
  exchangeRateSource: string | null;
}

/** `0.9, 27 Nov 2026, European Central Bank` */
export function describeRate({ exchangeRate, exchangeRateDate, exchangeRateSource }: Rated): string | null {
  if (exchangeRate === null) return null;
  return [decimal(exchangeRate), exchangeRateDate && date(exchangeRateDate), exchangeRateSource]
    .filter(Boolean)
    .join(', ');
}
