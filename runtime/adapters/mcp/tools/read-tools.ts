import type { Tool as ListedTool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { returnsCharsMax } from '../../../tools/limits.ts';
import { type Check, type Checker, openChecker, toCheck } from './check-input.ts';
import { oneLine, shownSchema } from './clean-schema.ts';
import {
  catalogueCharsMax,
  descriptionCharsMax,
  schemaCharsMax,
  toolNameCharsMax,
  toolsPerServerMax,
} from './limits.ts';

/** A tool of a server, validated and within the limits. */
export type ServerTool = {
  /** The server's own name. */
  readonly name: string;
  readonly description: string;
  /** The schema as the model reads it, without the parameter for the idempotency key. */
  readonly parameters: JsonObject;
  /** The declared output schema, if it can be shown. */
  readonly returns: JsonObject | undefined;
  readonly check: Check;
  /** The server declares that the tool changes nothing. */
  readonly readOnly: boolean;
  /** The parameter for the idempotency key. */
  readonly keyParameter: string | undefined;
  /** The original JSON, to detect changes. */
  readonly definition: ListedTool;
  readonly json: string;
};

export type ReadTools = {
  readonly tools: readonly ServerTool[];
  /** What was left out and why, for the log. */
  readonly left: readonly string[];
};

const Schema = z.record(z.string(), z.json());
const Listed = z.object({
  name: z.string().min(1).max(toolNameCharsMax),
  description: z.string().default(''),
  inputSchema: Schema,
  outputSchema: Schema.exactOptional(),
  annotations: z
    .looseObject({
      readOnlyHint: z.boolean().exactOptional(),
      idempotentHint: z.boolean().exactOptional(),
    })
    .default({}),
});

/** Reads a server's listing, sorted by name. A broken tool is left out and does not affect the others. */
export function readTools(listed: readonly unknown[]): ReadTools {
  const left: string[] = [];
  const checker = openChecker();
  const read = listed.slice(0, toolsPerServerMax).flatMap((each) => {
    try {
      return [readTool(each, checker)];
    } catch (error) {
      left.push(`${nameOf(each)}: ${because(error)}`);
      return [];
    }
  });
  if (listed.length > toolsPerServerMax) {
    left.push(`${listed.length - toolsPerServerMax} tools beyond the first ${toolsPerServerMax}`);
  }
  const once = new Map(read.map((tool) => [tool.name, tool]));
  const sorted = [...once.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { tools: withinRoom(sorted, left), left };
}

function readTool(listed: unknown, checker: Checker): ServerTool {
  const { name, description, inputSchema, outputSchema, annotations } = Listed.parse(listed);
  if (JSON.stringify(inputSchema).length > schemaCharsMax) throw tooLarge;
  const shown = shownSchema(inputSchema);
  if (JSON.stringify(shown).length > schemaCharsMax) throw tooLarge;
  const key = annotations.idempotentHint === true ? keyParameterOf(shown) : undefined;
  const definition: ListedTool = {
    name,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(outputSchema ? { outputSchema: { ...outputSchema, type: 'object' } } : {}),
  };
  const json = JSON.stringify([description, definition, annotations]);
  return {
    name,
    description: oneLine(description, descriptionCharsMax) || `Tool ${oneLine(name, 80)}.`,
    parameters: without(shown, key),
    returns: outputSchema && shownReturns(outputSchema),
    check: toCheck(without(inputSchema, key), json.includes('"$id"') ? openChecker() : checker),
    readOnly: annotations.readOnlyHint === true,
    keyParameter: key,
    definition,
    json,
  };
}

/** The output schema is optional: if it cannot be shown, the tool is kept without it. */
function shownReturns(schema: JsonObject): JsonObject | undefined {
  try {
    return shownSchema(schema);
  } catch {
    return undefined;
  }
}

const tooLarge = new Error(`its schema is over ${schemaCharsMax} characters`);

/** The two spellings of the parameter for an idempotency key. */
function keyParameterOf({ properties }: JsonObject): string | undefined {
  return ['idempotency_key', 'idempotencyKey'].find((name) => {
    const schema = isJsonObject(properties) ? properties[name] : undefined;
    return isJsonObject(schema) && schema['type'] === 'string';
  });
}

function without(schema: JsonObject, parameter: string | undefined): JsonObject {
  if (parameter === undefined) return schema;
  const { properties, required } = schema;
  const own = isJsonObject(properties) ? Object.entries(properties) : [];
  return {
    ...schema,
    properties: Object.fromEntries(own.filter(([name]) => name !== parameter)),
    required: Array.isArray(required) ? required.filter((name) => name !== parameter) : [],
  };
}

/** As many tools, sorted by name, as fit into the system text of an agent. */
function withinRoom(tools: readonly ServerTool[], left: string[]): readonly ServerTool[] {
  let chars = 0;
  return tools.filter(({ name, description, parameters, returns = {} }) => {
    chars += description.length + JSON.stringify(parameters).length;
    chars += Math.min(returnsCharsMax, JSON.stringify(returns).length);
    if (chars <= catalogueCharsMax) return true;
    left.push(`${oneLine(name, 80)}: the tools of a server have ${catalogueCharsMax} characters`);
    return false;
  });
}

function nameOf(listed: unknown): string {
  const name = typeof listed === 'object' && listed !== null && 'name' in listed && listed.name;
  return typeof name === 'string' && name !== '' ? oneLine(name, 80) : 'a tool without a name';
}

function because(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return oneLine(`${issue?.path.map(String).join('.')}: ${issue?.message}`, 200);
  }
  return oneLine(error instanceof Error ? error.message : String(error), 200);
}
