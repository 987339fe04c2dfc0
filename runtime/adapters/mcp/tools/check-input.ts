import { Ajv } from '@modelcontextprotocol/client/validators/ajv';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { InputIssue } from '../../../tools/ports/tool.ts';
import { toRegex } from '../../../tools/text/regex.ts';
import { oneLine } from './clean-schema.ts';
import { schemaErrorsMax } from './limits.ts';

/** Compiles schemas. Creating one is expensive, so it is shared. */
export type Checker = {
  compile(
    schema: object,
  ): ((value: unknown) => unknown) & { errors?: readonly SchemaError[] | null };
};

type SchemaError = {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Record<string, unknown>;
};

/** Returns the parts of a value that do not match the schema. */
export type Check = (value: Json) => readonly InputIssue[];

/**
 * Compiles untrusted JSON Schemas. Patterns are matched in linear time; patterns that cannot be (look-around) and
 * formats are left to the server.
 */
export function openChecker(): Checker {
  return new Ajv({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    allErrors: true,
    logger: false,
    code: { regExp: Object.assign(linear, { code: 'linear' }) },
  });
}

/** Throws if the schema is invalid. */
export function toCheck(schema: JsonObject, checker = openChecker()): Check {
  const { $schema: _, $id: __, ...bare } = schema;
  const fits = checker.compile(bare);
  return (value) => {
    if (fits(value) === true) return [];
    return (fits.errors ?? []).slice(0, schemaErrorsMax).map((error) => ({
      path: pathOf(error.instancePath, value),
      message: oneLine(sentence(error), 300),
      expected: error.keyword === 'type' ? expectedType(error.params) : undefined,
    }));
  };
}

function linear(pattern: string) {
  const regex = toRegex(pattern);
  const test = regex.ok ? (text: string) => regex.test(text) : () => true;
  return { test, toString: () => `/${pattern}/` };
}

function sentence({ message = 'does not fit', params }: SchemaError): string {
  const { additionalProperty, allowedValues } = params;
  if (typeof additionalProperty === 'string') return `${message}: ${additionalProperty}`;
  return Array.isArray(allowedValues) ? `${message}: ${JSON.stringify(allowedValues)}` : message;
}

function expectedType({ type }: Record<string, unknown>): string | undefined {
  const first: unknown = Array.isArray(type) ? type[0] : type;
  return first === 'integer' ? 'int' : typeof first === 'string' ? first : undefined;
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) ? value[key] : undefined;
}

/** Converts a JSON pointer to a path of keys; list indexes become numbers. */
function pathOf(pointer: string, root: Json): readonly PropertyKey[] {
  const names = pointer.split('/').slice(1);
  let value: Json | undefined = root;
  return names.map((name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    const isItem = Array.isArray(value);
    value = childOf(value, key);
    return isItem ? Number(key) : key;
  });
}
