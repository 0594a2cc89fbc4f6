import type { ChildProcess } from 'node:child_process';
import type { Worker } from 'node:cluster';

/** A connection as Node's cluster hands it over. */
interface Handle {
  close(): void;
}

/** A message of Node's cluster that hands over a connection, and the worker's answer to it. */
interface Handing {
  cmd?: string;
  act?: string;
  seq?: number;
  ack?: number;
}

type Send = (message: Handing, handle?: Handle, ...rest: unknown[]) => boolean;

/**
 * Takes back the connections that were handed to a worker which ends before it has confirmed them. Node's primary keeps such
 * a connection open for a confirmation that can't come, and its client would wait for ever. Here the confirmation is
 * given as refused, so that Node hands the connection to another worker. A worker reads nothing before it confirms.
 * @param othersServe whether there is another worker; otherwise the connections are closed
 */
export function takeBackFromDying(child: Worker, othersServe: () => boolean): void {
  const process: ChildProcess = child.process;
  const unconfirmed = new Map<number, Handle>();
  const send = process.send.bind(process) as unknown as Send;
  const sendAndNote: Send = (message, handle, ...rest) => {
    if (message.act === 'newconn' && message.seq !== undefined && handle) unconfirmed.set(message.seq, handle);
    return send(message, handle, ...rest);
  };
  process.send = sendAndNote as unknown as ChildProcess['send'];
  process.on('internalMessage', ({ ack }: Handing) => {
    if (ack !== undefined) unconfirmed.delete(ack);
  });
  const takeBack = (): void => {
    child.disconnect(); // it is handed nothing more
    for (const [seq, handle] of unconfirmed) {
      if (othersServe()) process.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false }, undefined);
      else handle.close();
    }
  };
  // Once the channel has ended, all that the worker has said is read. ('disconnect' isn't emitted while Node waits for it.)
  const afterEnd = (): void => void (process.connected ? setImmediate(afterEnd) : takeBack());
  process.once('exit', afterEnd);
}
