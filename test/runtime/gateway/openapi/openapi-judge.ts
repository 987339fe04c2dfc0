import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';

/** Says what of an answer does not fit the document, and remembers what it was asked about. */
export type Judge = {
  /** `operationId status` of every answer so far. */
  readonly seen: ReadonlySet<string>;
  /** Empty: the answer is one that the document tells of. The body is read from a copy. */
  complaints(method: string, response: Response): Promise<readonly string[]>;
  /** The same for a value and a component. */
  misfits(component: string, value: unknown): readonly string[];
};

/** Properties that no schema names are a misfit here, though clients must bear them. */
export function openJudge(document: JsonObject): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'api', ...closed(document) });
  const seen = new Set<string>();
  const check = (pointer: string, value: unknown) => {
    const validate = ajv.getSchema(`api#${pointer}`);
    if (!validate) return [`no schema at ${pointer}`];
    if (validate(value) === true) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
  };
  return {
    seen,
    misfits: (component, value) => check(`/components/schemas/${component}`, value),
    complaints: async (method, response) => {
      const path = pathOf(document, new URL(response.url).pathname);
      const pointer = ['', 'paths', path, method.toLowerCase()];
      const operation = at(document, pointer);
      const status = String(response.status);
      seen.add(`${String(operation['operationId'])} ${status}`);
      const answer = at(document, [...pointer, 'responses', status]);
      if (['202', '204', '304'].includes(status) && !('content' in answer)) return [];
      const content = at(answer, ['', 'content']);
      const name = mimeOf(content, response);
      const asked = `${method} ${path} ${status}`;
      if (name === undefined) {
        const documented = Object.keys(at(document, [...pointer, 'responses'])).join(' ');
        return [
          `${asked} ${response.headers.get('content-type')} is not documented, only ${documented}`,
        ];
      }
      if (name !== 'application/json') return [];
      const body: unknown = await response.clone().json();
      const found = codeMisfits(at(document, [...pointer, 'responses', status]), body);
      const parts = [...pointer, 'responses', status, 'content', name, 'schema'];
      const misfits = check(parts.map(escaped).join('/'), body);
      return [...found, ...misfits].map((each) => `${asked}: ${each}`);
    },
  };
}

/** A no says one of the codes that the document gives it. */
function codeMisfits({ 'x-timeloom-codes': codes }: JsonObject, body: unknown): readonly string[] {
  const error = isJsonObject(body) ? body['error'] : undefined;
  const code = isJsonObject(error) ? error['code'] : undefined;
  const isTold = !Array.isArray(codes) || codes.includes(code);
  return isTold ? [] : [`${JSON.stringify(error)} is not among ${codes.join(', ')}`];
}

function mimeOf(content: JsonObject, { headers }: Response): string | undefined {
  const [mime = ''] = (headers.get('content-type') ?? '').split(';');
  return Object.keys(content).find((name) => name === mime || name === '*/*');
}

/** The template that the address fills; of several the one with the fewest gaps. */
function pathOf({ paths = {} }: JsonObject, address: string): string {
  const fits = (template: string) => {
    const source = template
      .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replace(/\{path\}$/, '.*')
      .replace(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^${source}$`).test(address);
  };
  const gaps = (template: string) => template.split('{').length;
  const found = Object.keys(Object(paths)).filter(fits);
  return found.toSorted((a, b) => gaps(a) - gaps(b))[0] ?? '';
}

/** What is there, an object. */
export function at(document: JsonObject, parts: readonly string[]): JsonObject {
  return parts.slice(1).reduce<JsonObject>((value, part) => {
    const next = value[part];
    return isJsonObject(next) ? next : {};
  }, document);
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function closed<T>(value: T): T {
  const text = JSON.stringify(value, (_, one: unknown) => {
    if (!isJsonObject(one) || !isJsonObject(one['properties'])) return one;
    return 'additionalProperties' in one ? one : { ...one, additionalProperties: false };
  });
  return JSON.parse(text) as T;
}
