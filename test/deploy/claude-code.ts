import { playAnthropic } from './agent-model.ts';
import { playSession } from './agent-session.ts';

// proves: external.turn, external.permission, external.steer, external.resume, external.egress, external.servers

await playSession({
  name: 'Claude Code',
  packages: ['@agentclientprotocol/claude-agent-acp', '@anthropic-ai/claude-code'],
  installed: (at, requests) => ({
    command: ['node', at('@agentclientprotocol/claude-agent-acp/dist/index.js')],
    env: {
      CLAUDE_CODE_EXECUTABLE: at(
        `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
      ),
    },
    model: playAnthropic(requests),
    files: {
      '.claude/settings.json': JSON.stringify({ permissions: { defaultMode: 'default' } }),
    },
  }),
});
