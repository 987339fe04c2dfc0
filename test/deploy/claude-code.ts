import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../runtime/client/index.ts';
import { allowAll, firstCall, openAgentPlace } from '../integration/agents/agent-place.ts';
import { startServe } from '../tools/serve.ts';
import { type ModelRequest, playAnthropic } from './agent-model.ts';

// proves: external.turn, external.permission, external.steer, external.resume, external.egress

/**
 * Claude Code behind the built server: installed from npm into a temporary folder, its model played by a local server. It edits a
 * file in its workspace and asks for permission, is steered, killed with its worker, and resumed. Ends with 1 when anything fails.
 */
async function main(): Promise<void> {
  const requests: ModelRequest[] = [];
  await using place = await openAgentPlace(async (folder) => {
    const program = join(folder, 'program');
    mkdirSync(program);
    const packages = ['@agentclientprotocol/claude-agent-acp', '@anthropic-ai/claude-code'];
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', program, ...packages], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const at = (path: string) => join(program, 'node_modules', path);
    const platform = `${process.platform}-${process.arch}`;
    return {
      command: ['node', at('@agentclientprotocol/claude-agent-acp/dist/index.js')],
      folders: [program],
      env: { CLAUDE_CODE_EXECUTABLE: at(`@anthropic-ai/claude-code-${platform}/claude`) },
      model: playAnthropic(requests),
      files: {
        '.claude/settings.json': JSON.stringify({ permissions: { defaultMode: 'default' } }),
      },
    };
  });
  const first = await startServe(place.env);
  await using client = connect({ url: first.url });
  const conversation = client.conversation();
  const titles = allowAll(conversation);

  const written = await (await conversation.send('write notes.md')).done();
  assert.equal(written.reason, 'completed');
  assert.deepEqual(
    written.files.map(({ filename }) => filename),
    ['notes.md'],
  );
  assert.equal(await (await client.fetch(written.files[0]?.path ?? '')).text(), 'notes.md\n');
  assert.deepEqual(titles, ['Write notes.md']);
  assert.ok(written.usage.inputTokens > 0);

  const steered = await conversation.send('please wait');
  await firstCall(steered);
  await steered.steer('write other.md');
  const other = await steered.done();
  process.stdout.write('Claude Code: steered\n');
  assert.equal(other.reason, 'completed');
  assert.deepEqual(
    other.files.map(({ filename }) => filename),
    ['other.md'],
  );

  await firstCall(await conversation.send('please wait again'));
  await first.kill();
  await using second = await startServe(place.env);
  await using again = connect({ url: second.url });
  const resumed = await again.conversation(conversation.id).send('What have you read?');
  const end = await resumed.done();
  assert.equal(end.reason, 'completed');
  // The session was loaded: the model reads the first prompt again.
  assert.ok(requests.at(-1)?.text.includes('write notes.md'));
  assert.ok(requests.every(({ key }) => key === 'of-the-installation'));
  process.stdout.write('Claude Code: edited, asked, steered, killed and resumed\n');
}

await main();
