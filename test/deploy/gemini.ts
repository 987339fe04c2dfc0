import { playSession } from './agent-session.ts';
import { playGemini } from './gemini-model.ts';

// proves: external.turn, external.permission, external.steer, external.resume, external.egress, external.servers

await playSession({
  name: 'Gemini CLI',
  packages: ['@google/gemini-cli'],
  installed: (at, requests) => ({
    command: ['node', at('@google/gemini-cli/bundle/gemini.js'), '--experimental-acp'],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    api: 'gemini',
    model: playGemini(requests),
  }),
});
