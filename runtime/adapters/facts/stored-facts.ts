import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { EntryStore } from '../../sdk/compile/host/key-value-store.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import { rankTexts } from '../../timeline/search/rank-texts.ts';
import { cosine } from '../../timeline/search/vectors.ts';
import {
  type Fact,
  type ForgetRequest,
  type LongTermMemory,
  type MemoryOwner,
  memoryScopes,
  type Recording,
} from '../../tools/ports/long-term-memory.ts';
import { recordingSpace, sharedSpace, userSpace } from './fact-spaces.ts';
import {
  factCharsMax,
  factsPerRecordingMax,
  factsPerSpaceMax,
  recordingKeptMs,
  sameFactNearness,
} from './limits.ts';
import { fromStoredVector, toStoredVector } from './stored-vector.ts';

type Parts = {
  readonly storage: EntryStore;
  /** Absent: facts are found by words alone. */
  readonly embedder?: Embedder | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

const StoredFact = z.object({
  id: z.string(),
  text: z.string(),
  scope: z.enum(memoryScopes),
  agent: z.string(),
  conversation: z.string(),
  at: z.string(),
  vector: z.object({ space: z.string(), values: z.string() }).exactOptional(),
});
type StoredFact = z.infer<typeof StoredFact>;

/**
 * Long-term memory in the key-value store of the installation.
 *
 * 1. A user's space holds every fact that the user's conversations have left. Shared facts are copies of these.
 * 2. A recording writes its facts under ids that follow from its `op`, and last the `op` itself: a repetition after a
 *    crash overwrites what the crash left, and one after that changes nothing.
 * 3. A forgotten id is never written again.
 */
export function createStoredFacts(parts: Parts): LongTermMemory {
  const facts = new StoredFacts(parts);
  return {
    extracts: false,
    record: (recording) => facts.record(recording),
    isRecorded: (owner, op) => facts.isRecorded(owner, op),
    retrieve: async ({ owner, scopes, text, limit }, { signal }) => {
      const spaces = scopes.map((scope) => facts.ofScope(owner, scope));
      const known = (await Promise.all(spaces)).flat();
      if (known.length === 0) return [];
      const vector = await facts.vectorOf(text, signal);
      const ranked = rankTexts(known.map(facts.toRanked), { text, vector });
      return ranked.slice(0, limit).map(({ fact }) => toFact(fact));
    },
    list: async (user) => (await facts.of(userSpace(user))).toSorted(newestFirst).map(toFact),
    forget: (user, what) => facts.forget(user, what),
    existing: (owner, ids) => facts.existing(owner, ids),
  };
}

class StoredFacts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async isRecorded(owner: MemoryOwner, op: string): Promise<boolean> {
    return (await this.#parts.storage.get(recordingSpace(owner), `op/${op}`)) !== undefined;
  }

  async record({ owner, scope, op, conversation, content }: Recording): Promise<readonly Fact[]> {
    const { storage, clock } = this.#parts;
    if (await this.isRecorded(owner, op)) return [];
    const texts = 'facts' in content ? content.facts.map(toText).filter((text) => text !== '') : [];
    const at = new Date(clock.now()).toISOString();
    const place = { scope, agent: owner.agent, conversation, at };
    const ids = new Set<string>();
    const known = (await this.ofScope(owner, scope)).filter(({ id }) => !id.startsWith(idOf(op)));
    const kept: StoredFact[] = [];
    for (const [index, text] of texts.slice(0, factsPerRecordingMax).entries()) {
      const fact = { id: `${idOf(op)}${index + 1}`, text, ...place, ...(await this.#embed(text)) };
      if ([...known, ...kept].some((other) => saysTheSame(other, fact))) continue;
      if (await this.#isForgotten(owner, fact.id)) continue;
      kept.push(fact);
      ids.add(fact.id);
    }
    const before = await this.of(userSpace(owner));
    const left = before.filter(({ id }) => id.startsWith(idOf(op)) && !ids.has(id));
    for (const fact of left) await this.#remove(owner, fact);
    for (const fact of kept) await this.#write(owner, fact);
    await storage.set(recordingSpace(owner), `op/${op}`, { value: at, ttlMs: recordingKeptMs });
    return kept.map(toFact);
  }

  async of(space: string): Promise<readonly StoredFact[]> {
    const entries = await this.#parts.storage.entries(space);
    return [...entries.values()].flatMap((value) => StoredFact.safeParse(value).data ?? []);
  }

  async ofScope(owner: MemoryOwner, scope: Fact['scope']): Promise<readonly StoredFact[]> {
    if (scope !== 'user') return this.of(sharedSpace(scope, owner));
    return (await this.of(userSpace(owner))).filter((fact) => fact.scope === 'user');
  }

  readonly toRanked = (fact: StoredFact) => {
    const { vector, id, text, at } = fact;
    const values = vector && vector.space === this.#parts.embedder?.space ? vector.values : '';
    const ageMs = this.#parts.clock.now() - Date.parse(at);
    return { fact, id, text, ageMs, vector: values === '' ? undefined : fromStoredVector(values) };
  };

  /** Undefined: there is no embedder, or it does not answer. Words must do then. */
  async vectorOf(text: string, signal?: AbortSignal): Promise<readonly number[] | undefined> {
    const { embedder, log } = this.#parts;
    if (!embedder || text.trim() === '') return undefined;
    try {
      const work = signal ?? new AbortController().signal;
      const [vector] = await embedder.embed([text.toWellFormed()], { signal: work });
      return vector;
    } catch (error) {
      signal?.throwIfAborted();
      log.warn('a fact could not be embedded', { error });
      return undefined;
    }
  }

  async forget(user: Sender, what: ForgetRequest): Promise<number> {
    const facts = await this.of(userSpace(user));
    const chosen = facts.filter(
      ({ id, conversation }) =>
        'all' in what || ('id' in what ? id === what.id : conversation === what.conversation),
    );
    const { storage } = this.#parts;
    for (const fact of chosen) {
      const gone = { value: true, ttlMs: recordingKeptMs } as const;
      await storage.set(recordingSpace(user), `forgotten/${fact.id}`, gone);
      await this.#remove(user, fact);
    }
    return chosen.length;
  }

  async existing(owner: MemoryOwner, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { storage } = this.#parts;
    const spaces = [userSpace(owner), sharedSpace('agent', owner), sharedSpace('tenant', owner)];
    const found = await Promise.all(
      ids.map(async (id) => {
        const values = await Promise.all(spaces.map((space) => storage.get(space, id)));
        return values.some((value) => value !== undefined) ? [id] : [];
      }),
    );
    return new Set(found.flat());
  }

  async #embed(text: string): Promise<Pick<StoredFact, 'vector'>> {
    const { embedder } = this.#parts;
    const values = await this.vectorOf(text);
    return embedder && values
      ? { vector: { space: embedder.space, values: toStoredVector(values) } }
      : {};
  }

  async #isForgotten(user: Sender, id: string): Promise<boolean> {
    return (await this.#parts.storage.get(recordingSpace(user), `forgotten/${id}`)) !== undefined;
  }

  async #write(owner: MemoryOwner, fact: StoredFact): Promise<void> {
    const { storage } = this.#parts;
    for (const old of await this.#oldest(userSpace(owner))) await this.#remove(owner, old);
    for (const space of spacesOf(owner, fact)) {
      for (const { id } of await this.#oldest(space)) await storage.delete(space, id);
      await storage.set(space, fact.id, { value: fact });
    }
  }

  /** Those that do not fit beside a new fact. */
  async #oldest(space: string): Promise<readonly StoredFact[]> {
    return (await this.of(space)).toSorted(newestFirst).slice(factsPerSpaceMax - 1);
  }

  /** The user's space last: as long as the fact is in it, forgetting can be repeated. */
  async #remove(user: Sender, fact: StoredFact): Promise<void> {
    const owner = { ...user, agent: fact.agent };
    for (const space of spacesOf(owner, fact).toReversed()) {
      await this.#parts.storage.delete(space, fact.id);
    }
  }
}

function spacesOf(owner: MemoryOwner, { scope }: StoredFact): readonly string[] {
  return scope === 'user' ? [userSpace(owner)] : [userSpace(owner), sharedSpace(scope, owner)];
}

function idOf(op: string): string {
  return `fact_${createHash('sha256').update(op).digest('hex').slice(0, 20)}_`;
}

function toText(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, factCharsMax).toWellFormed();
}

function saysTheSame(one: StoredFact, other: StoredFact): boolean {
  if (one.text.toLowerCase() === other.text.toLowerCase()) return true;
  if (!one.vector || one.vector.space !== other.vector?.space) return false;
  const [a, b] = [fromStoredVector(one.vector.values), fromStoredVector(other.vector.values)];
  return a.length === b.length && cosine(a, b) >= sameFactNearness;
}

function newestFirst(one: StoredFact, other: StoredFact): number {
  return other.at.localeCompare(one.at) || (one.id < other.id ? -1 : 1);
}

function toFact({ vector: _, ...fact }: StoredFact): Fact {
  return fact;
}
