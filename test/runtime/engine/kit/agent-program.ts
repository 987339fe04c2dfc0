import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { createExternalAgents } from '../../../../runtime/adapters/acp/open-agents.ts';
import { fromReadable, toWritable } from '../../../../runtime/adapters/acp/session/web-streams.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import type { AgentSandbox } from '../../../../runtime/engine/ports/agent-sandbox.ts';
import type { ExternalAgents } from '../../../../runtime/engine/ports/external-agent.ts';
import type { BlobStore } from '../../../../runtime/timeline/ports/blobs.ts';

/** One prompt of a program, as its script sees it. */
export type Prompted = {
  readonly text: string;
  readonly session: string;
  /** Fires when the client cancels. */
  readonly signal: AbortSignal;
  /** Folder of this machine. */
  readonly workspace: string;
  update(update: SessionUpdate): Promise<void>;
  /** The kind of option that the client chose; `cancelled`. */
  ask(call: { toolCallId: string; title: string; rawInput: unknown }): Promise<string>;
  /** Ends the process. */
  crash(): void;
};
type Script = (prompted: Prompted) => Promise<PromptResponse['stopReason']>;

/** Agent programs in this process: the official SDK's agent side behind the real adapter, without a sandbox. */
export async function openAgentPrograms(script: Script) {
  const root = await mkdtemp(join(tmpdir(), 'timeloom-run-agents-'));
  const sessions = new Set<string>();
  const texts: string[] = [];
  const loads: string[] = [];
  const sandbox: AgentSandbox = {
    open: async ({ workspace }) => start({ script, workspace, sessions, texts, loads }),
    [Symbol.asyncDispose]: async () => undefined,
  };
  const programs = {
    demo: {
      ...{ command: ['demo'], folders: [], env: {} },
      egress: { hosts: [], privateHosts: [], models: {} },
      limits: { memoryMb: 512, cpus: 1, processes: 64, fileMb: 64, workspaceMb: 64 },
    },
  };
  const egress = { open: async () => ({ [Symbol.asyncDispose]: async () => undefined }) };
  const own = { programs, sandbox, egress, root, clock: systemClock, log: silentLog };
  return {
    /** The prompts that the program has read. */
    texts,
    /** The sessions that were loaded again. */
    loads,
    sessions,
    agents: (blobs: BlobStore): ExternalAgents => createExternalAgents({ ...own, blobs }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

type Start = {
  readonly script: Script;
  readonly workspace: string;
  readonly sessions: Set<string>;
  readonly texts: string[];
  readonly loads: string[];
};

function start({ script, workspace, sessions, texts, loads }: Start) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ended = new AbortController();
  const exited = once(ended.signal, 'abort').then(() => 'exit 1: it ended');
  let cancelled = new AbortController();
  const crash = () => {
    stdout.end();
    ended.abort();
  };
  const app = agent({ name: 'demo' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true },
      agentInfo: { name: 'demo', version: '1.0' },
    }))
    .onRequest(methods.agent.session.new, () => {
      const sessionId = randomUUID();
      sessions.add(sessionId);
      return { sessionId };
    })
    .onRequest(methods.agent.session.load, ({ params: { sessionId } }) => {
      if (!sessions.has(sessionId)) throw new Error('unknown session');
      loads.push(sessionId);
      return {};
    })
    .onNotification(methods.agent.session.cancel, () => cancelled.abort())
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      cancelled = new AbortController();
      const [part] = params.prompt;
      const text = part?.type === 'text' ? part.text : '';
      texts.push(text);
      const talk = speaker(client, params.sessionId);
      const prompted = { text, session: params.sessionId, signal: cancelled.signal, workspace };
      return { stopReason: await script({ ...prompted, ...talk, crash }) };
    });
  app.connect(ndJsonStream(toWritable(stdout), fromReadable(stdin)));
  return {
    ...{ stdin, stdout, exited },
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      stdout.end();
      ended.abort();
    },
  };
}

function speaker(client: AgentContext, sessionId: string): Pick<Prompted, 'update' | 'ask'> {
  return {
    update: (update) => client.notify(methods.client.session.update, { sessionId, update }),
    ask: async (toolCall) => {
      const options = [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
        { optionId: 'always', name: 'Always allow', kind: 'allow_always' as const },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
      ];
      const request: RequestPermissionRequest = { sessionId, toolCall, options };
      const { outcome } = await client.request(methods.client.session.requestPermission, request);
      return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled';
    },
  };
}

/** Resolves when the client has cancelled. */
export async function untilCancelled({ signal }: Prompted): Promise<'cancelled'> {
  if (!signal.aborted) await once(signal, 'abort');
  return 'cancelled';
}

export function message(text: string): SessionUpdate {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}
