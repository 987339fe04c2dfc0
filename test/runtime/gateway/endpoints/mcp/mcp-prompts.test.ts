import { afterEach, expect, test } from 'vitest';
import { type McpStage, openMcpStage } from './mcp-kit.ts';

let stage: McpStage | undefined;
afterEach(() => stage?.[Symbol.asyncDispose]());

const versions = ['legacy', 'auto'] as const;

async function join(version: (typeof versions)[number] = 'legacy') {
  stage = await openMcpStage();
  const headers = { 'x-timeloom-conversation': 'conv_prompts' };
  return stage.connect({ version, headers: version === 'auto' ? headers : {} });
}

/** Whether the request was refused as invalid, with these words. */
const isInvalid = (words: string) => (error: { code: number; message: string }) =>
  error.code === -32_602 && error.message.includes(words);

const reader = 'Ann {{note}}';

// proves: mcp-server-prompts
test.each(versions)('a client fills in the arguments of a prompt (%s)', async (version) => {
  const { client } = await join(version);
  const { prompts } = await client.listPrompts();
  expect(prompts[0]).toEqual({
    name: 'letter',
    description: 'A letter about a loan.',
    arguments: [
      { name: 'reader', description: 'Who borrows the book.', required: true },
      { name: 'language', required: true },
      { name: 'note' },
    ],
  });
  const given = { reader, language: 'any language' };
  const { messages, description } = await client.getPrompt({ name: 'letter', arguments: given });
  expect(description).toBe('A letter about a loan.');
  // What a value says is not filled in again, and an argument that is not given is empty.
  const text = `Write to ${reader} in any language: ${reader} brings back a book. `;
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text } }]);
});

// proves: mcp-server-prompts
test.each([
  ['letter', { reader }, 'missing argument: language is required'],
  ['letter', { reader: '', language: 'English' }, 'missing argument: reader is required'],
  [
    'letter',
    { reader, language: 'English', tone: 'warm' },
    'unknown argument: tone; this prompt has the arguments reader, language, note',
  ],
  ['tips', { constructor: 'x' }, 'unknown argument: constructor; this prompt has no arguments'],
  [
    'letter',
    { reader: 'x'.repeat(200_000), language: 'English' },
    'the prompt has more than 262144 characters; send shorter arguments',
  ],
  ['none', {}, 'unknown prompt: none'],
])('the prompt %s with arguments that do not fit is refused: %j', async (name, given, message) => {
  const { client } = await join();
  await expect(client.getPrompt({ name, arguments: given })).rejects.toSatisfy(isInvalid(message));
});

const ofLetter = { type: 'ref/prompt', name: 'letter' } as const;

// proves: mcp-server-completion
test.each(versions)('a client completes an argument of a prompt (%s)', async (version) => {
  const { client } = await join(version);
  const ask = async (name: string, value: string) =>
    (await client.complete({ ref: ofLetter, argument: { name, value } })).completion;
  expect(client.getServerCapabilities()?.completions).toEqual({});
  expect(await ask('language', 'al')).toEqual({
    values: ['Albanian', 'Galician', ...dialects(98)],
    total: 152,
    hasMore: true,
  });
  expect(await ask('language', 'GAL')).toEqual({ values: ['Galician'], total: 1, hasMore: false });
  expect(await ask('reader', 'A')).toEqual({ values: [], total: 0, hasMore: false });
});

function dialects(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `Dialect ${index + 1}`);
}

// proves: mcp-server-completion
test.each(versions)('a client completes the path of a file and of a page (%s)', async (version) => {
  const { client } = await join(version);
  await client.callTool({ name: 'desk.report', arguments: { title: 'May' } });
  const [file] = (await client.listResources()).resources;
  const ask = async (uri: string, value: string) =>
    (
      await client.complete({
        ref: { type: 'ref/resource', uri },
        argument: { name: 'path', value },
      })
    ).completion;
  const { values, ...counts } = await ask('fi:{+path}', 'report');
  expect([values.map((value) => `fi:${value}`), counts]).toEqual([
    [file?.uri],
    { total: 1, hasMore: false },
  ]);
  expect((await ask('fi:{+path}', 'other')).values).toEqual([]);
  expect(await ask('ks:{+path}', 'guide')).toEqual({ values: ['guide.md'], hasMore: false });
  expect((await ask('ks:{+path}', '')).values).toEqual([]);
});

// proves: mcp-server-completion
test.each([
  [{ type: 'ref/prompt', name: 'none' }, 'x', 'unknown prompt: none'],
  [ofLetter, 'tone', 'unknown argument: tone'],
  [{ type: 'ref/resource', uri: 'x:{y}' }, 'y', 'unknown resource template: x:{y}'],
  [{ type: 'ref/resource', uri: 'fi:{+path}' }, 'y', 'unknown variable: y'],
] as const)('%j has nothing to complete for %s', async (ref, name, message) => {
  const { client } = await join();
  await expect(client.complete({ ref, argument: { name, value: '' } })).rejects.toSatisfy(
    isInvalid(message),
  );
});

// proves: mcp-server-prompt-files
test('a prompt does not bring a file of another user', async () => {
  const { client } = await join();
  await client.callTool({ name: 'desk.report', arguments: { title: 'May' } });
  const [file] = (await client.listResources()).resources;
  const given = { reader: `who wrote ${file?.uri}`, language: 'English' };
  const own = await client.getPrompt({ name: 'letter', arguments: given });
  expect(own.messages[1]?.content).toMatchObject({ resource: { uri: file?.uri, text: '# May' } });
  const other = await stage?.connect({ user: 'bob' });
  const seen = await other?.client.getPrompt({ name: 'letter', arguments: given });
  expect(seen?.messages).toHaveLength(1);
});
