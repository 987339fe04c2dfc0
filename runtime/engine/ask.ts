import { type Fault, isFault, toWire } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import type { ActionRules } from '../channels/rules.ts';
import type { AgentSettings } from '../sdk/agent-settings.ts';
import type { BlobRef, Draft } from '../timeline/block.ts';
import { cacheBreak, changedInputs } from '../timeline/cache/break.ts';
import type { TurnView, View } from '../timeline/view.ts';
import { entitle } from './entitle.ts';
import { type Generated, generate } from './generate.ts';
import { harvest } from './harvest.ts';
import type { Step } from './plan.ts';
import { buildPrompt, type Prompt } from './prompt.ts';
import type { Visit } from './visit.ts';

type Ask = Extract<Step, { do: 'ask' }>;

/** One round's question to the model: what goes in is on record before the call, what came out in one append after it. */
export async function ask(visit: Visit, step: Ask): Promise<void> {
  const prompt = await buildPrompt(visit, step);
  const opening = roundOpen(visit.turn, step, prompt);
  // What was said or taken back meanwhile belongs into the prompt, or out of it: the plan is made anew.
  const opened = await visit.owned.append([...breaksOf(visit.owned.view, opening), opening], {
    expectHead: prompt.asOf,
  });
  if (opened.status === 'moved') return;
  if (step.round === 1) await entitle(visit, visit.turn);
  using work = visit.interruptible(prompt.asOf);
  const { signal } = work;
  const rules = rulesOf(visit.agent);
  let generated: Generated;
  try {
    generated = await generate(visit, {
      prompt,
      rules,
      round: step.round,
      phase: step.phase,
      signal,
    });
  } catch (error) {
    if (!isModelFault(error)) throw error;
    visit.engine.log.warn('the model failed', { turn: visit.turn.id, error });
    await visit.owned.append([failed(visit.turn, step, error)]);
    return;
  }
  const reply = await keepReply(visit, generated);
  await visit.owned.append(harvest(visit, { generated, reply, rules, round: step.round }));
}

/** What the model said, word for word: the blocks made of it can be made again and compared. */
async function keepReply(visit: Visit, { raw }: Generated): Promise<BlobRef | undefined> {
  if (raw === '') return undefined;
  const { lease, signal } = visit.owned;
  return visit.engine.blobs.put(lease.row.tenant, Buffer.from(raw), { signal });
}

function roundOpen(turn: TurnView, { round, phase }: Ask, prompt: Prompt): Draft {
  const data = {
    round,
    as_of: prompt.asOf,
    now: prompt.now,
    phase,
    landed: landedIn(turn, prompt.asOf),
    ...prompt.record,
  };
  return { type: 'round.open', turn: turn.id, author: 'system', data };
}

/** Tools, instruction, model or renderer may have changed since the last round, in whichever turn that was. */
function breaksOf({ turns }: View, opening: Draft): readonly Draft[] {
  const before = turns.findLast(({ rounds }) => rounds.length > 0)?.rounds.at(-1)?.blocks[0];
  if (!before) return [];
  return changedInputs(before, opening).map((cause) => cacheBreak({ turn: opening.turn, cause }));
}

/** Events that this round is the first to see. */
function landedIn(turn: TurnView, asOf: number): Json {
  const seen = turn.rounds.at(-1)?.asOf ?? 0;
  return turn.events
    .filter(
      ({ seq, event, type }) =>
        seq > seen && seq <= asOf && event !== undefined && type !== 'user.attachment',
    )
    .map(({ seq, event = '' }) => ({ event_id: event, seq }));
}

function rulesOf(agent: AgentSettings): ActionRules {
  const tools = new Map(agent.tools.map((tool) => [tool.spec.id, tool.spec]));
  return {
    multiAction: agent.policies.multiAction,
    actionsMax: agent.budgets.actionsPerRound,
    answersHeld: agent.hooks?.completion !== undefined,
    traitsOf: (tool) => tools.get(tool),
  };
}

function isModelFault(error: unknown): error is Fault {
  return isFault(error) && /^(MODEL|SCRIPT)_/.test(error.code);
}

/** The plan closes the turn as failed on the strength of this; people get the fault's words, the log its detail. */
function failed(turn: TurnView, { round }: Ask, fault: Fault): Draft {
  const error = {
    ...toWire(fault),
    ...(fault.code === 'SCRIPT_MISMATCH' ? { message: fault.message } : {}),
  };
  return {
    type: 'round.close',
    turn: turn.id,
    author: 'system',
    data: { round, outcome: 'failed', error },
  };
}
