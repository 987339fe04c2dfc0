import type { JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { externalTimeoutMs, resultCharsDefault, toolTimeoutDefaultMs } from '../../tools/limits.ts';
import type { CallContext, ParsedInput, Tool, ToolOutcome } from '../../tools/ports/tool.ts';

/** A function that the sender of a message performs, for the turn that the message opens. */
export type ClientFunction = {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the input. */
  readonly parameters?: JsonObject | undefined;
};

const prefix = 'client.';

/** Whether the tool was declared by a message, so that its sender performs the calls. */
export function isClientTool(id: string): boolean {
  return id.startsWith(prefix);
}

/** The turn waits for the result of each call, whatever the agent does with its own external tools. */
export function createClientTool({ name, description = '', parameters }: ClientFunction): Tool {
  const schema = parameters ?? { type: 'object', properties: {} };
  return {
    spec: {
      id: `${prefix}${name}`,
      description: description.trim() === '' ? `Calls ${name} in the client.` : description,
      parameters: schema,
      traits: [],
      effects: 'unkeyed',
      concurrency: 'alone',
      timeoutMs: toolTimeoutDefaultMs,
      resultLimit: resultCharsDefault,
      kind: 'bundle',
    },
    parse: (input) => parseInput(schema, input),
    consider: async (input) => ({ ok: true, external: { input, timeoutMs: externalTimeoutMs } }),
    run: async (_, { answer }) => toOutcome(name, answer),
  };
}

/** The client has the schema and checks the rest. */
function parseInput({ required }: JsonObject, input: JsonObject): ParsedInput {
  const names = Array.isArray(required) ? required.filter((each) => typeof each === 'string') : [];
  const missing = names.filter((each) => !Object.hasOwn(input, each));
  const violations = missing.map((path) => ({ path, message: 'is required' }));
  return missing.length === 0 ? { ok: true, input } : { ok: false, violations };
}

function toOutcome(name: string, answer: CallContext['answer']): ToolOutcome {
  if (!answer) {
    const because = `${name} is performed by the client; call it as an action of its own`;
    throw new Refusal('denied', because);
  }
  if (answer.ok) return { result: { ok: true, ret: answer.ret } };
  const { code, message, retryable = false } = answer.error;
  return { result: { ok: false, error: { code, message, retryable } } };
}
