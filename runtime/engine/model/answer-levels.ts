import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Model, ModelRequest } from '../ports/model.ts';

export type Level = 'native' | 'json' | 'plain';

/** One request of a structured call. */
export type Attempt = {
  readonly level: Level;
  /** The answer is expected as the property `value` of an object. */
  readonly wrapped: boolean;
  form(name: string): Pick<ModelRequest, 'offer' | 'format'> & { readonly words: Words };
};

type Words = { readonly system: string; readonly prompt: string };

/** Each level that the model has, in order: a forced tool once, then a JSON reply and plain text twice each. */
export function attemptsOf(
  { abilities }: Model,
  schema: JsonObject,
  { isText }: { readonly isText?: true } = {},
): readonly Attempt[] {
  const native = abilities?.tools === true && abilities.forcedChoice;
  const json = abilities?.json === true;
  return [
    ...(native ? [forcedTool(schema)] : []),
    ...(json ? [jsonReply(schema), jsonReply(schema)] : []),
    ...(isText ? [text] : [plainText(schema), plainText(schema)]),
  ];
}

const alone = 'Give the answer alone, nothing around it.';

function forcedTool(schema: JsonObject): Attempt {
  const form = toObjectSchema(schema);
  return {
    level: 'native',
    wrapped: form !== schema,
    form: (name) => ({
      words: {
        system: `You answer one question of a program. Call ${name} with the answer.`,
        prompt: '',
      },
      offer: {
        tools: [{ name, description: 'Takes the answer to the question.', schema: form }],
        choice: { tool: name },
      },
    }),
  };
}

function jsonReply(schema: JsonObject): Attempt {
  const form = toObjectSchema(schema);
  const prompt = `Answer with one JSON object of this schema:\n${JSON.stringify(form)}`;
  const system = `You answer one question of a program with one JSON object. ${alone}`;
  return {
    level: 'json',
    wrapped: form !== schema,
    form: () => ({ words: { system, prompt }, format: 'json' }),
  };
}

function plainText(schema: JsonObject): Attempt {
  const prompt = `Answer with JSON alone, of this schema:\n${JSON.stringify(schema)}`;
  const system = `You answer one question of a program. ${alone}`;
  return { level: 'plain', wrapped: false, form: () => ({ words: { system, prompt } }) };
}

const text: Attempt = {
  level: 'plain',
  wrapped: false,
  form: () => ({ words: { system: '', prompt: '' } }),
};

/** Tool inputs and JSON replies are objects: any other answer becomes the property `value` of one. */
function toObjectSchema(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object') return schema;
  const { $schema, $defs, ...value } = schema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    ...($defs === undefined ? {} : { $defs }),
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
  };
}

/** The answer in what the model wrote: models also write it without the object around it. */
export function unwrap(json: Json, { wrapped }: Attempt): Json {
  if (!wrapped || !isJsonObject(json)) return json;
  return json['value'] ?? json;
}
