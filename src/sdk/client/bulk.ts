import { BulkOperations } from './generated/api.ts';
import type {
  BulkOperation,
  BulkResult,
  CreateCustomerInput,
  CreateInvoiceInput,
  CreateProjectInput,
  CreateReceiptInput,
  CreateTimeEntryInput,
  UpdateCustomerInput,
  UpdateProjectInput,
} from './generated/types.ts';
import type { Lines } from './lines.ts';
import type { PostOptions, RequestOptions } from './options.ts';
import { waitForEnd, type WaitOptions } from './wait-for-end.ts';

interface Identified {
  id: string;
}
interface ExternallyIdentified {
  external_id: string;
}

/** The value on each line of a bulk operation, by its resource and action. */
export interface BulkBodies {
  customers: {
    create: CreateCustomerInput;
    update: UpdateCustomerInput & Identified;
    upsert: CreateCustomerInput & ExternallyIdentified;
    delete: Identified;
  };
  projects: {
    create: CreateProjectInput;
    update: UpdateProjectInput & Identified;
    upsert: CreateProjectInput & ExternallyIdentified;
    delete: Identified;
  };
  invoices: { create: CreateInvoiceInput; delete: Identified };
  receipts: { create: CreateReceiptInput; delete: Identified };
  'time-entries': { create: CreateTimeEntryInput; delete: Identified };
}

export interface BulkOptions extends PostOptions, WaitOptions<BulkOperation> {
  /** Yields only results of lines that failed. */
  failed?: boolean | undefined;
}

/** Bulk operations. */
export class BulkClient extends BulkOperations {
  /**
   * Starts a bulk operation, and doesn't wait for its end.
   * @param bodies what the single request takes, for each line. They are sent as they are yielded
   */
  async start<Resource extends keyof BulkBodies, Action extends keyof BulkBodies[Resource] & string>(
    resource: Resource,
    action: Action,
    bodies: Lines<BulkBodies[Resource][Action]>,
    options: PostOptions = {},
  ): Promise<BulkOperation> {
    const { data } = await this.client.request<{ data: BulkOperation }>('POST', '/bulk-operations', {
      query: { resource, action },
      lines: bodies,
      options,
    });
    return data;
  }

  /** The results of the lines that are done, in order. */
  results(
    id: string,
    query: { failed?: boolean | undefined } = {},
    options: RequestOptions = {},
  ): AsyncGenerator<BulkResult, void, undefined> {
    return this.client.readLines(`/bulk-operations/${encodeURIComponent(id)}/results`, { query, options });
  }

  /**
   * Starts a bulk operation. Awaited, it is the operation when it has ended. In `for await`, it is a result for each line, in
   * order. Nothing is sent before that.
   * @param bodies what the single request takes, for each line. They are sent as they are yielded
   */
  run<Resource extends keyof BulkBodies, Action extends keyof BulkBodies[Resource] & string>(
    resource: Resource,
    action: Action,
    bodies: Lines<BulkBodies[Resource][Action]>,
    options: BulkOptions = {},
  ): BulkRun {
    const { onProgress: _, failed: __, ...request } = options;
    const start = (): Promise<BulkOperation> => this.start(resource, action, bodies, request);
    return new BulkRun(this, start, options);
  }

  /** Asks for an operation, less and less often, until it has ended. */
  wait(id: string, options: WaitOptions<BulkOperation> = {}): Promise<BulkOperation> {
    return waitForEnd((request) => this.get(id, request), options);
  }
}

/** A bulk operation that this program has started. */
export class BulkRun implements PromiseLike<BulkOperation>, AsyncIterable<BulkResult> {
  readonly #client: BulkClient;
  readonly #start: () => Promise<BulkOperation>;
  readonly #options: BulkOptions;
  #started: Promise<BulkOperation> | undefined;
  #ended: Promise<BulkOperation> | undefined;

  constructor(client: BulkClient, start: () => Promise<BulkOperation>, options: BulkOptions) {
    this.#client = client;
    this.#start = start;
    this.#options = options;
  }

  /** The operation, as soon as the service has all lines. A program may store its id, and end. */
  started(): Promise<BulkOperation> {
    return (this.#started ??= this.#start());
  }

  // oxlint-disable-next-line unicorn/no-thenable -- `await` waits for its end.
  then<Result1 = BulkOperation, Result2 = never>(
    onfulfilled?: ((operation: BulkOperation) => Result1 | PromiseLike<Result1>) | null,
    onrejected?: ((error: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    this.#ended ??= this.#waitForEnd();
    return this.#ended.then(onfulfilled, onrejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BulkResult, void, undefined> {
    const { id } = await this;
    const { failed } = this.#options;
    yield* this.#client.results(id, { failed }, this.#request);
  }

  async #waitForEnd(): Promise<BulkOperation> {
    const { id } = await this.started();
    return await this.#client.wait(id, { ...this.#request, onProgress: this.#options.onProgress });
  }

  get #request(): RequestOptions {
    const { onProgress: _, failed: __, idempotencyKey: ___, headers: ____, ...request } = this.#options;
    return request;
  }
}
