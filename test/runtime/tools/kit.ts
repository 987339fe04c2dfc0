import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryTimelineStore } from '../../../runtime/adapters/memory/timeline-store.ts';
import type { Clock } from '../../../runtime/base/clock.ts';
import type { Json, JsonObject } from '../../../runtime/base/json.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../runtime/timeline/fold/fold.ts';
import {
  type CallId,
  type StreamName,
  toCallId,
  toConversationKey,
  toSeq,
  toTurnId,
} from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import {
  type CallRequest,
  type CompletedCall,
  runCall,
} from '../../../runtime/tools/calls/run-call.ts';
import { createStoreCallJournal } from '../../../runtime/tools/exec/host/store-call-journal.ts';
import type { LivePiece } from '../../../runtime/tools/ports/live.ts';
import type { ProgramRights, Tool } from '../../../runtime/tools/ports/tool.ts';
import type { Resolvers } from '../../../runtime/tools/services/path-reader.ts';
import { createTurnLedger } from '../../../runtime/tools/services/turn-ledger.ts';
import { createTurnServices } from '../../../runtime/tools/services/turn-services.ts';

export const turn = toTurnId('turn_0000000000000000000b');
export const past = toTurnId('turn_0000000000000000000a');
const scope = { tenant: 'acme', project: 'ops', user: 'ann' };
const { signal } = new AbortController();
const clock: Clock = {
  now: () => Date.UTC(2026, 0, 2),
  monotonic: () => 0,
  sleep: async () => undefined,
};

export type Asked = Partial<Omit<CallRequest, 'tool' | 'input' | 'blobs' | 'context'>> & {
  readonly call?: CallId;
  readonly signal?: AbortSignal;
  readonly code?: { readonly text: string; readonly language: 'python' | 'javascript' };
  readonly stream?: StreamName;
  readonly programs?: ProgramRights;
};

/** One conversation on the memory store with a closed turn `past` and an open `turn`; calls are appended as the engine would. */
export async function openWorld({ resolvers = {} as Resolvers } = {}) {
  const store = openMemoryTimelineStore({ clock });
  const blobs = openMemoryBlobStore();
  const main = await openConversation('conv_main', 'ann');
  const live: LivePiece[] = [];
  let calls = 0;

  async function openConversation(id: string, user: string) {
    const accepted = await store.accept(
      {
        sender: { ...scope, user },
        conversation: id,
        newConversation: id,
        message: `msg_${id}`,
        digest: id,
        reactive: true,
        newTurn: past,
        turnData: {},
        events: [
          {
            turn: past,
            type: 'user.prompt',
            author: 'user',
            path: toBlockPath('ar:$turn.user.prompt'),
            text: `hello from ${id}`,
            mime: 'text/markdown',
          },
        ],
      },
      { signal },
    );
    const lease = await store.acquire(toConversationKey(accepted.key ?? 0), {
      worker: 'w',
      ttlMs: 60_000,
      signal,
    });
    return { key: accepted.key ?? toConversationKey(0), fence: lease?.fence ?? 0 };
  }

  let ops = 0;
  async function append(blocks: readonly Draft[], { key, fence } = main) {
    ops += 1;
    const reply = await store.append(
      toConversationKey(key),
      { fence, op: `op_${ops}`, blocks, asOf: toSeq(1_000_000) },
      { signal },
    );
    if (reply.status !== 'ok') throw new Error(`append: ${reply.status}`);
  }

  async function view(key = main.key) {
    return foldAll(
      emptyView,
      await store.read(toConversationKey(key), { after: toSeq(0), limit: 10_000, signal }),
    );
  }

  async function put(text: string | Uint8Array) {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return blobs.put(scope.tenant, bytes, { signal });
  }

  /** A file of a turn, already in the log. */
  async function file(path: string, content: string | Uint8Array, mime = 'text/plain') {
    const blob = await put(content);
    const filename = path.slice(path.lastIndexOf('/') + 1);
    const type = path.includes('.attachments/') ? 'user.attachment' : 'artifact.file';
    const owner = /(turn_\w+)\./.exec(path)?.[1] ?? turn;
    await append([
      {
        turn: toTurnId(owner),
        type,
        author: 'tool',
        path: toBlockPath(path),
        mime,
        blob,
        data: { filename, size: blob.size, visibility: 'external' },
      },
    ]);
  }

  async function contextOf(tool: Tool, input: JsonObject, asked: Asked = {}) {
    calls += 1;
    const call = asked.call ?? toCallId(`tc_${calls}`);
    await append([
      {
        turn,
        type: 'react.tool.call',
        author: 'agent',
        call,
        path: toBlockPath(`tc:${turn}.${call}.call`),
        data: { tool: tool.spec.id, input, key: `key_${call}`, effects: tool.spec.effects },
      },
    ]);
    const now = await view();
    const stop = asked.signal ?? signal;
    const ledger = createTurnLedger(now, turn);
    const services = createTurnServices({
      scope,
      conversation: 'conv_main',
      key: toConversationKey(main.key),
      turn,
      round: 1,
      call,
      view: now,
      store,
      blobs,
      signal: stop,
      publish: (piece) => live.push(piece),
      ledger,
      resolvers,
    });
    const context = {
      scope,
      conversation: 'conv_main',
      turn,
      round: 1,
      call,
      key: `key_${call}`,
      signal: stop,
      now: '2026-01-02T00:00:00.000Z',
      view: now,
      services,
      programCalls: ledger.programCalls,
      journal: createStoreCallJournal({
        store,
        key: main.key,
        fence: main.fence,
        program: call,
        signal,
        assertOwner: () => undefined,
      }),
      ...(asked.code ? { code: asked.code } : {}),
      ...(asked.stream ? { stream: asked.stream } : {}),
      ...(asked.programs ? { programs: asked.programs } : {}),
    };
    return context;
  }

  /** Intent, call, append: in the order of a turn. */
  async function perform(tool: Tool, input: JsonObject, asked: Asked = {}): Promise<CompletedCall> {
    const { call: _, signal: __, code: ___, stream: ____, programs: _____, ...how } = asked;
    const context = await contextOf(tool, input, asked);
    const performed = await runCall({ tool, input, context, blobs, ...how });
    await append(performed.blocks);
    return performed;
  }

  await append([
    {
      turn: past,
      type: 'turn.close',
      author: 'system',
      data: { reason: 'completed', text: '', degraded: false },
    },
  ]);
  await append([
    { turn, type: 'turn.open', author: 'system', data: { bundle: 'b', agent: 'a', text: 'go' } },
  ]);
  await append([
    {
      turn,
      type: 'round.open',
      author: 'system',
      data: { round: 1, as_of: 3, now: '2026-01-02T00:00:00.000Z', phase: 'decision' },
    },
  ]);
  return { store, blobs, live, append, view, put, file, contextOf, perform, openConversation };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The return value of a call that must have succeeded. */
export function ret(performed: CompletedCall): Json {
  if (!performed.result.ok) throw new Error(JSON.stringify(performed.result.error));
  return performed.result.ret;
}

export function error(performed: CompletedCall) {
  return performed.result.ok ? undefined : performed.result.error;
}

export function blocksOf(performed: CompletedCall, type: string) {
  return performed.blocks.filter((block) => block.type === type);
}
