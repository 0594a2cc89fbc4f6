import type { Task } from 'graphile-worker';

/**
 * An event's job: hands the event to each webhook that wants it. No webhook can be configured yet, so an event is
 * complete as soon as it is recorded; its row in `events` stays.
 */
export const fanOut: Task = () => {};
