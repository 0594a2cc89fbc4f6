import { parseId, joinReference, trimText } from './transaction.ts';

// The content of :86:. SWIFT doesn't define its structure. Banks use one of three: sub-fields after a code (German,
// Austrian and Polish banks), words between slashes (Dutch banks), or plain text.

export interface Information {
  counterpartyName: string | null;
  counterpartyIban: string | null;
  reference: string | null;
}

/** The longest line in SWIFT. A line of this length was cut at any place. */
const fullLine = 65;

const iban = /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/;
const subfields = /^(?:\d{3,4})?([?<>~^|@])\d{2}/;
const slashWords =
  'TRTP|TRCD|IBAN|BIC|NAME|REMI|EREF|PREF|CSID|MARF|ISDT|SVCL|PURP|ORDP|BENM|CNTP|ULTC|ULTB|ULTD|RTRN|CHGS|EXCH|OCMT|ADDR';
const slashed = new RegExp(`^/(?:${slashWords})/`);
const slashWord = new RegExp(`/(${slashWords})(?=/)`);

/**
 * Reads counterparty and reference from an entry's :86:, from the customer's reference in :61: (`own`; many banks put the
 * counterparty's IBAN there), and from the lines after :61:.
 */
export function parseInformation(information: string[], own: string, supplementary: string[]): Information {
  const lines = information.map((line) => line.trimEnd());
  const [first = ''] = lines;
  const separator = subfields.exec(first)?.[1];
  const said =
    separator !== undefined
      ? fromSubfields(information, separator)
      : slashed.test(first)
        ? fromSlashes(joined(lines))
        : fromText(lines);
  const extra = trimText(supplementary.join(' '));
  const ownIban = [own.trim(), extra].find((text) => text !== null && iban.test(text)) ?? null;
  // KREF+ and EREF+ only refer to :86:.
  const ownId = iban.test(own.trim()) || /^[EK]REF\+?$/.test(own.trim()) ? null : parseId(own);
  const isNew = extra !== null && extra !== ownIban && !joined(lines).includes(extra);
  return {
    counterpartyName: said.counterpartyName,
    counterpartyIban: said.counterpartyIban ?? ownIban,
    reference: joinReference([said.reference], isNew ? extra : null, ownId) ?? said.fallback ?? null,
  };
}

interface Said extends Information {
  /** Used as the reference if there is none. */
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

/** Plain text. Some banks begin it with a line of the counterparty's IBAN and name. */
function fromText(lines: string[]): Said {
  const [, account, name] = namedIban.exec(lines[0]?.trim() ?? '') ?? [];
  if (account !== undefined && iban.test(account)) {
    const rest = joined(lines.slice(1));
    return { counterpartyName: trimText(name), counterpartyIban: account, reference: trimText(rest) };
  }
  const text = joined(lines);
  if (/(?:EREF|KREF|SVWZ)[+:]/.test(text)) return taggedText(text);
  return { counterpartyName: null, counterpartyIban: null, reference: trimText(text) };
}

/** `/TRTP/SEPA/IBAN/…/NAME/…/REMI/…/EREF/…`, and ING's `/CNTP/IBAN/BIC/name/city/`. */
function fromSlashes(text: string): Said {
  const [, ...pieces] = text.split(slashWord);
  const words = new Map<string, string>();
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    const [word = '', value = ''] = pieces.slice(at, at + 2);
    const content = withoutEnd(value.replace(/^\//, ''));
    if (!words.has(word) && trimText(content) !== null) words.set(word, content);
  }
  const [account, , name] = words.get('CNTP')?.split('/') ?? [];
  // USTD//text, STRD/CUR/reference or STRD/ISO/reference.
  const remittance = words.get('REMI')?.replace(/^(?:USTD\/\/?|STRD\/(?:[A-Z]{3}\/)?)/, '');
  return {
    counterpartyName: trimText(words.get('NAME') ?? name),
    counterpartyIban: trimText(words.get('IBAN') ?? account),
    reference: joinReference([], trimText(remittance), parseId(words.get('EREF'))),
    fallback: parseId(words.get('PREF')) ?? trimText(words.get('RTRN')) ?? trimText(words.get('TRTP')),
  };
}

/** Removes slashes and spaces at the end. A regular expression would take quadratic time for a long run of them. */
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
  // The sub-fields of the text come before those that continue it, in any order in the field.
  const said = taggedText(
    run([/^2/, /^6/].flatMap((tens) => fields.filter(({ code }) => tens.test(code))).map(({ content }) => content)),
  );
  return {
    counterpartyName: trimText(of(/^3[23]$/)) ?? said.counterpartyName,
    counterpartyIban: trimText(of(/^38$/)) ?? trimText(of(/^31$/)) ?? said.counterpartyIban,
    reference: said.reference,
    fallback: trimText(of(/^00$/)),
  };
}

/** Joins lines: a full line was cut. A slightly shorter line has lost spaces at its end in transit. */
function unfolded(lines: string[], separator: string): string {
  return lines
    .map((line, index) => {
      const next = lines[index + 1];
      const isCut = next !== undefined && !next.startsWith(separator) && line.length >= fullLine - 4;
      return isCut ? line.padEnd(fullLine) : line.replace(/\r$/, '');
    })
    .join('');
}

/** Joins sub-fields: a full one continues in the next; after a shorter one, a new text begins. */
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

// SEPA tags, as EREF+ or EREF:. IBAN+ and BIC+ count only in front of another tag, because text may contain them.
const sepaTag =
  /(?:(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN(?=\+\s?[A-Z]{2}\d{2})|BIC(?=\+\s?[A-Z]{6}))\+|(?<=^|\s)(EREF|KREF|MREF|CRED|SVWZ|ABWA|ABWE|MTLG|IBAN|BIC):)/;

/** Text with SEPA tags. Returns the remittance text (SVWZ+, the bank's MTLG:, or no tag) and the end-to-end id. */
function taggedText(text: string): Said {
  const [untagged = '', ...pieces] = text.split(sepaTag);
  const tags = new Map<string, string>();
  const said = [untagged.trim()];
  for (let at = 0; at + 2 < pieces.length; at += 3) {
    const [plus, colon, content = ''] = pieces.slice(at, at + 3);
    const name = plus ?? colon ?? '';
    // An IBAN and a BIC have a known end. Text follows.
    const [value = '', rest = ''] = name === 'IBAN' || name === 'BIC' ? content.trim().split(/\s+(.*)/s) : [content];
    if (name === 'SVWZ' || name === 'MTLG' || tags.has(name)) said.push(content.trim());
    else {
      if (value.trim() !== '') tags.set(name, value.trim());
      said.push(rest.trim());
    }
  }
  return {
    counterpartyName: trimText(tags.get('ABWA') ?? tags.get('ABWE')),
    counterpartyIban: trimText(tags.get('IBAN')),
    // A payment with only a KREF has the account holder's own reference in it.
    reference: joinReference(
      [],
      trimText(said.filter(Boolean).join(' ')),
      parseId(tags.get('EREF')) ?? parseId(tags.get('KREF')),
    ),
  };
}
