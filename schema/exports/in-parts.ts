/**
 * Items in parts of at most so many, at least one part. Each part is to be read to its end before the next one is asked for:
 * nothing is kept.
 */
export async function* inParts<Item>(items: AsyncIterable<Item>, most: number): AsyncGenerator<AsyncGenerator<Item>> {
  const iterator = items[Symbol.asyncIterator]();
  let next = await iterator.next();
  async function* readPart(): AsyncGenerator<Item> {
    for (let count = 0; !next.done && count < most; count += 1) {
      yield next.value;
      next = await iterator.next();
    }
  }
  try {
    do yield readPart();
    while (!next.done);
  } finally {
    await iterator.return?.();
  }
}

/** The items of pages. */
export async function* readEach<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<Item> {
  for await (const items of pages) yield* items;
}
