import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { externalTimeoutMs, resultCharsDefault, toolTimeoutDefaultMs } from '../../tools/limits.ts';
import type { CallContext, ParsedInput, Tool, ToolOutcome } from '../../tools/ports/tool.ts';
import { resultOfDispatch } from '../../tools/results/dispatch-result.ts';

/** A function of the sender of a message, for the turn that the message opens. */
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

/**
 * The turn waits for the result of each call, whatever the agent does with its own external tools. With an address, the
 * worker posts the call there instead.
 */
export function createClientTool(
  { name, description = '', parameters }: ClientFunction,
  dispatchUrl?: string,
): Tool {
  const schema = parameters ?? { type: 'object', properties: {} };
  const tool = {
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
    run: async (_, { answer }) => toOutcome(name, answer),
  } satisfies Tool;
  if (dispatchUrl !== undefined) {
    return {
      ...tool,
      run: (input, context) => dispatched({ name, url: dispatchUrl }, input, context),
    };
  }
  return {
    ...tool,
    consider: async (input) => ({ ok: true, external: { input, timeoutMs: externalTimeoutMs } }),
  };
}

/** Refusals `forbidden`, `address_refused`, `dispatch_failed` and `too_large`. */
async function dispatched(
  { name, url }: { readonly name: string; readonly url: string },
  input: JsonObject,
  { dispatch, call, turn, round, key, signal }: CallContext,
): Promise<ToolOutcome> {
  if (!dispatch) throw new Refusal('forbidden', `${url} is not an allowed address`);
  const body = { name, arguments: input, call_id: call, turn_id: turn, round };
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const response = await dispatch.post(url, { body: JSON.stringify(body), headers, signal });
  const ret = z.json().parse(resultOfDispatch(response, url));
  return { result: { ok: true, ret } };
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
