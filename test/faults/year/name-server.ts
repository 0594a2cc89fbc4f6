import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';

/** The name server's reaction to questions. */
export type Manner = 'answers' | 'is silent' | 'fails';

/** A name server for programs that begin with `asTheirNameServer`: every name has the address 127.0.0.1. */
export interface NameServer {
  /** Begins a process that asks no other name server. */
  asTheirNameServer: readonly string[];
  be(manner: Manner): void;
  /** How many questions came. */
  questions(): number;
  close(): Promise<void>;
}

const host = '127.53.31.1';
/** Of a record of type A. Questions of any other type have no records for an answer. */
const typeA = 1;
const header = 12;

/** @param file where its name is written: in place of /etc/resolv.conf, for processes that have a mount of their own */
export async function startNameServer(file: string): Promise<NameServer> {
  await writeFile(file, `nameserver ${host}\n`);
  const socket = createSocket('udp4').bind(53, host);
  await once(socket, 'listening');
  let manner: Manner = 'answers';
  let questions = 0;
  socket.on('message', (message, { address, port }) => {
    questions += 1;
    if (manner !== 'is silent') socket.send(respond(message, manner === 'fails'), port, address);
  });
  return {
    asTheirNameServer: ['unshare', '-m', 'sh', '-c', 'mount --bind "$0" /etc/resolv.conf && exec "$@"', file],
    be: (next) => void (manner = next),
    questions: () => questions,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** RFC 1035, 4.1. */
function respond(message: Buffer, fails: boolean): Buffer {
  const end = message.indexOf(0, header) + 5; // of the question: a name that ends with 0, a type, and a class
  const question = message.subarray(header, end);
  const hasAddress = !fails && question.readUInt16BE(question.length - 4) === typeA;
  const head = Buffer.from(message.subarray(0, header));
  head.writeUInt16BE(0x8180 | (fails ? 2 : 0), 2); // a response, recursive; 2 is SERVFAIL
  [1, hasAddress ? 1 : 0, 0, 0].forEach((count, at) => head.writeUInt16BE(count, 4 + 2 * at));
  // The question's name, type and class, 1 s to live, four bytes of address.
  const record = Buffer.from([0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([head, question, ...(hasAddress ? [record] : [])]);
}
