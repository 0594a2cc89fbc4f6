import { idOf, referenceOf, textOf } from './transaction.ts';

// What :86: says. SWIFT leaves it free; banks write it in one of three ways: sub-fields after a code (German, Austrian
// and Polish banks), words between slashes (Dutch banks), or as plain text.

export interface Information {
  counterpartyName: string | null;
  counterpartyIban: string | null;
  reference: string | null;
}

/** SWIFT's lines have 65 characters at most: a full one was cut, whatever it was in the middle of. */
const fullLine = 65;

const iban = /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/;
const subfields = /^(?:\d{3,4})?([?<>~^|@])\d{2}/;
const slashWords =
  'TRTP|TRCD|IBAN|BIC|NAME|REMI|EREF|PREF|CSID|MARF|ISDT|SVCL|PURP|ORDP|BENM|CNTP|ULTC|ULTB|ULTD|RTRN|CHGS|EXCH|OCMT|ADDR';
const slashed = new RegExp(`^/(?:${slashWords})/`);
const slashWord = new RegExp(`/(${slashWords})(?=/)`);

/**
 * Counterparty and reference out of an entry's :86:, of the customer's reference in :61: (`own`; many banks put the
 * other one's IBAN there), and of the lines that follow :61:.
 */
export function informationOf(information: string[], own: string, supplementary: string[]): Information {
  const lines = information.map((line) => line.trimEnd());
  const [first = ''] = lines;
  const separator = subfields.exec(first)?.[1];
  const said =
    separator !== undefined
      ? fromSubfields(information, separator)
      : slashed.test(first)
        ? fromSlashes(joined(lines))
        : fromText(lines);
  const extra = textOf(supplementary.join(' '));
  const ownIban = [own.trim(), extra].find((text) => text !== null && iban.test(text)) ?? null;
  // KREF+ and EREF+ only point to :86:.
  const ownId = iban.test(own.trim()) || /^[EK]REF\+?$/.test(own.trim()) ? null : idOf(own);
  const isNew = extra !== null && extra !== ownIban && !joined(lines).includes(extra);
  return {
    counterpartyName: said.counterpartyName,
    counterpartyIban: said.counterpartyIban ?? ownIban,
    reference: referenceOf([said.reference], isNew ? extra : null, ownId) ?? said.fallback ?? null,
  };
}

interface Said extends Information {
  /** Stands for a reference where there is none. */
  fallback?: string | null;
}

function joined(lines: string[]): string {
  let text = '';
  let previous = '';
  for (const line of lines.filter((one) => one.trim() !== '')) {
    text += text === '' || previous.length >= fullLine ? line : ` ${line.trimStart()}`;
    previous = line;
  }
  return text.trim();
}

const namedIban = /^([A-Z]{2}\d{2}[A-Z0-9]{10,30})(?:\s+(.*))?$/s;

/** Plain text; some banks begin it with a line of the other one's IBAN and name. */
function fromText(lines: string[]): Said {
  const [, account, name] = namedIban.exec(lines[0]?.trim() ?? '') ?? [];
  if (account !== undefined && iban.test(account)) {
    const rest = joined(lines.slice(1));
    return { counterpartyName: textOf(name), counterpartyIban: account, reference: textOf(rest) };
  }
  const text = joined(lines);
  if (/(?:EREF|KREF|SVWZ)[+:]/.test(text)) return taggedText(text);
  return { counterpartyName: null, counterpartyIban: null, reference: textOf(text) };
}

/** `/TRTP/SEPA/IBAN/…/NAME/…/REMI/…/EREF/…`, and ING's `/CNTP/IBAN/BIC/name/city/`. */
function fromSlashes(text: string): Said {
  const [, ...pieces] = text.split(slashWord);
  const words = new Map<string, string>();
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    const [word = '', value = ''] = pieces.slice(at, at + 2);
    const content = withoutEnd(value.replace(/^\//, ''));
    if (!words.has(word) && textOf(content) !== null) words.set(word, content);
  }
  const [account, , name] = words.get('CNTP')?.split('/') ?? [];
  // USTD//text, STRD/CUR/reference or STRD/ISO/reference.
  const remittance = words.get('REMI')?.replace(/^(?:USTD\/\/?|STRD\/(?:[A-Z]{3}\/)?)/, '');
  return {
    counterpartyName: textOf(words.get('NAME') ?? name),
    counterpartyIban: textOf(words.get('IBAN') ?? account),
    reference: referenceOf([], textOf(remittance), idOf(words.get('EREF'))),
    fallback: idOf(words.get('PREF')) ?? textOf(words.get('RTRN')) ?? textOf(words.get('TRTP')),
  };
}

/** Without slashes and blanks at the end. An expression would look at a long run of them once for each. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[/\s]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** `166?00…?20…?29` text, `?32?33` name, `?31` or `?38` account, `?60…?63` text goes on; 27 characters each at most. */
function fromSubfields(information: string[], separator: string): Said {
  const fields: { code: string; content: string }[] = [];
  for (const piece of unfolded(information, separator).split(separator).slice(1)) {
    const [, code, content = ''] = /^(\d{2})(.*)$/s.exec(piece) ?? [];
    const last = fields.at(-1);
    if (code !== undefined) fields.push({ code, content });
    else if (last) last.content += separator + piece;
  }
  const of = (codes: RegExp): string =>
    run(fields.filter(({ code }) => codes.test(code)).map(({ content }) => content)).trim();
  // The text's own sub-fields are used up before those that go on with it, wherever they stand.
  const said = taggedText(
    run([/^2/, /^6/].flatMap((tens) => fields.filter(({ code }) => tens.test(code))).map(({ content }) => content)),
  );
  return {
    counterpartyName: textOf(of(/^3[23]$/)) ?? said.counterpartyName,
    counterpartyIban: textOf(of(/^38$/)) ?? textOf(of(/^31$/)) ?? said.counterpartyIban,
    reference: said.reference,
    fallback: textOf(of(/^00$/)),
  };
}

/** Lines as one: cut where they were full. One a little shorter has lost the blanks at its end on the way. */
function unfolded(lines: string[], separator: string): string {
  return lines
    .map((line, index) => {
      const next = lines[index + 1];
      const isCut = next !== undefined && !next.startsWith(separator) && line.length >= fullLine - 4;
      return isCut ? line.padEnd(fullLine) : line.replace(/\r$/, '');
    })
    .join('');
}

/** Sub-fields as one text: a full one goes on in the next, after a shorter one something new begins. */
function run(contents: string[]): string {
  let text = '';
  let previous = '';
  for (const content of contents) {
    const isNew = text !== '' && previous.length < 27 && !/\s$/.test(previous) && !/^\s/.test(content);
    text += isNew ? ` ${content}` : content;
    previous = content;
  }
  return text;
}

// SEPA's tags, EREF+ or EREF:; IBAN+ and BIC+ only in front of one, as text may say that too.
const sepaTag =
  /(?:(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN(?=\+\s?[A-Z]{2}\d{2})|BIC(?=\+\s?[A-Z]{6}))\+|(?<=^|\s)(EREF|KREF|MREF|CRED|SVWZ|ABWA|ABWE|MTLG|IBAN|BIC):)/;

/** Text with SEPA's tags: what is for a reader (SVWZ+, the bank's MTLG:, no tag), and the end-to-end id. */
function taggedText(text: string): Said {
  const [untagged = '', ...pieces] = text.split(sepaTag);
  const tags = new Map<string, string>();
  const said = [untagged.trim()];
  for (let at = 0; at + 2 < pieces.length; at += 3) {
    const [plus, colon, content = ''] = pieces.slice(at, at + 3);
    const name = plus ?? colon ?? '';
    // Where an IBAN and a BIC end is known: what follows is text.
    const [value = '', rest = ''] = name === 'IBAN' || name === 'BIC' ? content.trim().split(/\s+(.*)/s) : [content];
    if (name === 'SVWZ' || name === 'MTLG' || tags.has(name)) said.push(content.trim());
    else {
      if (value.trim() !== '') tags.set(name, value.trim());
      said.push(rest.trim());
    }
  }
  return {
    counterpartyName: textOf(tags.get('ABWA') ?? tags.get('ABWE')),
    counterpartyIban: textOf(tags.get('IBAN')),
    // What was paid with a KREF alone has the account holder's own reference in it.
    reference: referenceOf(
      [],
      textOf(said.filter(Boolean).join(' ')),
      idOf(tags.get('EREF')) ?? idOf(tags.get('KREF')),
    ),
  };
}
