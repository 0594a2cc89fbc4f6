import type { Command } from 'commander';
import { z } from 'zod';
import { print, printError, whenOutputCloses } from '../output.ts';
import { buildConnection, withConnection, type ApiConnection } from '../remote/connection.ts';
import { askGraphql, subscribe } from '../remote/graphql.ts';
import { untilStopped } from '../until-stopped.ts';

const query = `subscription {
  request: requestLogged { requestId method path status durationMs isAborted startedAt leftOut }
}`;
const loggedRequest = z.object({
  requestId: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  durationMs: z.number(),
  isAborted: z.boolean(),
  startedAt: z.string(),
  leftOut: z.number(),
});
const item = z.object({ request: loggedRequest });

export function addLogsCommand(program: Command): void {
  const command = withConnection(
    program
      .command('logs')
      .description('follow the requests of your token, as they are answered')
      .option('--json', 'print one JSON object for each request'),
  );
  command.action(async () => {
    const { json }: { json?: true } = command.opts();
    await follow(buildConnection(command), json ? printAsJson : printLine);
  });
}

const profile = z.object({
  me: z.object({ token: z.object({ name: z.string() }), tenant: z.object({ name: z.string() }) }),
});

async function follow(
  connection: ApiConnection,
  show: (request: z.infer<typeof loggedRequest>) => void,
): Promise<void> {
  const { me } = await askGraphql(connection, profile, '{ me { token { name } tenant { name } } }');
  const { signal, stop } = untilStopped();
  whenOutputCloses(stop);
  let isFirst = true;
  const onConnected = (): void => {
    printError(
      isFirst
        ? `Requests of the token "${me.token.name}" of ${me.tenant.name}. Ctrl-C ends.`
        : 'Connected again. Requests in between are not shown.',
    );
    isFirst = false;
  };
  const requests = subscribe(connection, { query, variables: () => ({}), item, signal, onConnected });
  for await (const { request } of requests) show(request);
}

function printLine({
  requestId,
  method,
  path,
  status,
  durationMs,
  isAborted,
  startedAt,
  leftOut,
}: z.infer<typeof loggedRequest>): void {
  if (leftOut > 0) printError(`${leftOut} requests were left out.`);
  const time = new Date(startedAt).toLocaleTimeString('en-GB');
  const end = isAborted ? 'aborted' : `${durationMs} ms`;
  print(`${time}  ${String(status)}  ${method.padEnd(6)}  ${path}  ${end}  ${requestId}`);
}

const printAsJson = ({
  requestId,
  durationMs,
  isAborted,
  startedAt,
  leftOut,
  ...request
}: z.infer<typeof loggedRequest>): void =>
  print(
    JSON.stringify({
      request_id: requestId,
      ...request,
      duration_ms: durationMs,
      aborted: isAborted,
      started_at: startedAt,
      left_out: leftOut,
    }),
  );
