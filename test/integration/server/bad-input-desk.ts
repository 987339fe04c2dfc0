import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io, type Socket } from 'socket.io-client';
import { startServe } from '../../tools/serve.ts';

const ackDeadlineMs = 100_000;

export type Ack = {
  readonly ok: boolean;
  readonly status?: string;
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly event_id?: string;
  readonly cursor: string;
  readonly error?: { readonly code: string; readonly message: string };
};

/** The last envelope of a turn. */
export type End = {
  readonly type: string;
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly data: {
    readonly reason?: string;
    readonly text?: string;
    readonly degraded?: boolean;
    readonly error?: { readonly code: string; readonly message: string };
  };
};

export type Desk = AsyncDisposable & {
  readonly url: string;
  readonly dataDir: string;
  readonly log: () => string;
  /** A socket of that user; resolves when it is connected. */
  connect(auth: Record<string, unknown>): Promise<Socket>;
  /** What a fresh user is answered: the server still does its work. */
  answer(): Promise<string>;
  /** The conversations of a user, as the gateway lists them. */
  conversations(user: string): Promise<readonly { id: string; head: number }[]>;
  call(
    path: string,
    init?: { user?: string; method?: string; body?: BodyInit; headers?: Record<string, string> },
  ): Promise<Response>;
  /** Ends the server; what it kept can be read then. */
  stop(): Promise<void>;
};

/** Replies by agent. Every conversation of an agent hears them from the first on. */
export type Scripts = Readonly<Record<string, readonly object[]>>;

/** A built server with one bundle whose agents say what `scripts` say; the first of them is `main`. */
export async function openDesk(scripts: Scripts = {}): Promise<Desk> {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-bad-input-'));
  await writeBundle(dir, { main: Array(3).fill({ answer: 'All is well.' }), ...scripts });
  const server = await startServe({
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_BUNDLES: join(dir, 'desk'),
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_EXEC_MODE: 'off',
  });
  const sockets: Socket[] = [];
  const { url } = server;
  const connect = async (auth: Record<string, unknown>) => {
    const socket = await connectTo(url, auth);
    sockets.push(socket);
    return socket;
  };
  let otherUsers = 0;
  return {
    ...{ url, connect, dataDir: join(dir, 'data'), log: server.log, stop },
    answer: async () => {
      otherUsers += 1;
      return await askOnce(await connect({ user: `other-${otherUsers}` }));
    },
    conversations: async (user) => {
      const answer = await callOf(url)('/conversations/dev/dev', { user });
      const { items } = (await answer.json()) as { items: { id: string; head: number }[] };
      return items.map(({ id, head }) => ({ id, head }));
    },
    call: callOf(url),
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(dir, { recursive: true });
    },
  };

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.disconnect();
    await server[Symbol.asyncDispose]();
  }
}

/** A connected socket, or the refusal of the gateway. */
export async function connectTo(
  url: string,
  auth: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Socket> {
  const socket = io(url, {
    auth,
    extraHeaders: headers,
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    ackTimeout: ackDeadlineMs,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', reject);
    });
    return socket;
  } catch (error) {
    socket.disconnect();
    throw error;
  }
}

export async function say(socket: Socket, message: unknown): Promise<Ack> {
  return (await socket.emitWithAck('chat_message', message)) as Ack;
}

/** One turn from its prompt to its end: the last thing that the client receives. */
export async function takeTurn(socket: Socket, message: Record<string, unknown>): Promise<End> {
  const ended = new Promise<End>((resolve) => {
    const end = (envelope: End) => resolve(envelope);
    socket.once('chat_complete', end);
    socket.once('chat_error', end);
  });
  const ack = await say(socket, { message_id: 'm1', text: 'How is it?', ...message });
  if (!ack.ok) throw new Error(`the turn was not taken: ${JSON.stringify(ack)}`);
  return await ended;
}

async function askOnce(socket: Socket): Promise<string> {
  const { data } = await takeTurn(socket, {});
  socket.disconnect();
  return data.text ?? data.error?.code ?? '';
}

function callOf(url: string): Desk['call'] {
  return (path, { user = 'dev', ...init } = {}) => {
    const headers = { 'x-timeloom-user': user, ...init.headers };
    return fetch(`${url}${path}`, { ...init, headers });
  };
}

const bundle = (agents: readonly string[], dir: string) => `
  import { z } from 'zod';
  import { defineAgent, defineBundle, defineEvent, defineTool } from 'timeloom/sdk';
  const count = defineTool({
    id: 'stock.count', description: 'Counts an item.', effects: 'none', traits: ['exploration'],
    input: z.object({ item: z.string(), shelf: z.object({ row: z.int() }) }),
    run: () => 3,
  });
  const agents = ${JSON.stringify(agents)}.map((id) => defineAgent({
    id, instruction: 'Answer.', tools: [count, 'exec_tools.*'],
    models: { decision: \`scripted:${dir}/\${id}.yaml\` },
  }));
  const alert = defineEvent({
    kind: 'alert', reactive: true, payload: z.object({ level: z.int() }), text: ({ level }) => \`level \${level}\`,
  });
  export const bundle = defineBundle({ id: 'desk', version: '1', agents, events: [alert] });
`;

async function writeBundle(dir: string, scripts: Scripts): Promise<void> {
  await mkdir(join(dir, 'desk'));
  await writeFile(join(dir, 'desk/bundle.ts'), bundle(Object.keys(scripts), dir));
  for (const [agent, replies] of Object.entries(scripts)) {
    // JSON is YAML.
    const script = JSON.stringify({ plays: 'per_conversation', replies });
    await writeFile(join(dir, `${agent}.yaml`), script);
  }
}
