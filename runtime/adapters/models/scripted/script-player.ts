import type { ModelRole } from '../../../engine/ports/model.ts';
import { scriptedConversationsMax } from './limits.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { ParsedReply, Script } from './reply.ts';
import { mismatch, type ScriptedRequest } from './scripted-request.ts';

type Conversation = {
  /** Number of replies given so far, by role: an answer is never used as a summary. */
  readonly given: Map<ModelRole, number>;
  readonly caches: Map<ModelRole, PrefixCache>;
};

/** Selects the next reply. */
export class ScriptPlayer {
  readonly #script: Pick<Script, 'plays' | 'replies'>;
  readonly #known = new Map<string, Conversation>();
  readonly #shared: Conversation = { given: new Map(), caches: new Map() };
  #latest = this.#shared;

  constructor(script: Pick<Script, 'plays' | 'replies'>) {
    this.#script = script;
  }

  /** Replies not given yet: of the whole script, or of the conversation with the latest request. */
  get left(): number {
    const given = [...this.#latest.given.values()].reduce((sum, count) => sum + count, 0);
    return this.#script.replies.length - given;
  }

  /** @throws Fault SCRIPT_MISMATCH if no reply is left or the next reply does not match the request. */
  next(asked: ScriptedRequest): { reply: ParsedReply; cache: PrefixCache } {
    const { given, caches } = this.#conversationOf(asked);
    const count = given.get(asked.role) ?? 0;
    const queue = this.#script.replies.filter(({ role }) => role === asked.role);
    const reply = queue[count];
    if (reply === undefined) {
      throw mismatch(`all ${queue.length} replies for ${asked.role} are given`, asked);
    }
    if (!matches(reply, asked)) {
      const number = this.#script.replies.indexOf(reply) + 1;
      throw mismatch(`reply ${number} waits for ${String(reply.when)}`, asked);
    }
    given.set(asked.role, count + 1);
    const cache = caches.get(asked.role) ?? new PrefixCache();
    caches.set(asked.role, cache);
    return { reply, cache };
  }

  #conversationOf({ conversation: id }: ScriptedRequest): Conversation {
    const conversation = id === undefined ? this.#shared : (this.#known.get(id) ?? this.#open());
    if (id !== undefined) this.#known.set(id, conversation);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= scriptedConversationsMax) break;
      this.#known.delete(oldest);
    }
    this.#latest = conversation;
    return conversation;
  }

  #open(): Conversation {
    const given = this.#script.plays === 'once' ? this.#shared.given : new Map<ModelRole, number>();
    return { given, caches: new Map() };
  }
}

function matches({ when }: ParsedReply, { text }: ScriptedRequest): boolean {
  if (when === undefined) return true;
  return typeof when === 'string' ? text.includes(when) : new RegExp(when, flags(when)).test(text);
}

/** A global or sticky pattern keeps its position between tests; repeated tests must give the same result. */
function flags(when: RegExp): string {
  return when.flags.replace(/[gy]/g, '');
}
