import { createContext } from 'react';
import { confirm } from '../components/confirm.tsx';
import { t } from '../i18n/t.ts';

// Forms with unsaved input. Leaving them asks for confirmation.

export interface OpenForm {
  isUnsaved: () => boolean;
  /** Called when its unsaved input may be discarded. */
  discard: () => void;
}

export type FormScope = Set<OpenForm>;

const allForms: FormScope = new Set();

/** The forms of the current dialog. Outside of dialogs: all forms of the page. */
export const FormScopeContext = createContext<FormScope>(allForms);

/** Adds a form to a scope, and to the page. @returns a function that removes it */
export function registerForm(scope: FormScope, form: OpenForm): () => void {
  for (const forms of [scope, allForms]) forms.add(form);
  return () => {
    for (const forms of [scope, allForms]) forms.delete(form);
  };
}

export const hasUnsaved = (scope: FormScope = allForms): boolean => [...scope].some(({ isUnsaved }) => isUnsaved());

let asking = false;
/** The event that closed the last question. */
let closedBy: Event | undefined;

/** Asks whether unsaved input may be discarded. Without unsaved input it doesn't ask. */
export async function confirmDiscard(scope: FormScope = allForms): Promise<boolean> {
  if (!hasUnsaved(scope)) return true;
  // The Escape that closes the question also reaches the dialog below, which must not ask again.
  if (asking || (closedBy && closedBy === window.event)) return false;
  asking = true;
  const confirmed = await confirm({
    title: t('Discard your changes?'),
    children: t('Your input isn’t saved yet.'),
    confirm: t('Discard'),
    cancel: t('Keep editing'),
    danger: true,
  });
  asking = false;
  closedBy = window.event;
  if (confirmed) for (const { discard } of scope) discard();
  return confirmed;
}

// The browser asks by itself before it closes the tab, reloads, or opens another site.
globalThis.window?.addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});
