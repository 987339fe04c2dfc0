import { z } from 'zod';
import { isJsonObject } from '../../base/json.ts';
import type { AgentSettings, Budgets } from '../../sdk/contract/agent-settings.ts';
import { isModelRef, type ModelRef } from '../../sdk/define/model.ts';
import { callIdSchema, type TurnId } from '../../timeline/ids.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { AgentChoice } from '../ports/engine.ts';
import type { ModelRole } from '../ports/model.ts';

/** The agent that works on a turn, from its `turn.open`. */
export function choiceOf(turn: TurnView): AgentChoice {
  const data = isJsonObject(turn.data) ? turn.data : {};
  const { bundle, agent } = data;
  return {
    bundle: typeof bundle === 'string' ? bundle : undefined,
    agent: typeof agent === 'string' ? agent : undefined,
    turn: turn.id,
  };
}

/** The model that a developer named for this turn, or its user chose. Undefined: that of its agent. */
export function namedModelOf({ data }: Pick<TurnView, 'data'>): ModelRef | undefined {
  const named = isJsonObject(data) ? data['model'] : undefined;
  const model = named ?? optionsOf({ data }).model;
  return typeof model === 'string' && isModelRef(model) ? model : undefined;
}

export function placeOf(turn: TurnView): { turn: TurnId; round: number } {
  return { turn: turn.id, round: turn.rounds.at(-1)?.number ?? 0 };
}

const decidingRoles = [
  ...(['decision', 'answer', 'summary', 'selection', 'small', 'reasoning'] as const),
] as const satisfies readonly ModelRole[];

/** On the `turn.open` of a delegated turn: the call it works on, and its share of the caller's budget. */
const Delegated = z.looseObject({
  conversation: z.string(),
  call: callIdSchema,
  rounds: z.int().exactOptional(),
  tokens: z.number().exactOptional(),
  cost_usd: z.number().exactOptional(),
  wall_ms: z.number().exactOptional(),
  /** The step of the caller's plan. */
  step: z.string().exactOptional(),
  /** The role whose model decides. */
  role: z.enum(decidingRoles).exactOptional(),
  /** Levels of agents that may work below this one. */
  depth_left: z.int().exactOptional(),
});
const Opened = z.looseObject({ delegated: Delegated });

const delegatedIn = rememberData((data) => {
  const opened = Opened.safeParse(data);
  return opened.success ? opened.data.delegated : undefined;
});

/** Undefined: not delegated; the user opened the turn. */
export function delegatedOf({ data }: Pick<TurnView, 'data'>) {
  return delegatedIn(data);
}

/** How many levels of agents may work below this turn. */
export function depthLeft(turn: Pick<TurnView, 'data'>, { delegation }: Delegating): number {
  const lent = delegatedOf(turn);
  return lent ? least(delegation.depth, lent.depth_left ?? 0) : delegation.depth;
}

type Delegating = Pick<AgentSettings, 'delegation'>;

const WebSearch = z.looseObject({
  size: z.enum(['small', 'medium', 'large']).exactOptional(),
  location: z
    .looseObject({
      country: z.string().exactOptional(),
      region: z.string().exactOptional(),
      city: z.string().exactOptional(),
      timezone: z.string().exactOptional(),
    })
    .exactOptional(),
  domains: z.array(z.string()).exactOptional(),
});

/** On the `turn.open` of a user's message: what its sender wants of this turn. */
const Options = z.looseObject({
  max_rounds: z.int().min(0).exactOptional(),
  exec: z.boolean().exactOptional(),
  /** `provider:name`, out of the choices of the agent. */
  model: z.string().exactOptional(),
  /** What web searches look for; `false`: none. */
  web_search: z.union([z.literal(false), WebSearch]).exactOptional(),
  /** JSON Schema of the structured output. */
  output: z.record(z.string(), z.json()).exactOptional(),
  /** Address that performs the functions. Absent: the sender performs them. */
  dispatch_url: z.string().exactOptional(),
  /** Functions of the sender. */
  tools: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().exactOptional(),
        parameters: z.record(z.string(), z.json()).exactOptional(),
      }),
    )
    .exactOptional(),
});
const OpenedWith = z.looseObject({ options: Options });

const optionsIn = rememberData((data): z.infer<typeof Options> => {
  const opened = OpenedWith.safeParse(data);
  return opened.success ? opened.data.options : {};
});

export function optionsOf({ data }: Pick<TurnView, 'data'>): z.infer<typeof Options> {
  return optionsIn(data);
}

/** Every step of a turn reads the data of its `turn.open`, which never changes: it is parsed once. */
function rememberData<T>(read: (data: TurnView['data']) => T): (data: TurnView['data']) => T {
  const known = new WeakMap<object, { readonly value: T }>();
  return (data) => {
    if (!isJsonObject(data)) return read(data);
    const { value } = known.get(data) ?? { value: read(data) };
    known.set(data, { value });
    return value;
  };
}

/** The budgets of a turn: those of its agent, limited by what was delegated and by the options of its message. */
export function budgetsOf(turn: TurnView, agentBudgets: Budgets): Budgets {
  const own = {
    ...agentBudgets,
    rounds: least(agentBudgets.rounds, optionsOf(turn).max_rounds),
  };
  const lent = delegatedOf(turn);
  if (!lent) return own;
  return {
    ...own,
    rounds: least(own.rounds, lent.rounds),
    wallMs: least(own.wallMs, lent.wall_ms),
    ...(lent.tokens === undefined ? {} : { tokens: least(lent.tokens, own.tokens) }),
    ...(lent.cost_usd === undefined ? {} : { costUsd: least(lent.cost_usd, own.costUsd) }),
  };
}

function least(one: number, other: number | undefined): number {
  return Math.min(one, other ?? one);
}
