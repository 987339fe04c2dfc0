import { playSession } from './agent-session.ts';
import { playResponses } from './responses-model.ts';

// proves: external.turn, external.permission, external.steer, external.resume, external.egress, external.servers

const config = {
  model: 'gpt-5-codex',
  model_provider: 'proxy',
  model_providers: {
    proxy: {
      ...{ name: 'proxy', base_url: 'http://127.0.0.1:8377/model/openai' },
      ...{ env_key: 'OPENAI_API_KEY', wire_api: 'responses' },
    },
  },
};

await playSession({
  name: 'Codex',
  packages: ['@agentclientprotocol/codex-acp'],
  installed: (at, requests) => ({
    command: ['node', at('@agentclientprotocol/codex-acp/dist/index.js')],
    env: {
      CODEX_CONFIG: JSON.stringify(config),
      INITIAL_AGENT_MODE: 'workspace-write',
      NO_BROWSER: '1',
    },
    api: 'openai',
    model: playResponses(requests),
  }),
});
