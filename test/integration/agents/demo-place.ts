import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connect } from '../../../runtime/client/connect.ts';
import { startServe } from '../../tools/serve.ts';
import { allowAll, firstCall, openAgentPlace } from './agent-place.ts';

const modules = join(import.meta.dirname, '../../../node_modules');

const variable = (name: string) => `\${${name}}`;
const mcpServers = {
  notes: {
    command: 'node',
    args: ['notes.mjs'],
    env: { TEAM: variable('TEAM'), DEPTH: variable('DEPTH:-2') },
  },
  docs: { type: 'http', url: 'https://docs.acme.io/mcp', headers: { 'x-team': variable('TEAM') } },
  old: { type: 'sse', url: 'https://old.acme.io/sse' },
};
/** What the program is given: it has no transport for `old`. */
const givenServers = [
  {
    ...{ name: 'notes', command: 'node', args: ['notes.mjs'] },
    env: [
      { name: 'TEAM', value: 'sea' },
      { name: 'DEPTH', value: '2' },
    ],
  },
  {
    ...{ type: 'http', name: 'docs', url: 'https://docs.acme.io/mcp' },
    headers: [{ name: 'x-team', value: 'sea' }],
  },
];

/** An installation with a program on the official SDK. */
export function openDemoPlace(dockerHost?: string) {
  return openAgentPlace(async (folder) => {
    const program = join(folder, 'program');
    await mkdir(program);
    await cp(join(import.meta.dirname, 'demo-agent.mjs'), join(program, 'demo-agent.mjs'));
    await symlink(modules, join(program, 'node_modules'));
    return {
      command: ['node', join(program, 'demo-agent.mjs')],
      folders: [program, modules],
      env: { TEAM: 'sea' },
      files: { '.mcp.json': JSON.stringify({ mcpServers }) },
      model: (asked, answer) => answer.end(`key ${asked.headers['x-api-key']}`),
      ...(dockerHost === undefined ? {} : { dockerHost }),
    };
  });
}

type Place = Pick<Awaited<ReturnType<typeof openDemoPlace>>, 'env'>;

/** The program asks its model, runs a command, waits, is steered, edits a file with permission, is killed and resumed; it has the servers of `.mcp.json`. */
export async function expectWholeSession({ env }: Place): Promise<void> {
  const first = await startServe(env);
  await using client = connect({ url: first.url });
  const conversation = client.conversation();
  const titles = allowAll(conversation);
  const asked = await conversation.send('model');
  expect((await asked.done()).text).toBe('key of-the-installation');
  const given = await (await conversation.send('servers')).done();
  expect(JSON.parse(given.text)).toEqual(givenServers);
  const ran = await conversation.send('run whoami');
  const results: unknown[] = [];
  for await (const event of ran.events())
    if (event.type === 'chat.tool' && event.data.state === 'done') results.push(event.data.result);
  expect(results).toMatchObject([
    { ok: true, ret: { content: [{ type: 'terminal', output: 'agent\n', exit_code: 0 }] } },
  ]);
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
  await using second = await startServe(env);
  await using other = connect({ url: second.url });
  const recalled = await other.conversation(conversation.id).send('recall');
  expect((await recalled.done()).text).toMatch(
    /^model \| servers \| run whoami \| wait \| The user interrupted you:\nwrite notes.md \| wait \| Your process was stopped/,
  );
  const again = await other.conversation(conversation.id).send('servers');
  expect(JSON.parse((await again.done()).text)).toEqual(givenServers);
}
