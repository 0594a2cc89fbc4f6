/**
 * The content of a response, whatever it is spelled like: names in snake_case, decimals as numbers, times in UTC, enums in
 * lower case, a connection as its nodes. What each creation makes anew is left out on request.
 */
export function readContent(value: unknown, anew = false): unknown {
  if (Array.isArray(value)) return value.map((each) => readContent(each, anew));
  if (typeof value === 'string') return contentOfText(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('nodes' in value) return readContent(value.nodes, anew);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(anew && madeAnew.has(name)))
      .map(([name, part]) => [snake(name), name === 'status' ? String(part).toLowerCase() : readContent(part, anew)]),
  );
}

const madeAnew = new Set(['id', 'created_at', 'updated_at']);

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function contentOfText(text: string): string | number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return `${new Date(text).toISOString().slice(0, 19)}Z`;
  return text;
}
