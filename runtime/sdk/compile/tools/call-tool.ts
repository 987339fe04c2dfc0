import { Fault } from '../../../base/fault.ts';
import { isJsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { CallContext, Tool, ToolResult } from '../../../tools/ports/tool.ts';
import type { ToolContext } from '../../define/context.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import { toJson } from '../validate/zod-schema.ts';

/** `ctx.call`: one tool of the bundle calls another. */
export function createCall(
  find: (id: string) => readonly [ToolDefinition, Tool] | undefined,
  call: CallContext,
  hooked: (tool: Tool) => Tool,
): ToolContext['call'] {
  let count = 0;
  return async (key, input) => {
    const found = find(key.id);
    if (!found) throw new Fault('NOT_IN_BUNDLE', { because: `tool ${key.id}` });
    const [definition, tool] = found;
    const json = toJson(input);
    const given = isJsonObject(json) ? json : {};
    count += 1;
    const result = call.callTool
      ? await call.callTool(key.id, given)
      : await runWithin(hooked(tool), given, { ...call, key: `${call.key}.${count}` });
    if (!result.ok) throw toThrown(result);
    return typedResult(key, definition, result.ret);
  };
}

async function runWithin(tool: Tool, input: Parameters<Tool['parse']>[0], call: CallContext) {
  const parsed = tool.parse(input);
  if (parsed.ok) return (await tool.run(parsed.input, call)).result;
  const message = parsed.violations.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return { ok: false, error: { code: 'invalid_input', message, retryable: false } } as const;
}

function toThrown({ error }: Extract<ToolResult, { ok: false }>): Error {
  return new Refusal(error.code, error.message, { retryable: error.retryable });
}

/** The tool's definition proves the type of its result. */
async function typedResult<O>(
  _proof: { '~result'?: O },
  { output }: ToolDefinition,
  ret: unknown,
): Promise<O> {
  return (output ? await output.parseAsync(ret) : ret) as O;
}
