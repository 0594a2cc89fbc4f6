// Draws states and their transitions as an SVG: the first state on top, each other one row below those that lead to it first.

interface Arrow {
  from: string;
  to: string;
  label: string;
}

interface Point {
  x: number;
  y: number;
}

const box = { width: 132, height: 34 };
const gap = { x: 36, y: 76 };
/** How far an arrow bends beside its opposite, and around a box between its ends. */
const bends = { opposite: 26, around: 74 };
/** Room for the arrows that bend around the boxes. */
const margin = 26;

/** The row of each state: the number of arrows from the first one. */
function findRows(states: readonly string[], arrows: readonly Arrow[]): string[][] {
  const rows: string[][] = [states.slice(0, 1)];
  const placed = new Set(rows[0]);
  for (let row = rows[0] ?? []; row.length > 0;) {
    const next = states.filter(
      (state) => !placed.has(state) && arrows.some(({ from, to }) => to === state && row.includes(from)),
    );
    for (const state of next) placed.add(state);
    if (next.length > 0) rows.push(next);
    row = next;
  }
  const rest = states.filter((state) => !placed.has(state));
  if (rest.length > 0) throw new Error(`Nothing leads to ${rest.join()}`);
  return rows;
}

/** Where a line from the middle of a box to a point leaves the box. */
function leave(center: Point, toward: Point): Point {
  const [x, y] = [toward.x - center.x, toward.y - center.y];
  const scale = Math.min(box.width / 2 / Math.abs(x || 1e-9), box.height / 2 / Math.abs(y || 1e-9));
  return { x: center.x + x * scale, y: center.y + y * scale };
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
const at = ({ x, y }: Point): string => `${round(x)} ${round(y)}`;

/** @param states words without special characters */
export function drawStates(title: string, states: readonly string[], arrows: readonly Arrow[]): string {
  const rows = findRows(states, arrows);
  const columns = Math.max(...rows.map(({ length }) => length));
  const width = columns * (box.width + gap.x) - gap.x + 2 * margin;
  const height = rows.length * (box.height + gap.y) - gap.y + margin;
  const places = new Map<string, Point & { row: number; column: number }>();
  for (const [row, names] of rows.entries())
    for (const [column, name] of names.entries())
      places.set(name, {
        row,
        column,
        x: width / 2 + (column - (names.length - 1) / 2) * (box.width + gap.x),
        y: 4 + row * (box.height + gap.y) + box.height / 2,
      });

  const lines = arrows.flatMap((arrow) => {
    const [from, to] = [places.get(arrow.from), places.get(arrow.to)];
    if (!from || !to) return [];
    const isAround = from.row === to.row && Math.abs(from.column - to.column) > 1;
    const hasOpposite = arrows.some((other) => other.from === arrow.to && other.to === arrow.from);
    const bend = isAround ? bends.around : hasOpposite ? bends.opposite : 0;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    // To the left of the direction, so that opposite arrows bend apart. Around a box it is below, where no other row's are.
    const normal = { x: (to.y - from.y) / length, y: -(to.x - from.x) / length };
    const side = isAround ? { x: 0, y: 1 } : normal;
    const middle = { x: (from.x + to.x) / 2 + side.x * bend, y: (from.y + to.y) / 2 + side.y * bend };
    const [start, end] = [leave(from, middle), leave(to, middle)];
    const label = { x: (start.x + end.x) / 4 + middle.x / 2, y: (start.y + end.y) / 4 + middle.y / 2 };
    return [
      `<path class="arrow" d="M${at(start)} Q${at(middle)} ${at(end)}" marker-end="url(#head)"/>`,
      `<text class="number" x="${round(label.x)}" y="${round(label.y)}">${arrow.label}</text>`,
    ];
  });
  const boxes = [...places].map(
    ([name, { x, y }]) =>
      `<rect x="${round(x - box.width / 2)}" y="${round(y - box.height / 2)}" width="${box.width}" height="${box.height}" rx="6"/>` +
      `<text x="${round(x)}" y="${round(y)}">${name.replaceAll('_', ' ')}</text>`,
  );
  const said = arrows.map(({ from, to }) => `${from} to ${to}`).join(', ');
  const description = `${title}: ${said}. The tables have the same.`.replaceAll('_', ' ');
  return `<svg class="states" role="img" aria-label="${description}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
${[...lines, ...boxes].join('\n')}
</svg>
`;
}
