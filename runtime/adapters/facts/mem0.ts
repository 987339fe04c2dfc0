import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import {
  type Fact,
  type LongTermMemory,
  type MemoryOwner,
  type MemoryScope,
  memoryScopes,
  type Recording,
} from '../../tools/ports/long-term-memory.ts';
import { memoryListMax } from './limits.ts';
import { type Mem0Call, type Mem0Server, requestMem0 } from './mem0-request.ts';

export type Mem0Settings = Mem0Server & {
  /** Whether the server extracts facts from messages with its own model. */
  readonly infer: boolean;
};

type Waits = { readonly signal: AbortSignal };

const Row = z.object({
  id: z.string(),
  memory: z.string(),
  metadata: z
    .object({
      scope: z.enum(memoryScopes),
      agent: z.string(),
      conversation: z.string(),
      op: z.string(),
    })
    .nullish(),
  created_at: z.string().nullish(),
});
type Row = z.infer<typeof Row>;
const Rows = z.object({ results: z.array(Row) });
const Scored = z.object({ results: z.array(Row.extend({ score: z.number().nullish() })) });
/** What is gone is answered with nothing. */
const Anything = z.json();
/** What `POST /memories` has changed. */
const Changes = z.object({
  results: z.array(z.object({ id: z.string(), memory: z.string(), event: z.string().nullish() })),
});

/**
 * Long-term memory on a server that speaks the REST protocol of mem0 (docs.mem0.ai/open-source/features/rest-api). Every
 * fact has its user as `user_id`; facts of an agent have also an `agent_id`, and those of a tenant a `run_id`. Scope and
 * origin are its metadata.
 */
export function createMem0Memory(settings: Mem0Settings): LongTermMemory {
  const call = <T>(asked: Mem0Call<T>, options: Waits) => requestMem0(settings, asked, options);
  const listed = async (user: Sender, options: Waits) => {
    const query = new URLSearchParams({ user_id: userId(user), top_k: String(memoryListMax) });
    const asked = { method: 'GET', path: `memories?${query}`, answer: Rows } as const;
    return (await call(asked, options)).results;
  };
  const isRecorded = async (owner: MemoryOwner, op: string, options: Waits) =>
    (await listed(owner, options)).some(({ metadata }) => metadata?.op === op);
  return {
    extracts: settings.infer,
    isRecorded,
    async record(recording, options) {
      if (await isRecorded(recording.owner, recording.op, options)) return [];
      const body = toBody(recording, settings);
      if (body === undefined) return [];
      // Not repeated: the server would record it twice. The job that records does that, and looks first.
      const asked = { method: 'POST', path: 'memories', body, answer: Changes } as const;
      const { results } = await call(asked, options);
      const { scope, conversation, owner } = recording;
      const at = new Date().toISOString();
      return results
        .filter(({ event }) => event !== 'DELETE' && event !== 'NONE')
        .map(({ id, memory: text }) => ({ id, text, scope, agent: owner.agent, conversation, at }));
    },
    async retrieve({ owner, scopes, text, limit }, options) {
      const found = scopes.map(async (scope) => {
        const filters = { ...idsOf(scope, owner), scope };
        const body = { query: text, filters, top_k: limit };
        const asked = {
          method: 'POST',
          path: 'search',
          body,
          answer: Scored,
          repeats: true,
        } as const;
        return (await call(asked, options)).results;
      });
      const rows = (await Promise.all(found)).flat();
      const best = rows.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0)).slice(0, limit);
      return best.map(toFact);
    },
    list: async (user, options) =>
      (await listed(user, options)).map(toFact).toSorted((a, b) => b.at.localeCompare(a.at)),
    async forget(user, what, options) {
      const chosen = (await listed(user, options)).filter(
        ({ id, metadata }) =>
          'all' in what ||
          ('id' in what ? id === what.id : metadata?.conversation === what.conversation),
      );
      for (const { id } of chosen) {
        const path = `memories/${encodeURIComponent(id)}`;
        await call({ method: 'DELETE', path, answer: Anything }, options);
      }
      return chosen.length;
    },
    async existing(_, ids, options) {
      const found = ids.map(async (id) => {
        const path = `memories/${encodeURIComponent(id)}`;
        const answer = await call({ method: 'GET', path, answer: Anything }, options);
        return Row.safeParse(answer).success ? [id] : [];
      });
      return new Set((await Promise.all(found)).flat());
    },
  };
}

function toBody(recording: Recording, { infer }: Mem0Settings): Json | undefined {
  const { owner, scope, op, conversation, content } = recording;
  const messages =
    'messages' in content
      ? content.messages.map(({ role, text }) => ({ role, content: text }))
      : content.facts.map((text) => ({ role: 'user', content: text }));
  if (messages.length === 0) return undefined;
  const metadata = { scope, agent: owner.agent, conversation, op };
  const ids = { ...idsOf(scope, owner), user_id: userId(owner) };
  return { messages, ...ids, metadata, infer: infer && 'messages' in content };
}

function idsOf(scope: MemoryScope, owner: MemoryOwner): Readonly<Record<string, string>> {
  const { tenant, project, agent } = owner;
  if (scope === 'agent') return { agent_id: nameOf(tenant, project, agent) };
  return scope === 'tenant' ? { run_id: nameOf(tenant) } : { user_id: userId(owner) };
}

function userId({ tenant, project, user }: Sender): string {
  return nameOf(tenant, project, user);
}

/** Parts are encoded, so that no two owners have the same name. */
function nameOf(...parts: readonly string[]): string {
  return ['timeloom', ...parts].map(encodeURIComponent).join('/');
}

function toFact({ id, memory: text, metadata, created_at }: Row): Fact {
  const { scope = 'user', agent = '', conversation = '' } = metadata ?? {};
  return { id, text, scope, agent, conversation, at: created_at ?? '' };
}
