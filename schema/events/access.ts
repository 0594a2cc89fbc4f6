import { readAbilities } from '../resource-list.ts';
import type { Ability } from '../graphql/ability.ts';
import type { Context } from '../graphql/context.ts';
import { requireAbilities } from '../errors/errors.ts';
import { eventTypes, findResource, type EventType } from './events.ts';

// An event's body shows a resource: reading events or deliveries, or having them sent, needs the ability to read that
// resource (DECISIONS.md#d20-abilities).

/** The abilities to read events of a type; none for `webhook.ping` and unknown names, which show no resource. */
const abilitiesToRead = (type: string): Ability[] =>
  eventTypes.includes(type as EventType) ? readAbilities(findResource(type as EventType)) : [];

/**
 * @param types names of events, or `*` for all of them
 * @throws ForbiddenError naming every ability that is missing to read them
 */
export function mustRead(context: Pick<Context, 'may'>, types: readonly string[]): void {
  const all = types.includes('*') ? eventTypes : types;
  const needed = new Set(all.flatMap(abilitiesToRead));
  requireAbilities(context, [...needed]);
}

/** Whether the caller may read events of a type. */
export function mayRead(context: Pick<Context, 'may'>, type: string): boolean {
  return abilitiesToRead(type).every(context.may);
}

/** The types of the events that the caller may not read. */
export const hiddenTypes = (context: Pick<Context, 'may'>): EventType[] =>
  eventTypes.filter((type) => !mayRead(context, type));

/** The condition that excludes events that the caller may not read; undefined where the caller may read all. */
export function readableEvents(context: Pick<Context, 'may'>): { type: { notIn: EventType[] } } | undefined {
  const hidden = hiddenTypes(context);
  return hidden.length > 0 ? { type: { notIn: hidden } } : undefined;
}
