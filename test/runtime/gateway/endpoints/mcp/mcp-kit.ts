import {
  Client,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { Scope } from '../../../../../runtime/base/scope.ts';
import {
  defineAgent,
  defineBundle,
  defineKnowledge,
  defineSkill,
  defineTool,
  refuse,
} from '../../../../../runtime/sdk/index.ts';
import { openRuntime, type Reply } from '../../../../../runtime/testing/index.ts';

export const endpointPath = '/api/bundles/dev/dev/acme/mcp/acme';

const add = defineTool({
  id: 'math.add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  effects: 'none',
  run: ({ a, b }) => ({ sum: a + b }),
});
const report = defineTool({
  id: 'desk.report',
  description: 'Writes a report.',
  input: z.object({ title: z.string() }),
  async *run({ title }, ctx) {
    yield `writing ${title}`;
    await ctx.files.write('outputs/report.txt', `# ${title}`);
    return 'done';
  },
});
const draw = defineTool({
  id: 'desk.draw',
  description: 'Draws.',
  input: z.object({}),
  async run(_, ctx) {
    await ctx.files.write('outputs/dot.gif', 'GIF89a');
    return 'drawn';
  },
});
const fail = defineTool({
  id: 'desk.fail',
  description: 'Refuses.',
  input: z.object({}),
  run: () => refuse('closed', 'The desk is closed.'),
});
/** Holds calls until the test lets them go. */
export const gate = { wait: Promise.resolve() };
const slow = defineTool({
  id: 'desk.slow',
  description: 'Waits.',
  input: z.object({}),
  async *run(_, ctx) {
    yield 'waiting';
    await Promise.race([
      gate.wait,
      new Promise((resolve) => ctx.signal.addEventListener('abort', resolve)),
    ]);
    ctx.signal.throwIfAborted();
    return 'slow';
  },
});
const restart = defineTool({
  id: 'desk.restart',
  description: 'Restarts.',
  input: z.object({}),
  approval: 'always',
  run: () => 'restarted',
});
const order = defineTool({
  id: 'desk.order',
  description: 'Orders.',
  input: z.object({
    item: z.string(),
    count: z.int().max(9).default(1),
    size: z.enum(['small', 'large']).default('small'),
    notes: z.array(z.object({ text: z.string() })).default([]),
  }),
  approval: 'always',
  run: (input) => JSON.stringify(input),
});
const tips = defineSkill({
  id: 'tips',
  name: 'tips',
  description: 'Tips for reports.',
  text: 'Write short reports.',
});
const letter = defineSkill({
  id: 'letter',
  name: 'letter',
  description: 'A letter about a loan.',
  text: 'Write to {{reader}} in {{language}}: {{reader}} brings back a book. {{note}}',
  arguments: [
    { name: 'reader', description: 'Who borrows the book.', required: true },
    {
      name: 'language',
      required: true,
      values: ['Galician', 'Albanian', 'English', ...numbered('Dialect', 150)],
    },
    { name: 'note' },
  ],
});
const main = defineAgent({ id: 'main', instruction: 'Help.', tools: [add, report] });
const knowledge = defineKnowledge({
  search: async (query) =>
    query === 'guide' ? [{ path: 'ks:guide.md', title: 'Guide', score: 1 }] : [],
  read: async (path) =>
    path === 'guide.md' ? { mime: 'text/markdown', body: '# Guide' } : undefined,
});
export const bundle = defineBundle({
  id: 'acme',
  version: '1',
  agents: [main],
  skills: [tips, letter],
  knowledge,
  mcp: {
    expose: [
      { id: 'acme', tools: [add, report, draw, fail, slow, restart, order], agents: [main] },
      { id: 'editors', access: { roles: ['editor'] }, tools: [add] },
      {
        id: 'open',
        access: 'public',
        verify: (request) => request.headers.get('x-key') === 'right',
        tools: [add],
      },
    ],
  },
});

function numbered(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
}

export type McpStage = Awaited<ReturnType<typeof openMcpStage>>;

/** The runtime with one bundle that has endpoints, and official clients of them. */
export async function openMcpStage(
  model: readonly Reply[] = [],
  served: { bundle: typeof bundle; dir?: string } = { bundle },
) {
  const scope = new Scope();
  const runtime = scope.own(await openRuntime({ ...served, model }));
  const url = (endpoint: string) => `${runtime.url}/api/bundles/dev/dev/acme/mcp/${endpoint}`;
  const connect = async ({
    endpoint = 'acme',
    user = 'ann',
    headers = {},
    fetch: wire = fetch,
    version = 'legacy',
    asks,
  }: {
    endpoint?: string;
    user?: string;
    headers?: Record<string, string>;
    fetch?: typeof fetch;
    version?: 'legacy' | 'auto';
    /** What the user answers when the server asks. Absent: the client cannot ask. */
    asks?: (message: string, fields: object) => ElicitResult;
  } = {}) => {
    const client = new Client(
      { name: 'test', version: '1' },
      {
        versionNegotiation: { mode: version },
        ...(asks ? { capabilities: { elicitation: {} } } : {}),
      },
    );
    if (asks)
      client.setRequestHandler('elicitation/create', ({ params }) => {
        const fields = 'requestedSchema' in params ? params.requestedSchema.properties : {};
        return asks(params.message, fields);
      });
    const transport = new StreamableHTTPClientTransport(new URL(url(endpoint)), {
      requestInit: { headers: { 'x-timeloom-user': user, ...headers } },
      fetch: wire,
    });
    await client.connect(transport as never);
    scope.defer(() => client.close());
    return { client, transport };
  };
  return { runtime, url, connect, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
}
