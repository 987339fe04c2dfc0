import { defineAgent, defineBundle, starters } from 'timeloom/sdk';

/** Everything it needs is built in: react.write and react.patch for files, exec_tools.* for programs. */
const coder = defineAgent({
  ...starters.long,
  id: 'coder',
  instruction: { file: './coder.md' },
  tools: ['exec_tools.*'],
  exec: { languages: ['python'], timeoutMs: 30_000, memoryMb: 256 },
});

export const bundle = defineBundle({
  id: 'coder',
  version: '1.0.0',
  title: 'Coding helper',
  agents: [coder],
});
