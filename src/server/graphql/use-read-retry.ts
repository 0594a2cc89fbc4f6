import { getOperationAST, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { isConnectionLost } from '../../../prisma/client.ts';
import type { ReadRetry } from '../http/read-retry.ts';
import type { GraphqlRequest } from './handler.ts';

/** Executes a query again while the database is away. Within the transaction of an idempotency key, nothing can be. */
export const useReadRetry = (retry: ReadRetry): Plugin<GraphqlRequest> => ({
  onExecute: ({ args, executeFn, setExecuteFn }) => {
    const { signal, isRetried } = args.contextValue as GraphqlRequest;
    if (isRetried || getOperationAST(args.document, args.operationName)?.operation !== 'query') return;
    setExecuteFn(async (again: ExecutionArgs) => {
      let result: ExecutionResult = {};
      const execute = async (): Promise<void> => {
        result = (await executeFn(again)) as ExecutionResult;
        const lost = result.errors?.find(({ originalError }) => isConnectionLost(originalError));
        if (lost) throw lost.originalError;
      };
      await execute()
        .catch((error: unknown) => retry.after(error, execute, signal))
        .catch((error: unknown) => {
          if (!result.errors) throw error;
        });
      return result;
    });
  },
});
