/**
 * Puts a text on the clipboard. Browsers give the clipboard to pages over HTTPS and of this machine only; elsewhere the older
 * command does, which copies what is selected.
 * @throws if the browser copies nothing
 */
export async function copyText(text: string): Promise<void> {
  // The types don't say that it may be missing.
  const { clipboard }: { clipboard?: Clipboard } = navigator;
  if (clipboard) return clipboard.writeText(text);
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true; // opens no keyboard on a phone
  field.style.position = 'fixed'; // scrolls nowhere
  // Beside the button: a dialog keeps the focus within itself.
  (focused?.parentElement ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!copied) throw new Error('The browser copies nothing');
}
