import { z } from 'zod';
import type { Clock } from '../../../../runtime/base/clock.ts';
import type { CallId } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type {
  CallContext,
  Tool,
  ToolOutcome,
  ToolSpec,
} from '../../../../runtime/tools/ports/tool.ts';
import { switchTools } from '../../../../runtime/tools/react/switch-tools.ts';
import type { Chance } from './chance.ts';
import { laterTool, moreTools } from './many-tools.ts';
import type { Life } from './process-life.ts';

/** One start of a tool, as seen from outside. */
export type Run = {
  readonly tool: string;
  readonly call: CallId;
  readonly key: string;
  readonly worker: string;
  /** The owner of the conversation when the run started. */
  readonly owner: string | undefined;
  /** Whether the log held the intent. */
  readonly intended: boolean;
  /** Whether the log held an approval. */
  readonly allowed: boolean;
  finished: boolean;
};

export type Witness = {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly life: Life;
  saw(tool: string, context: CallContext): Run;
};

const slowMsMax = 20_000;
const waitMs = 20_000;

/** Tools of every kind of effect; the witness records what they did. */
export function createRandomTools(
  witness: Witness,
  { many = false }: { many?: boolean } = {},
): readonly Tool[] {
  const more = many ? [...moreTools, laterTool] : [];
  return [
    ...more.map((id) => toolOf(witness, { id, effects: 'none', traits: ['exploration'] })),
    ...(many ? [switchTools] : []),
    toolOf(witness, { id: 'sim.read', effects: 'none', traits: ['exploration'] }),
    toolOf(witness, { id: 'sim.note', effects: 'none', traits: ['neutral'] }),
    toolOf(witness, { id: 'sim.keyed', effects: 'keyed', traits: ['exploitation'] }),
    toolOf(witness, {
      id: 'sim.once',
      effects: 'unkeyed',
      traits: ['exploitation'],
      callsPerTurn: 3,
    }),
    askedTool(witness),
    clientTool,
  ];
}

/** Waits for a person, for a short time. */
function askedTool(witness: Witness): Tool {
  const kind = { id: 'sim.asked', effects: 'unkeyed', traits: ['exploitation'] } as const;
  return {
    ...toolOf(witness, kind),
    consider: async () => ({
      ok: true,
      ask: { title: 'May I?', remember: 'once', timeoutMs: waitMs },
    }),
  };
}

/** Waits for a client. */
const clientTool: Tool = {
  ...createTool({
    id: 'sim.client',
    description: 'Is done elsewhere.',
    kind: 'bundle',
    effects: 'unkeyed',
    traits: ['exploration'],
    input: z.object({}),
    run: async (_, { answer }): Promise<ToolOutcome> => {
      if (!answer) throw new Error('there is no answer');
      if (answer.ok) return { result: { ok: true, ret: answer.ret } };
      return { result: { ok: false, error: { ...answer.error, retryable: false } } };
    },
  }),
  consider: async () => ({ ok: true, external: { input: {}, timeoutMs: waitMs } }),
};

type Kind = Pick<ToolSpec, 'id' | 'effects' | 'traits'> & { readonly callsPerTurn?: number };

function toolOf({ clock, chance, life, saw }: Witness, kind: Kind): Tool {
  return createTool({
    ...kind,
    description: 'Does something.',
    kind: 'bundle',
    input: z.object({}),
    run: async (_, context) => {
      await life.gone();
      const run = saw(kind.id, context);
      const { signal } = context;
      if (chance.happens(0.3)) await clock.sleep(chance.below(slowMsMax), { signal });
      await life.step();
      if (chance.happens(0.1)) throw new Error('the tool broke');
      run.finished = true;
      return { result: { ok: true, ret: 'done' } };
    },
  });
}
