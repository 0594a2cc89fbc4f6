/** The columns of the grid of lines, in order. */
export const columns = ['title', 'quantity', 'unit', 'unitPriceNet', 'vatRate'] as const;

export type Column = (typeof columns)[number];

/** The actions of the keys in a line of the grid. */
export interface LineKeys {
  /** Moves the focus to a cell of another line. */
  goTo: (line: number, column: Column) => void;
  /** Adds a line after this one. */
  addAfter: (line: number) => void;
  move: (line: number, by: -1 | 1, column: Column) => void;
  remove: (line: number, column: Column) => void;
  count: number;
}

const rows = { ArrowUp: -1, ArrowDown: 1 } as const;

const isArrow = (key: string): key is keyof typeof rows => key in rows;

/** The column of a cell; undefined for a field of the line's details. */
function getColumn({ dataset }: HTMLElement): Column | undefined {
  const name = dataset['path']?.split('.').at(-1);
  return columns.find((column) => column === name);
}

/** Handles a key that is pressed in a line, which has its place in `data-line`. */
export function handleLineKey(event: KeyboardEvent, keys: LineKeys): void {
  const { target, key, altKey, shiftKey } = event;
  if (!(target instanceof HTMLElement) || event.isComposing) return;
  const place = target.closest<HTMLElement>('[data-line]')?.dataset['line'];
  if (place === undefined) return;
  const line = Number(place);
  const mod = event.ctrlKey || event.metaKey;
  const column = getColumn(target);
  const act = (done: () => void): void => {
    event.preventDefault();
    done();
  };
  if (key === 'Enter' && mod) act(() => keys.addAfter(line));
  else if (key === 'Backspace' && mod && shiftKey) act(() => keys.remove(line, column ?? 'title'));
  // A line's field never sends the form, which has its own button and key.
  else if (key === 'Enter' && target instanceof HTMLInputElement)
    act(() => {
      if (column) goOn(line, column, keys);
    });
  else if (isArrow(key) && column && !mod && !shiftKey)
    act(() => (altKey ? keys.move(line, rows[key], column) : keys.goTo(line + rows[key], column)));
}

/** To the next cell. After the last cell of the last line comes a new line. */
function goOn(line: number, column: Column, { goTo, addAfter, count }: LineKeys): void {
  const next = columns[columns.indexOf(column) + 1];
  if (next) goTo(line, next);
  else if (line + 1 < count) goTo(line + 1, 'title');
  else addAfter(line);
}
