import { createInterface, emitKeypressEvents, type Key } from 'node:readline';

export interface CommandKeys {
  /** `r` */
  replayLast: () => void;
  /** A number and Enter. */
  replay: (number: number) => void;
  /** Ctrl-C: a terminal in raw mode sends it as a key. */
  stop: () => void;
}

/**
 * Reads what the user types while a command runs. On a terminal a key works at once; otherwise, standard input is read line
 * by line.
 * @returns a function that ends this
 */
export function onCommandKeys(keys: CommandKeys): () => void {
  const { stdin } = process;
  let digits = '';
  const press = (name: string): void => {
    if (/^\d$/.test(name)) digits += name;
    else if (name === 'return' && digits !== '') keys.replay(Number(digits));
    else if (name === 'r') keys.replayLast();
    if (!/^\d$/.test(name)) digits = '';
  };
  if (!stdin.isTTY) {
    const lines = createInterface({ input: stdin });
    lines.on('line', (line) => [...line.trim(), 'return'].forEach(press));
    return () => {
      lines.close();
      stdin.destroy();
    };
  }
  const onKey = (_text: string | undefined, { name = '', ctrl = false }: Key): void =>
    ctrl && name === 'c' ? keys.stop() : press(name);
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on('keypress', onKey);
  return () => {
    stdin.off('keypress', onKey);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
