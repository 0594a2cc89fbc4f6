import { money } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';

interface Payment {
  exchangeDifference: string | null;
  /** That of the difference. */
  exchangeCurrency: string | null;
}

/** `Exchange gain: €2.65`; null where there is no difference. */
export function describeDifference({ exchangeDifference, exchangeCurrency }: Payment): string | null {
  if (exchangeDifference === null || exchangeDifference === '0') return null;
  const isLoss = exchangeDifference.startsWith('-');
  const amount = money(isLoss ? exchangeDifference.slice(1) : exchangeDifference, exchangeCurrency ?? '');
  return isLoss ? t('Exchange loss: {amount}', { amount }) : t('Exchange gain: {amount}', { amount });
}
