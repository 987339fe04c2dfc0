import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import { id } from '../../client/protocol/request-schemas.ts';
import { toApiSchema } from './api-schema.ts';
import type { Components } from './components.ts';

/** A path in OpenAPI syntax, with its parameters. */
export function toPath(path: string): { readonly path: string; readonly parameters: JsonObject[] } {
  const parameters: JsonObject[] = [];
  const spelled = path
    .replace(/:(\w+)(?:\{(.*)\})?/g, (_, name: string, pattern: string | undefined) => {
      parameters.push(inPath(name, pattern === undefined ? schemaOf(name) : { pattern }));
      return `{${name}}`;
    })
    .replace(/\*$/, () => {
      parameters.push(inPath('path', {}));
      return '{path}';
    });
  return { path: spelled, parameters };
}

function schemaOf(name: string): JsonObject {
  const isId = ['tenant', 'project', 'conversation', 'turn'].includes(name);
  const { $schema: _, ...schema } = toApiSchema(isId ? id : z.string(), 'input');
  return schema;
}

function inPath(name: string, schema: JsonObject): JsonObject {
  return { name, in: 'path', required: true, schema: { type: 'string', ...schema } };
}

/** One parameter for each property of the schema. */
export function toParameters(
  schema: JsonObject,
  { place, components, name }: { place: 'query' | 'header'; components: Components; name: string },
): JsonObject[] {
  const { $defs, properties, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([key, value]) => {
    const own = isJsonObject(value) ? value : {};
    const whole = $defs === undefined ? own : { ...own, $defs };
    return {
      name: key,
      in: place,
      ...(needed.includes(key) && { required: true }),
      schema: components.embed(whole, { name: `${name}.${key}`, prefix: `${name}.` }),
    };
  });
}
