import type { EnumOf } from '../../graphql.ts';
import { findOneOf, getKeys } from '../../list/list-state.ts';
import { sideLabels } from '../reports/texts.ts';
import { lists, types, type ExportResource, type ExportType } from './texts.ts';

/** The export that a page asks for, by a link to the dialog. */
export interface Asked {
  type: ExportType;
  resource?: ExportResource | undefined;
  side?: EnumOf<'ExportSide'> | undefined;
  from?: string | undefined;
  to?: string | undefined;
  at?: string | undefined;
}

/** The names in the address. The list's own filters have others. */
const names = { type: 'new', resource: 'of', side: 'side', from: 'from', to: 'to', at: 'at' } as const;

/** `/exports?new=LIST&of=INVOICES` */
export function toDialog(asked: Asked): string {
  const query = getKeys(names).flatMap((name) => (asked[name] ? [[names[name], asked[name]]] : []));
  return `/exports?${new URLSearchParams(query).toString()}`;
}

/** Reads what a link asks for. An address may have anything. */
export function readAsked(query: URLSearchParams): Asked | undefined {
  const read = (name: keyof typeof names): string | undefined => query.get(names[name]) ?? undefined;
  const day = (name: 'from' | 'to' | 'at'): string | undefined =>
    /^\d{4}-\d\d-\d\d$/.test(read(name) ?? '') ? read(name) : undefined;
  const type = findOneOf(read('type'), getKeys(types));
  return (
    type && {
      type,
      resource: findOneOf(read('resource'), getKeys(lists)),
      side: findOneOf(read('side'), getKeys(sideLabels)),
      from: day('from'),
      to: day('to'),
      at: day('at'),
    }
  );
}

/** The same address without what a link asked for, so that Back doesn't ask again. */
export function withoutAsked(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query);
  for (const name of Object.values(names)) rest.delete(name);
  return rest;
}
