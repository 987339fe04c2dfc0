import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { connect } from '../../runtime/client/index.ts';
import { type Conversation, firstCall, openAgentPlace } from '../integration/agents/agent-place.ts';
import { startServe } from '../tools/serve.ts';

// proves: external.turn, external.permission, external.steer, external.resume

const Result = z.looseObject({ ok: z.boolean() });

/** The last version whose package has the example. Its calls have the same ids in each prompt, and it keeps no session. */
const sdk = '@agentclientprotocol/sdk@1.9.0';

/** The example agent of the official SDK behind the built server: allowed, refused, steered, killed and begun again. */
await using place = await openAgentPlace(async (folder) => {
  const program = join(folder, 'program');
  mkdirSync(program);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', program, sdk, 'zod'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const example = 'node_modules/@agentclientprotocol/sdk/dist/examples/agent.js';
  return {
    ...{ command: ['node', join(program, example)], folders: [program] },
    model: (_, answer) => answer.end(),
  };
});

/** Decides the permission request of a turn; returns its text in the end and its results. */
async function playTurn(conversation: Conversation, allow: boolean) {
  const turn = await conversation.send('Improve my project.');
  const results: boolean[] = [];
  for await (const event of turn.events()) {
    if (event.type === 'chat.approval') await conversation.decide(event.data.request, { allow });
    if (event.type === 'chat.tool' && event.data.state === 'done')
      results.push(Result.parse(event.data.result).ok);
  }
  const { reason, text } = await turn.done();
  assert.equal(reason, 'completed');
  return { text, results };
}

const first = await startServe(place.env);
await using client = connect({ url: first.url });
const conversation = client.conversation();
const allowed = await playTurn(conversation, true);
assert.match(allowed.text, /successfully updated the configuration/);
assert.deepEqual(allowed.results, [true, true]);
const refused = await playTurn(conversation, false);
assert.match(refused.text, /skip the configuration update/);
assert.deepEqual(refused.results, [true, false]);

const steered = await conversation.send('Improve it again.');
await firstCall(steered);
await steered.steer('Stop there.');
for await (const event of steered.events()) {
  if (event.type !== 'chat.approval') continue;
  await conversation.decide(event.data.request, { allow: true });
}
assert.match((await steered.done()).text, /successfully updated/);

await firstCall(await conversation.send('And once more.'));
await first.kill();
await using second = await startServe(place.env);
await using other = connect({ url: second.url });
const again = await playTurn(other.conversation(conversation.id), true);
assert.match(again.text, /successfully updated/);
