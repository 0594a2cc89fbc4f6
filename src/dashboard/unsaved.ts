import { createContext } from 'react';
import { confirm } from './components/confirm.tsx';

/** Forms with something typed that isn't stored. Nobody leaves them without being asked. */

type IsUnsaved = () => boolean;

export type FormScope = Set<IsUnsaved>;

const allForms: FormScope = new Set();

/** The forms of the dialog that one is in; of the page outside of dialogs. */
export const FormScopeContext = createContext<FormScope>(allForms);

/** Adds a form to a scope, and to the page; answers what takes it away. */
export function registerForm(scope: FormScope, isUnsaved: IsUnsaved): () => void {
  for (const forms of [scope, allForms]) forms.add(isUnsaved);
  return () => {
    for (const forms of [scope, allForms]) forms.delete(isUnsaved);
  };
}

export const hasUnsaved = (scope: FormScope = allForms): boolean => [...scope].some((isUnsaved) => isUnsaved());

let asking = false;

/** Whether what is typed may be thrown away. Where nothing is typed, nobody is asked. */
export async function mayDiscard(scope: FormScope = allForms): Promise<boolean> {
  if (!hasUnsaved(scope)) return true;
  if (asking) return false;
  asking = true;
  const sure = await confirm({
    title: 'Discard your changes?',
    children: 'What you typed isn’t saved yet.',
    confirm: 'Discard',
    cancel: 'Keep editing',
    danger: true,
  });
  // The same press of Escape reaches the dialog below as well: it must not ask anew.
  setTimeout(() => (asking = false));
  return sure;
}

// Closing the tab, reloading, or a link to another site: the browser asks in its own words.
globalThis.window?.addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});
