import { bulkKinds } from '../../../schema/resources/bulk-operation/kinds.ts';

const toRestName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** The resources and actions of bulk operations, as REST names them. */
export const resources = Object.keys(bulkKinds).map(toRestName);
export const actions = [...new Set(Object.values(bulkKinds).flatMap((kind) => kind.actions.map(toRestName)))];
