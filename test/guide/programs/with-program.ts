import { defineAgent, defineBundle } from 'timeloom/sdk';

const coder = defineAgent({
  id: 'coder',
  runtime: 'external',
  external: { program: 'claude-code', workspace: './coder' },
  instruction: 'Work in small steps. Run the tests before you finish.',
  budgets: { wallMs: 3_600_000 },
});

export const bundle = defineBundle({ id: 'code', version: '1.0.0', agents: [coder] });
