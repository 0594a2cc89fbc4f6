import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withId } from '../../schema/events/events.ts';

it('an event of the log is JSON with its id before the members of its body, whatever these are', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.dictionary(fc.string(), fc.jsonValue()), (id, { id: _none, ...body }) => {
      const text = withId(id, JSON.stringify(body));
      expect(JSON.parse(text)).toEqual({ id, ...(JSON.parse(JSON.stringify(body)) as object) });
      expect(Object.keys(JSON.parse(text) as object)).toContain('id');
    }),
  );
});

it('an event without members has its id alone', () => {
  expect(withId('1', '{}')).toBe('{"id":"1"}');
});
