import type { AgentOptions } from './agent.ts';

const hourMs = 3_600_000;

/** Option presets to start from. Options after the spread win; a group of options, such as `budgets`, is replaced as a whole. */
export const starters: {
  readonly balanced: AgentOptions;
  readonly minimal: AgentOptions;
  readonly long: AgentOptions;
  readonly debug: AgentOptions;
  /** For models with a window of 8,000 tokens or more, prompt and output together. */
  readonly small: AgentOptions;
  /** As in FIM One: many rounds, then one more call writes the answer. */
  readonly fim: AgentOptions;
  /** As a node of a graph: any failure fails the turn. */
  readonly graph: AgentOptions;
  /** As in an inference engine: one call per reply, and the caller performs its own tools. */
  readonly engine: AgentOptions;
  /** As in AgentScope: few rounds, and a summary when they are used up. */
  readonly agentscope: AgentOptions;
} = {
  balanced: { policies: { multiAction: 'safe_fanout' } },
  minimal: { budgets: { rounds: 5, actionsPerRound: 1 }, context: { maxTokens: 40_000 } },
  long: {
    policies: { multiAction: 'safe_fanout' },
    budgets: { rounds: 40, wallMs: hourMs },
    context: { maxTokens: 160_000, recentTurns: 10 },
  },
  debug: { policies: { malformed: 'fail', toolFailure: 'fail', exhausted: 'close' } },
  small: {
    // Weak models write as they see themselves write: decision 11.
    promptForm: 'messages',
    policies: { multiAction: 'off' },
    budgets: { rounds: 8, actionsPerRound: 1 },
    context: { maxTokens: 8_000, recentTurns: 2 },
  },
  fim: {
    answer: 'synthesize',
    policies: { exhausted: 'close' },
    budgets: { rounds: 50, wallMs: hourMs },
  },
  graph: { policies: { malformed: 'fail', toolFailure: 'fail' }, budgets: { rounds: 12 } },
  engine: {
    policies: { multiAction: 'first_only', externalTools: 'hand_off' },
    budgets: { rounds: 256, wallMs: hourMs },
  },
  agentscope: { policies: { exhausted: 'finalize' }, budgets: { rounds: 10 } },
};
