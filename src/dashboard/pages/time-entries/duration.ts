/** Minutes of what a person types: `1:30`, `1.5`, `1,5 h`, `90 min`, `1 h 30`; NaN where that is none. */
export function toMinutes(typed: string): number {
  const text = typed.trim().toLowerCase().replace(',', '.');
  const clock = /^(\d{1,2}):([0-5]\d)$/.exec(text);
  const words = /^(?:(\d+(?:\.\d+)?)\s*h)?\s*(?:(\d+)\s*(?:m|min)?)?$/.exec(text);
  if (clock) return Number(clock[1]) * 60 + Number(clock[2]);
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 60);
  if (text === '' || !words) return Number.NaN;
  return Math.round(Number(words[1] ?? 0) * 60) + Number(words[2] ?? 0);
}

/** As it is typed: `1:30`. */
export const clock = (minutes: number): string =>
  `${Math.trunc(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
