import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { signToken } from '../../../runtime/adapters/issuer/sign.ts';
import { readConfig } from '../../../runtime/cli/config/config.ts';
import { root } from '../../architecture/tree.ts';
import { samplesIn } from '../../guide/clients/guide-samples.ts';
import { guideAddress, openSampleServer, sampleAnswer } from '../../guide/clients/sample-server.ts';

const run = promisify(execFile);
const tokens = {
  TIMELOOM_AUTH: 'jwt',
  TIMELOOM_AUTH_SECRET: 'a secret of thirty-two bytes or more',
};

let server: Awaited<ReturnType<typeof openSampleServer>>;
beforeAll(async () => {
  server = await openSampleServer();
});
afterAll(() => server[Symbol.asyncDispose]());

// proves: endpoints.guides-commands
test.each(samplesIn('sh'))('the command of $page gets the answer', async ({ text }) => {
  const { stdout } = await run('sh', ['-euc', text.replaceAll(guideAddress, server.url)]);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, text: sampleAnswer });
});

const Settings = z.object({
  mcpServers: z.record(
    z.string(),
    z.object({ type: z.literal('http'), url: z.url(), headers: z.record(z.string(), z.string()) }),
  ),
});

// proves: endpoints.guides-commands
test.each(samplesIn('json'))('the settings of $page reach an endpoint', async ({ text }) => {
  await using guarded = await openSampleServer(tokens);
  const { auth } = readConfig(tokens);
  if (auth.mode !== 'jwt') throw new Error('tokens are not accepted');
  const token = await signToken(auth.issuer, {
    secret: tokens.TIMELOOM_AUTH_SECRET,
    user: 'ann',
    roles: ['editor'],
    lifetimeSeconds: 600,
  });
  const filled = text.replaceAll(guideAddress, guarded.url).replaceAll('<token>', token);
  const { mcpServers } = Settings.parse(JSON.parse(filled));
  for (const { url, headers } of Object.values(mcpServers)) {
    const client = new Client({ name: 'editor', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    await client.connect(transport as never);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    await client.close();
    expect(names).toEqual(['librarian', 'library.search']);
  }
});

const Requests = z.object({ imports: z.array(z.string()), addresses: z.array(z.url()) });

const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};
/** The first request of each package, below the address that it is given. */
const firstRequests: Readonly<Record<string, { readonly path: string; readonly body?: unknown }>> =
  {
    openai: { path: '/models' },
    langchain_openai: { path: '/models' },
    langgraph_sdk: { path: '/threads', body: {} },
    mcp: { path: '', body: initialize },
    fastmcp: { path: '', body: initialize },
  };

// proves: endpoints.guides-python
test.each(samplesIn('python'))('$file parses, and its address answers', async ({ text }) => {
  const reader = join(root, 'test/guide/clients/read-requests.py');
  const said = execFileSync('python3', [reader], { input: text, encoding: 'utf8' });
  const { imports, addresses } = Requests.parse(JSON.parse(said));
  const [request] = imports.flatMap((name) => firstRequests[name] ?? []);
  if (request === undefined) throw new Error(`no package with a known request: ${imports.join()}`);
  expect(addresses).toHaveLength(1);
  for (const address of addresses) {
    const url = `${address.replace(guideAddress, server.url)}${request.path}`;
    const response = await fetch(url, {
      method: request.body === undefined ? 'GET' : 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'X-Timeloom-Roles': 'editor',
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    expect({ url, status: response.status }).toEqual({ url, status: 200 });
  }
});

test('there is a sample of each kind', () => {
  expect(['sh', 'json', 'python'].map((language) => samplesIn(language).length > 0)).toEqual([
    true,
    true,
    true,
  ]);
});
