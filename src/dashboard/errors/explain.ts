import { language } from '../i18n/language.ts';
import { t, translate } from '../i18n/t.ts';
import type { explanations, Params } from './explanations.ts';

let byCode: typeof explanations = {};

/** To be called before pages are shown, after their texts are loaded. */
export async function loadExplanations(): Promise<void> {
  if (language !== 'en') byCode = (await import('./explanations.ts')).explanations;
}

/** Says a problem by the language's own sentence for it, else by its code, which says less and may be newer than this page. */
export function explain({ code, message, params }: { code: string; message: string; params: Params }): string {
  const said = translate(message);
  return said === message ? (byCode[code]?.(params, message) ?? t('This can not be used as it is.')) : said;
}
