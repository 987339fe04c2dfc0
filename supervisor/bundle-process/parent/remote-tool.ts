import type { Draft } from '../../../runtime/timeline/block.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import type { CallContext, Tool, ToolSpec } from '../../../runtime/tools/ports/tool.ts';
import { bundleMethods, type ToolMethod } from '../rpc/rpc-protocol.ts';
import type { CallRequest } from './bundle-process.ts';
import { ProcessLost, toLostRefusal } from './process-lost.ts';

/** Runs a method in a process. Rejects with `ProcessLost` if the process ends during the call. */
export type RunInProcess = <Answer>(
  order: ToolMethod<Answer>,
  request: CallRequest,
) => Promise<Answer>;

/** A tool that is declared here and runs in another process. */
export function remoteTool(compiled: Tool, agent: string, perform: RunInProcess): Tool {
  const { spec, parse, consider } = compiled;
  const request = { agent, tool: spec.id };
  const unstarted = { id: spec.id, effects: 'none' } as const;
  return {
    spec,
    parse,
    ...(consider && {
      consider: (input, context) =>
        orRefusal(
          perform(bundleMethods.consider, { ...request, input, context }),
          unstarted,
          context,
        ),
    }),
    run: async (input, context) => {
      const running = perform(bundleMethods.run, { ...request, input, context });
      const { result, unshown } = await orRefusal(running, spec, context);
      return { result, ...(unshown > 0 ? { blocks: [notShown(unshown, context)] } : {}) };
    },
  };
}

/** A stopped call rejects with the reason of the stop, whatever happened to its process. */
async function orRefusal<T>(
  performing: Promise<T>,
  spec: Pick<ToolSpec, 'id' | 'effects'>,
  { signal }: CallContext,
): Promise<T> {
  try {
    return await performing;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ProcessLost ? toLostRefusal(error, spec) : error;
  }
}

function notShown(count: number, { turn, call }: CallContext): Draft {
  return {
    turn,
    call,
    type: 'react.notice',
    author: 'system',
    path: paths.callNotice(turn, call),
    text: `Some of it was not shown live: ${count} pieces came faster than they could be taken in.`,
    data: { code: 'live_limit' },
  };
}
