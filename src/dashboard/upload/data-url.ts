import { t } from '../i18n/t.ts';

/** A file as a data URL, which a form can hold and compare like any text. */
export const readDataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(new Error(t('The file can’t be read.'))));
    reader.readAsDataURL(file);
  });

/** The file of a data URL in Base64, to upload it. */
export function toFile(dataUrl: string, name: string): File {
  const [head = '', base64 = ''] = dataUrl.split(',');
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new File([bytes], name, { type: /^data:([^;]*)/.exec(head)?.[1] ?? '' });
}
