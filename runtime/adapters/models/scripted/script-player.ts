import type { ModelRole } from '../../../engine/ports/model.ts';
import { scriptedConversationsMax } from './limits.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { ParsedReply, Script } from './reply.ts';
import { mismatch, type ScriptedRequest } from './scripted-request.ts';

type Conversation = {
  /** The replies given so far. An answer is never used as a summary. */
  readonly given: Set<ParsedReply>;
  readonly caches: Map<ModelRole, PrefixCache>;
};

/** Selects the next reply. */
export class ScriptPlayer {
  readonly #script: Pick<Script, 'plays' | 'replies'>;
  readonly #known = new Map<string, Conversation>();
  readonly #shared: Conversation = { given: new Set(), caches: new Map() };
  #latest = this.#shared;

  constructor(script: Pick<Script, 'plays' | 'replies'>) {
    this.#script = script;
  }

  /** Replies not given yet: of the whole script, or of the conversation with the latest request. */
  get left(): number {
    return this.#script.replies.length - this.#latest.given.size;
  }

  /** @throws Fault SCRIPT_MISMATCH if no reply is left or the next reply does not match the request. */
  next(asked: ScriptedRequest): { reply: ParsedReply; cache: PrefixCache } {
    const { given, caches } = this.#conversationOf(asked);
    const queue = this.#script.replies.filter(({ role }) => role === asked.role);
    const left = queue.filter((reply) => !given.has(reply));
    const [first] = left;
    if (first === undefined) {
      throw mismatch(`all ${queue.length} replies for ${asked.role} are given`, asked);
    }
    const reply = nextOf(left).find((each) => matches(each, asked));
    if (reply === undefined) {
      const number = this.#script.replies.indexOf(first) + 1;
      throw mismatch(`reply ${number} waits for ${String(first.when)}`, asked);
    }
    given.add(reply);
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
    const given = this.#script.plays === 'once' ? this.#shared.given : new Set<ParsedReply>();
    return { given, caches: new Map() };
  }
}

/** Replies in a row with `beside` are given in any order. */
function nextOf(left: readonly ParsedReply[]): readonly ParsedReply[] {
  const end = left.findIndex(({ beside }) => beside !== true);
  return left.slice(0, end === -1 ? left.length : Math.max(end, 1));
}

function matches({ when }: ParsedReply, { text }: ScriptedRequest): boolean {
  if (when === undefined) return true;
  return typeof when === 'string' ? text.includes(when) : new RegExp(when, flags(when)).test(text);
}

/** A global or sticky pattern keeps its position between tests; repeated tests must give the same result. */
function flags(when: RegExp): string {
  return when.flags.replace(/[gy]/g, '');
}
