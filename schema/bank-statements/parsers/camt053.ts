import { SaxesParser } from 'saxes';
import { StatementReader, pathBelow } from './camt053-statements.ts';
import type { OnBalances } from './stated-balances.ts';
import { StatementError, quote, type StatementTransaction, type Warn } from './transaction.ts';

// saxes is strict, streams, reads namespaces, and expands only the five entities of XML. It throws for XML that isn't
// well-formed, and for a truncated document at the latest on close. A document beyond the following limits is no
// statement, but an attack on memory.
const maxDepth = 40;
const maxAttributes = 40;
/** The longest token (text, name, comment) that the parser buffers until it is complete. */
const maxToken = 1024 * 1024;

const message = /camt\.(\d{3})\.001\.(\d{2})/;

/** The names of other documents than camt.053, by namespace. */
const others: Record<string, string> = {
  '052': 'a camt.052, a report during the day whose entries may still change',
  '054': 'a camt.054, a notice of single entries which the statement repeats',
};

/**
 * The booked transactions of CAMT.053 (ISO 20022 camt.053.001.02 to .13), with any prefix, with or without an envelope.
 * DTDs are refused: ISO 20022 has none, and entities can be used for attacks.
 */
export async function* readCamt053(
  text: AsyncIterable<string>,
  warn: Warn,
  maxDetails: number,
  onBalances: OnBalances,
): AsyncGenerator<StatementTransaction> {
  const document = new DocumentReader(warn, maxDetails, onBalances);
  for await (const part of text) {
    document.write(part);
    yield* document.take();
  }
  document.close();
  yield* document.take();
}

/** Follows the elements of a Document and passes on the contents of its statements. */
class DocumentReader {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #statements: StatementReader;
  /** The open elements, each as its path from the Document's child on; undefined if nothing below it is read. */
  readonly #paths: (string | undefined)[] = [];
  /** Whether an open element is a Document. */
  #isInside = false;
  /** The namespace of the document's content: that of the Document, unless its child has another one. */
  #namespace = '';
  #rootName: string | undefined;
  #documents = 0;
  #text = '';
  #attributes = 0;
  /** The number of characters passed to the parser, and how many of them it had processed at its last event. */
  #written = 0;
  #handedOn = 0;

  constructor(warn: Warn, maxDetails: number, onBalances: OnBalances) {
    this.#statements = new StatementReader(warn, maxDetails, onBalances);
    const parser = this.#parser;
    parser.on('doctype', () => {
      throw this.#error('document has a DTD, which no statement needs');
    });
    parser.on('opentagstart', () => {
      this.#progress();
      this.#attributes = 0;
    });
    parser.on('attribute', () => {
      this.#progress();
      this.#attributes += 1;
      if (this.#attributes > maxAttributes) throw this.#error(`element has more than ${maxAttributes} attributes`);
    });
    parser.on('opentag', (tag) => this.#open(tag.local, tag.uri, tag.attributes.Ccy?.value));
    const keep = (text: string): void => this.#keep(text);
    parser.on('text', keep);
    parser.on('cdata', keep);
    parser.on('comment', () => this.#progress());
    parser.on('processinginstruction', () => this.#progress());
    parser.on('closetag', () => this.#close());
  }

  write(part: string): void {
    this.#parse(() => this.#parser.write(part));
    this.#written += part.length;
    // The parser buffers incomplete tokens, and would buffer a whole file.
    if (this.#written - this.#handedOn > maxToken)
      throw this.#error(`text, name or comment is longer than ${maxToken} characters`);
  }

  /** Called at each event of the parser: everything before this position is processed. */
  #progress(): void {
    this.#handedOn = this.#written;
  }

  /** Keeps the text of an element that is read. */
  #keep(text: string): void {
    this.#progress();
    if (this.#paths.at(-1)) this.#text += text;
    if (this.#text.length > maxToken) throw this.#error(`text is longer than ${maxToken} characters`);
  }

  /** Must be called at the end, to detect a truncated document. */
  close(): void {
    this.#parse(() => this.#parser.close());
    if (this.#documents === 0) {
      const root = quote(this.#rootName ?? '');
      throw new StatementError(null, `is XML, but no CAMT.053 statement: its root element is ${root}, not "Document"`);
    }
    if (this.#statements.count === 0) throw new StatementError(null, 'is a CAMT.053, but holds no statement (Stmt)');
  }

  take(): Iterable<StatementTransaction> {
    return this.#statements.take();
  }

  #parse(step: () => void): void {
    try {
      step();
    } catch (error) {
      // saxes puts the position "line:column: " in front of its message.
      const [, line, reason] = (error instanceof Error && /^(\d+):\d+: (.*?)\.?$/s.exec(error.message)) || [];
      if (line === undefined || error instanceof StatementError) throw error;
      throw new StatementError(`line ${line}`, `is no well-formed XML: ${reason}`);
    }
  }

  #open(name: string, namespace: string, currency: string | undefined): void {
    this.#text = '';
    this.#rootName ??= name;
    if (this.#paths.length >= maxDepth) throw this.#error(`element is more than ${maxDepth} levels deep`);
    this.#progress();
    if (!this.#isInside) {
      if (name === 'Document') this.#openDocument(namespace);
      this.#paths.push(name === 'Document' ? '' : undefined);
      return;
    }
    const parent = this.#paths.at(-1);
    if (parent === '') this.#openMessage(name, namespace);
    // An element of another namespace has another meaning, such as supplementary data.
    const isRead = parent !== undefined && namespace === this.#namespace;
    const path = isRead ? pathBelow(parent, name) : undefined;
    this.#paths.push(path);
    if (path !== undefined) this.#statements.open(path, this.#parser.line, currency);
  }

  /**
   * Opens a Document's child. Some banks set the namespace only in one of the two elements, and the other has none.
   */
  #openMessage(name: string, namespace: string): void {
    if (name !== 'BkToCstmrStmt')
      throw this.#error(`document is no CAMT.053 statement: it holds ${quote(name)}, not "BkToCstmrStmt"`);
    if (namespace === this.#namespace) return;
    if (this.#namespace === '') this.#checkNamespace(namespace);
    else if (namespace !== '')
      throw this.#error(
        'document is no CAMT.053 statement: its BkToCstmrStmt is of the namespace ' +
          `${quote(namespace)}, not ${quote(this.#namespace)}`,
      );
    this.#namespace = namespace;
  }

  #openDocument(namespace: string): void {
    this.#checkNamespace(namespace);
    this.#namespace = namespace;
    this.#isInside = true;
    this.#documents += 1;
  }

  #checkNamespace(namespace: string): void {
    const [, kind, version = ''] = message.exec(namespace) ?? [];
    if (kind !== undefined && kind !== '053')
      throw this.#error(`document is ${others[kind] ?? `a camt.${kind}`}, not a camt.053 statement`);
    if (kind === undefined && namespace !== '')
      throw this.#error(`document is no CAMT.053 statement: its namespace is ${quote(namespace)}`);
    // Without a namespace, the content identifies the document. It is read like versions from 02 on.
    if (kind !== undefined && (version < '02' || version > '13'))
      throw this.#error(`document is a camt.053.001.${version}; versions 02 to 13 can be read`);
  }

  #close(): void {
    this.#progress();
    const path = this.#paths.pop();
    if (path === '') this.#isInside = false;
    if (path) this.#statements.close(path, this.#text);
    this.#text = '';
  }

  #error(reason: string): StatementError {
    return new StatementError(`line ${this.#parser.line}`, reason);
  }
}
