import { z } from 'zod';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { PreCall, Question, Tool, ToolOutcome } from '../../../../runtime/tools/ports/tool.ts';

export const question: Question = { title: 'Restart?', remember: 'once', timeoutMs: 60_000 };

/** A tool that asks for approval, and records its runs with their inputs. */
export function restartTool(ask: Partial<Question> = {}): Tool & { readonly runs: string[] } {
  const runs: string[] = [];
  const tool = createTool({
    id: 'service.restart',
    description: 'Restarts a service.',
    kind: 'bundle',
    effects: 'unkeyed',
    input: z.object({ service: z.string() }),
    run: async ({ service }): Promise<ToolOutcome> => {
      runs.push(service);
      return { result: { ok: true, ret: `${service} is up` } };
    },
  });
  const consider = async (_: object, { approved, key }: { approved?: string; key: string }) => {
    const considered: PreCall =
      approved === key ? { ok: true } : { ok: true, ask: { ...question, ...ask } };
    return considered;
  };
  return { ...tool, consider, runs };
}

/** A tool that a client performs. */
export function locateTool({ timeoutMs = 60_000, effects = 'none' as const } = {}): Tool {
  const tool = createTool({
    id: 'browser.locate',
    description: 'Where the user is.',
    kind: 'bundle',
    effects,
    input: z.object({}),
    run: async (_, { answer }): Promise<ToolOutcome> => {
      if (!answer) throw new Error('there is no answer');
      if (answer.ok) return { result: { ok: true, ret: answer.ret } };
      return { result: { ok: false, error: { ...answer.error, retryable: false } } };
    },
  });
  const consider = async () => ({ ok: true, external: { input: { a: 1 }, timeoutMs } }) as const;
  return { ...tool, consider };
}
