import { type Progress, ProtocolError } from '@modelcontextprotocol/client';
import { isFault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import type { Mask } from '../../sdk/compile/host/mask.ts';
import { parseWith } from '../../tools/definition/schema.ts';
import { resultCharsDefault } from '../../tools/limits.ts';
import type { CallContext, Tool, ToolError, ToolSpec } from '../../tools/ports/tool.ts';
import { cutText } from '../../tools/text/cut-text.ts';
import { classifyError, detailOf } from './connection/connection-problem.ts';
import type { Session } from './connection/session.ts';
import { errorCharsMax } from './tools/limits.ts';
import type { ServerTool } from './tools/read-tools.ts';
import { toOutcome } from './tools/to-outcome.ts';

export type ToolContext = {
  readonly id: string;
  readonly server: string;
  readonly session: Session;
  readonly timeoutMs: number;
  /** Whether the bundle allows the tool; checked at each call. */
  permits(name: string): boolean;
};

/** Wraps a server's tool as an ordinary tool. */
export function toTool(tool: ServerTool, home: ToolContext): Tool {
  const spec = toSpec(tool, home);
  return {
    spec,
    parse: (input) => parseWith(tool.check, input),
    run: async (input, context) => {
      if (!home.permits(tool.name)) throw notVisible(spec.id);
      try {
        const result = await call(tool, home, { input, context });
        return await toOutcome(result, { mask: home.session.mask, context });
      } catch (error) {
        context.signal.throwIfAborted();
        if (isFault(error)) throw error;
        return { result: { ok: false, error: toError(error, spec, home) } };
      }
    },
  };
}

/** Masks our credentials in descriptions and schemas, which come from the server. */
function toSpec(tool: ServerTool, home: ToolContext) {
  const { description, parameters, returns, readOnly, keyParameter } = tool;
  const { mask } = home.session;
  const spec: ToolSpec = {
    id: home.id,
    description: mask.text(description),
    parameters: masked(parameters, mask),
    ...(returns ? { returns: masked(returns, mask) } : {}),
    traits: readOnly ? ['exploration'] : [],
    effects: readOnly ? 'none' : keyParameter === undefined ? 'unkeyed' : 'keyed',
    concurrency: readOnly ? 'safe' : 'alone',
    timeoutMs: home.timeoutMs,
    resultLimit: resultCharsDefault,
    kind: 'platform',
  };
  return spec;
}

function masked(schema: JsonObject, mask: Mask): JsonObject {
  return JSON.parse(mask.text(JSON.stringify(schema)));
}

type Calling = { readonly input: JsonObject; readonly context: CallContext };

function call(tool: ServerTool, { session, timeoutMs }: ToolContext, { input, context }: Calling) {
  const key = tool.keyParameter === undefined ? {} : { [tool.keyParameter]: context.key };
  return session.call({
    tool,
    input: { ...input, ...key },
    signal: context.signal,
    timeoutMs,
    progress: (progress) => show(progress, session, context),
  });
}

function show(
  { message, progress, total }: Progress,
  session: Session,
  context: CallContext,
): void {
  if (context.signal.aborted) return;
  const fraction = total !== undefined && total > 0 ? Math.min(1, progress / total) : undefined;
  if (message === undefined && fraction === undefined) return;
  context.services.progress({
    ...(message === undefined ? {} : { text: session.mask.text(message) }),
    ...(fraction === undefined ? {} : { fraction: Math.max(0, fraction) }),
  });
}

function notVisible(id: string): Refusal {
  return new Refusal('tool_not_visible', `${id} is not among the tools that may be called.`);
}

function toError(
  error: unknown,
  { effects }: ToolSpec,
  { session, server }: ToolContext,
): ToolError {
  const said = session.mask.text(detailOf(error));
  if (isRefusal(error)) return { code: error.code, message: said, retryable: error.retryable };
  const verdict = classifyError(error);
  if (verdict === 'lost' || verdict === 'cut') {
    const doubt =
      effects === 'unkeyed' ? ' It may have taken effect: look before you repeat it.' : '';
    const message = `The MCP server “${server}” broke off while this call ran.${doubt}`;
    return { code: 'interrupted', message, retryable: effects !== 'unkeyed' };
  }
  const message = error instanceof ProtocolError ? said : `The MCP server “${server}”: ${said}`;
  return { code: 'tool_failed', message: cutText(message, errorCharsMax), retryable: false };
}
