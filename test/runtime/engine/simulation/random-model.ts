import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import type { Clock } from '../../../../runtime/base/clock.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import type { Model, ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import type { Chance } from './chance.ts';
import { bundleReply } from './loop-policies.ts';
import { manyToolsReply, selectionReply } from './many-tools.ts';
import { plannedReply } from './plans.ts';
import type { Life } from './process-life.ts';
import { programFile, programTool } from './programs.ts';

const pauseMsMax = 3_000;

/** A model that writes anything a model may write, slowly, and sometimes nothing usable. */
export function createRandomModel(
  chance: Chance,
  {
    clock,
    life,
    heard,
    timing,
    many,
    bundles,
    plans,
  }: {
    clock: Clock;
    life: Life;
    heard: (prompt: string) => void;
    timing: boolean;
    many: boolean;
    bundles: boolean;
    plans: boolean;
  },
): Model {
  const id = 'scripted:random';
  return {
    id,
    contextTokens: 200_000,
    costUsd: () => 0,
    async *stream(request, { signal }) {
      await life.gone();
      heard(request.parts.map((part) => part.text).join(''));
      const inner = createScriptedModel(
        [replyFor(request.role, chance, { timing, many, bundles, plans })],
        { id },
      );
      for await (const event of inner.stream(request, { signal })) {
        if (chance.happens(0.2)) await clock.sleep(chance.below(pauseMsMax), { signal });
        await life.gone();
        yield event;
        if (timing && chance.happens(0.01)) await cutOff(chance, signal);
      }
    },
  };
}

/** In the middle of a reply: the connection is lost, or no more output arrives. */
async function cutOff(chance: Chance, signal: AbortSignal): Promise<void> {
  if (chance.happens(0.5))
    throw new Fault('MODEL_UNREACHABLE', { because: 'the simulation says so' });
  signal.throwIfAborted();
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const broken = [
  '<channel:thinking>x</channel:thinking><channel:decision>{"action":</channel:decision>',
  '<channel:thinking>I forgot to decide.</channel:thinking>',
  '<channel:decision>{"action":"complete","final_answer":"Unfinished',
  'No channel at all.',
  '',
] as const;

function replyFor(
  role: ModelRequest['role'],
  chance: Chance,
  {
    timing,
    many,
    bundles,
    plans,
  }: Readonly<Record<'timing' | 'many' | 'bundles' | 'plans', boolean>>,
): Reply {
  if (role === 'answer') return writtenAnswer(chance);
  if (role === 'selection') return selectionReply(chance);
  const planned = plannedReply(role, chance, plans);
  if (planned) return planned;
  if (many && role === 'decision' && chance.happens(0.4)) return manyToolsReply(chance);
  if (bundles && role === 'decision' && chance.happens(0.6)) return bundleReply(chance);
  if (role !== 'summary') return timing && chance.happens(0.2) ? program : randomReply(chance);
  if (chance.happens(0.2)) return { role, fault: { code: 'MODEL_OVERLOADED' } };
  const raw = 'They simulate. Some calls were made, some were lost, and nobody minds. Next: go on.';
  return { role, raw, chunk: 10 + chance.below(60) };
}

function writtenAnswer(chance: Chance): Reply {
  const chunk = 10 + chance.below(60);
  const kind = chance.below(10);
  if (kind < 1) return { role: 'answer', answer: 'Then', fault: { code: 'MODEL_OVERLOADED' } };
  if (kind < 2) return { role: 'answer', fault: { code: 'MODEL_REFUSED' } };
  if (kind < 3) return { role: 'answer', raw: chance.one(['', ' ', '<think>Only thoughts']) };
  const raw = 'This is what was found, in full sentences, and it is long enough to be cut.';
  return { role: 'answer', raw, chunk };
}

const program: Reply = {
  call: {
    tool: programTool,
    input: { contract: [{ filepath: programFile, description: 'A letter.' }] },
    notes: 'Running',
  },
  code: 'pass',
};

function randomReply(chance: Chance): Reply {
  const thinking = chance.happens(0.5) ? { thinking: 'Let me see.' } : {};
  const chunk = { chunk: 10 + chance.below(60) };
  const kind = chance.below(20);
  if (kind < 8) return { ...thinking, ...chunk, call: randomCalls(chance) };
  if (kind < 9) return { ...thinking, call: call('sim.note'), answer: 'Noted, and done.' };
  if (kind < 10) return { ...chunk, call: call('sim.nothing') };
  if (kind < 12) return { ...chunk, raw: chance.one(broken) };
  if (kind < 13)
    return { ...thinking, ...chunk, answer: 'Then it broke', fault: { code: 'MODEL_OVERLOADED' } };
  if (kind < 14) return { ...thinking, answer: 'Leaving.', exit: true };
  const summary = chance.happens(0.3) ? { summary: 'Goal: simulate' } : {};
  return {
    ...thinking,
    ...chunk,
    ...summary,
    answer: 'This is the answer, and it is long enough to be cut.',
  };
}

function randomCalls(chance: Chance) {
  const tool = () =>
    chance.one(['sim.read', 'sim.keyed', 'sim.once', 'sim.note', 'sim.asked', 'sim.client']);
  const calls = Array.from({ length: 1 + chance.below(3) }, () => call(tool()));
  return calls;
}

function call(tool: string) {
  return { tool, input: {}, notes: 'Calling' };
}
