import { operations, type Description, type Operation, type Response } from '../openapi/description.ts';
import { isObject, resolve, takenBack, type Json } from './schemas.ts';

// The promises of the description of REST v1 and its webhooks, and those that a later description takes back.
// src/pages/guides/versions.md says what may be added.

/** The description without what promises nothing: texts and examples. */
export function withoutTexts<Node>(node: Node): Node {
  return JSON.parse(JSON.stringify(node), (_key, value: unknown) => {
    if (!isObject(value)) return value;
    // A property of an object may have one of these names: its value is a schema.
    const texts = ['description', 'summary', 'title'].filter((name) => typeof value[name] === 'string');
    const left = new Set([
      ...texts,
      ...('schema' in value ? ['example'] : []),
      ...('type' in value ? ['examples'] : []),
    ]);
    return Object.fromEntries(Object.entries(value).filter(([name]) => !left.has(name)));
  }) as Node;
}

/** The promises that a later description takes back, each as one line. */
export function compareDescriptions(before: Description, after: Description): string[] {
  const now = new Map(operations(after).map((each) => [`${each.method} ${each.path}`, each.operation]));
  const servers = after.servers.map(({ url }) => url).join();
  return [
    ...(before.servers.map(({ url }) => url).join() === servers ? [] : [`the address is ${servers}`]),
    ...operations(before).flatMap(({ method, path, operation }) => {
      const at = `${method} ${path}`;
      const found = now.get(at);
      const comparison = new OperationComparison(before, after, at.toUpperCase().replace(path.toUpperCase(), path));
      return found ? comparison.compare(operation, found) : [`${comparison.at}: is gone`];
    }),
    ...Object.entries(before.webhooks).flatMap(([event, { post }]) => {
      const found = after.webhooks[event]?.post;
      return found ? new OperationComparison(before, after, event).compareSent(post, found) : [`${event}: is gone`];
    }),
  ];
}

type Headers = Record<string, Json>;

class OperationComparison {
  readonly #before: Description;
  readonly #after: Description;
  readonly at: string;

  constructor(before: Description, after: Description, at: string) {
    this.#before = before;
    this.#after = after;
    this.at = at;
  }

  compare(before: Operation, after: Operation): string[] {
    const abilities = before['x-abilities'] ?? [];
    const more = (after['x-abilities'] ?? []).filter((ability) => !abilities.includes(ability));
    return [
      ...(before.operationId === after.operationId ? [] : [`${this.at}: is called ${after.operationId}`]),
      ...more.map((ability) => `${this.at}: needs the ability ${ability}`),
      ...this.#compareParameters(before, after),
      ...this.#compareBodies(before.requestBody, after.requestBody),
      ...this.#compareAnswers(before.responses, after.responses),
    ];
  }

  /** A webhook is what the service sends, as an answer is. */
  compareSent(before: Operation, after: Operation): string[] {
    return [
      ...this.#compareHeaders(this.#byName(this.#before, before), this.#byName(this.#after, after), this.at),
      ...this.#compareContents(before.requestBody?.content, after.requestBody?.content, 'out', this.at),
    ];
  }

  #byName(api: Description, { parameters = [] }: Operation): Headers {
    return Object.fromEntries(
      parameters.map((each) => {
        const parameter = resolve(each, api);
        return [`${String(parameter['in'])} ${String(parameter['name'])}`, parameter];
      }),
    );
  }

  #compareParameters(before: Operation, after: Operation): string[] {
    const [had, has] = [this.#byName(this.#before, before), this.#byName(this.#after, after)];
    const isRequired = (name: string): boolean => has[name]?.['required'] === true;
    return [
      ...Object.keys(has)
        .filter((name) => isRequired(name) && had[name]?.['required'] !== true)
        .map((name) => `${this.at}: ${name}: is required`),
      ...Object.entries(had).flatMap(([name, then]) => {
        const at = `${this.at}: ${name}`;
        const now = has[name];
        if (!now) return [`${at}: is gone`];
        const style = ['style', 'explode']
          .filter((each) => then[each] !== now[each])
          .map((each) => `${at}: another ${each}`);
        return [...style, ...this.#compareSchemas(then['schema'], now['schema'], 'in', at)];
      }),
    ];
  }

  #compareBodies(before: Operation['requestBody'], after: Operation['requestBody']): string[] {
    const at = `${this.at}: body`;
    return [
      ...(after?.required && !before?.required ? [`${at}: is required`] : []),
      ...this.#compareContents(before?.content, after?.content, 'in', at),
    ];
  }

  #compareAnswers(before: Operation['responses'], after: Operation['responses']): string[] {
    const fresh = Object.keys(after).filter((status) => !(status in before));
    return [
      ...fresh.map((status) => `${this.at}: ${status}: is new`),
      ...Object.entries(before).flatMap(([status, reference]) => {
        const at = `${this.at}: ${status}`;
        if (!after[status]) return [`${at}: is gone`];
        const then = resolve(reference, this.#before) as unknown as Response;
        const now = resolve(after[status], this.#after) as unknown as Response;
        return [
          ...this.#compareHeaders(then.headers ?? {}, now.headers ?? {}, at),
          ...this.#compareContents(then.content, now.content, 'out', at),
        ];
      }),
    ];
  }

  #compareHeaders(before: Headers, after: Headers, at: string): string[] {
    return Object.entries(before).flatMap(([name, reference]) => {
      const [then, now] = [resolve(reference, this.#before), resolve(after[name], this.#after)];
      if (!after[name]) return [`${at}: ${name}: is gone`];
      const isLess = then['required'] === true && now['required'] !== true;
      const fewer = isLess ? [`${at}: ${name}: may be missing`] : [];
      return [...fewer, ...this.#compareSchemas(then['schema'], now['schema'], 'out', `${at}: ${name}`)];
    });
  }

  #compareContents(before: object = {}, after: object = {}, direction: 'in' | 'out', at: string): string[] {
    const now = new Map<string, unknown>(Object.entries(after));
    return Object.entries(before).flatMap(([type, content]: [string, unknown]) => {
      if (!now.has(type)) return [`${at}: ${type}: is gone`];
      const schemas = [content, now.get(type)].map((each) => (isObject(each) ? each['schema'] : {}));
      return this.#compareSchemas(schemas[0], schemas[1], direction, at);
    });
  }

  #compareSchemas(before: unknown, after: unknown, direction: 'in' | 'out', at: string): string[] {
    const then = { schema: isObject(before) ? before : {}, document: this.#before };
    const now = { schema: isObject(after) ? after : {}, document: this.#after };
    return takenBack(then, now, direction, at);
  }
}
