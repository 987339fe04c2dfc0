import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../runtime/client/index.ts';
import {
  allowAll,
  firstCall,
  type Installation,
  openAgentPlace,
} from '../integration/agents/agent-place.ts';
import { startServe } from '../tools/serve.ts';
import type { ModelRequest } from './agent-model.ts';

type Program = {
  readonly name: string;
  /** From npm. */
  readonly packages: readonly string[];
  /** `at` gives the path of a file of a package. */
  installed(at: (path: string) => string, requests: ModelRequest[]): Omit<Installation, 'folders'>;
};

/** An MCP server with one tool, as files of the workspace. */
const withServer = {
  '.mcp.json': JSON.stringify({
    mcpServers: { notes: { command: 'node', args: ['/workspace/notes.mjs'] } },
  }),
  'notes.mjs': `
    import { createInterface } from 'node:readline';
    const tool = { name: 'look_up', description: 'Looks a note up.', inputSchema: { type: 'object' } };
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, params } = JSON.parse(line);
      const about = { capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } };
      const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, ...about } : { tools: [tool] };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }`,
};

/**
 * An agent program behind the built server: installed from npm into a temporary folder, its model played by a local server. It
 * edits a file in its workspace and asks for permission, is steered, killed with its worker, and resumed. Its model reads of the MCP
 * server, the skill and the instruction that its bundle gives it. Throws when anything fails.
 */
export async function playSession({ name, packages, installed }: Program): Promise<void> {
  const say = (what: string) => process.stdout.write(`${name}: ${what}\n`);
  const requests: ModelRequest[] = [];
  await using place = await openAgentPlace(async (folder) => {
    const program = join(folder, 'program');
    mkdirSync(program);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', program, ...packages], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    say('installed');
    const at = (path: string) => join(program, 'node_modules', path);
    const { files = {}, ...rest } = installed(at, requests);
    return { folders: [program], ...rest, files: { ...files, ...withServer } };
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
  assert.equal(titles.length, 1);
  assert.match(titles[0] ?? '', /notes\.md/);
  const texts = requests.map(({ text }) => text).join('\n');
  for (const read of ['look_up', 'How to tidy the garden shed', 'Be brief.'])
    assert.ok(texts.includes(read), `the model reads “${read}”`);
  assert.ok(written.usage.inputTokens > 0, JSON.stringify(written.usage));
  say('asked and edited');

  const steered = await conversation.send('please wait');
  await firstCall(steered);
  await steered.steer('write other.md');
  const other = await steered.done();
  assert.equal(other.reason, 'completed');
  assert.deepEqual(
    other.files.map(({ filename }) => filename),
    ['other.md'],
  );
  say('steered');

  await firstCall(await conversation.send('please wait again'));
  await first.kill();
  await using second = await startServe(place.env);
  await using again = connect({ url: second.url });
  const resumed = await again.conversation(conversation.id).send('What have you read?');
  const end = await resumed.done();
  assert.equal(end.reason, 'completed');
  assert.ok(
    requests.some(
      ({ text }) => text.includes('What have you read') && text.includes('write notes.md'),
    ),
    'the model reads the first prompt again',
  );
  assert.deepEqual([...new Set(requests.map(({ key }) => key))], ['of-the-installation']);
  say('killed and resumed');
}
