import { Ajv } from '@modelcontextprotocol/client/validators/ajv';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { InputIssue } from '../../../tools/ports/tool.ts';
import { toRegex } from '../../../tools/text/regex.ts';
import { oneLine } from './clean-schema.ts';
import { schemaErrorsMax } from './limits.ts';

/** Compiles schemas; many share one, because it is costly to make. */
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

/** Says what of a value does not fit. */
export type Check = (value: Json) => readonly InputIssue[];

/**
 * Makes checks of a stranger's JSON Schemas. Patterns are matched in linear time; one that cannot be (look-around) and
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

/** Throws where the schema is none. */
export function toCheck(schema: JsonObject, checker = openChecker()): Check {
  const { $schema: _, $id: __, ...bare } = schema;
  const fits = checker.compile(bare);
  return (value) => {
    if (fits(value) === true) return [];
    return (fits.errors ?? []).slice(0, schemaErrorsMax).map((error) => ({
      path: pathOf(error.instancePath, value),
      message: oneLine(sentence(error), 300),
      wanted: error.keyword === 'type' ? wantedOf(error.params) : undefined,
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

function wantedOf({ type }: Record<string, unknown>): string | undefined {
  const first: unknown = Array.isArray(type) ? type[0] : type;
  return first === 'integer' ? 'int' : typeof first === 'string' ? first : undefined;
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) ? value[key] : undefined;
}

/** A JSON pointer as the keys that lead there; a number only where there is a list. */
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
