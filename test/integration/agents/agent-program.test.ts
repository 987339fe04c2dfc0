import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../../../runtime/client/connect.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { allowAll, firstCall, openAgentPlace } from './agent-place.ts';

const modules = join(import.meta.dirname, '../../../node_modules');

/** A program on the official SDK. */
function openDemoPlace() {
  return openAgentPlace(async (folder) => {
    const program = join(folder, 'program');
    await mkdir(program);
    await cp(join(import.meta.dirname, 'demo-agent.mjs'), join(program, 'demo-agent.mjs'));
    await symlink(modules, join(program, 'node_modules'));
    return {
      command: ['node', join(program, 'demo-agent.mjs')],
      folders: [program, modules],
      model: (asked, answer) => answer.end(`key ${asked.headers['x-api-key']}`),
    };
  });
}

// proves: external.turn, external.permission, external.steer, external.resume, external.egress
test(
  'an agent program in its sandbox edits a file, asks for permission, is steered, killed and resumed',
  async () => {
    await using place = await openDemoPlace();
    const first = await startServe(place.env);
    await using client = connect({ url: first.url });
    const conversation = client.conversation();
    const titles = allowAll(conversation);
    const asked = await conversation.send('model');
    expect((await asked.done()).text).toBe('key of-the-installation');
    const turn = await conversation.send('wait');
    await firstCall(turn);
    await turn.steer('write notes.md');
    const done = await turn.done();
    expect(done).toMatchObject({ reason: 'completed', text: 'wrote notes.md' });
    expect(titles).toEqual(['Write notes.md']);
    expect(done.files.map(({ filename }) => filename)).toEqual(['notes.md']);
    const file = await client.fetch(done.files[0]?.path ?? '');
    expect(await file.text()).toBe('notes.md\n');
    await firstCall(await conversation.send('wait'));
    await first.kill();
    await using second = await startServe(place.env);
    await using other = connect({ url: second.url });
    const recalled = await other.conversation(conversation.id).send('recall');
    expect((await recalled.done()).text).toMatch(
      /^model \| wait \| The user interrupted you:\nwrite notes.md \| wait \| Your process was stopped/,
    );
  },
  serverTestsMsMax,
);
