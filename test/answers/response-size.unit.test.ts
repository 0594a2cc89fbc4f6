import { expect, it } from 'vitest';
import { ResponseSize } from '../../schema/graphql/execution/response-size.ts';

it('what is read for an answer may be twice as long as the answer, and is refused before more is read', () => {
  const answer = new ResponseSize({ maxBytes: 1000 });
  answer.limit();
  answer.read(2000);
  expect(() => answer.read(1)).toThrow('The answer would be longer than 1000 bytes');
  answer.restart();
  answer.read(2000);
});

it('without a limit, an answer may read anything', () => {
  const answer = new ResponseSize({ maxBytes: 1000 });
  expect(() => answer.read(5000)).not.toThrow();
});
