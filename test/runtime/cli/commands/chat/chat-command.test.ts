import { createServer } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { chatCommand } from '../../../../../runtime/cli/commands/chat/chat-command.ts';

const { signal } = new AbortController();
afterEach(() => vi.restoreAllMocks());

// proves: cli.chat
test.each([
  ['two conversations', ['conv_a', 'conv_b'], 'usage: timeloom chat [ID]'],
  ['an id that no conversation has', ['a/b'], 'ID: an id must have 1 to 128 letters'],
  ['an address that is none', ['--url', 'desk.acme.io'], '--url: must begin with http://'],
  ['an address of another kind', ['--url', 'ftp://desk'], '--url: must begin with http://'],
])('%s is wrong usage', async (_, args, says) => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await chatCommand(args, { signal })).toBe(2);
  expect(String(written.mock.calls[0]?.[0])).toContain(says);
});

// proves: cli.chat
test('an address where no server answers is an error before the chat begins', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await new Promise((resolve) => server.close(resolve));
  const url = `http://127.0.0.1:${port}`;
  await expect(chatCommand(['--url', url], { signal })).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    detail: { because: url },
  });
});
