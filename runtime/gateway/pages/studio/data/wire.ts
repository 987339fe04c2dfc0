/** The parts of the answers of `/inspect` that the studio shows; docs/reference/workbench.md describes them. */
export type Usage = {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly cost_usd?: number;
};

export type ConversationItem = {
  readonly id: string;
  readonly user: string;
  readonly title: string;
  readonly head: number;
  readonly last_activity_at: string;
  readonly active_turn_id?: string;
  readonly forked_from?: { readonly conversation_id: string; readonly seq: number };
};

/** A conversation in a list, with what the list shows beside it. */
export type ListedConversation = ConversationItem & {
  readonly calls: number;
  readonly cost_usd: number;
  readonly agent?: string;
  readonly state: 'working' | 'waiting' | 'failed' | 'done';
  /** Where that was said which the list is searched for. */
  readonly passage?: {
    readonly block: number;
    readonly text: string;
    readonly marks: readonly { readonly from: number; readonly to: number }[];
  };
};
export type FamilyItem = ListedConversation & { readonly parent_id?: string };

export type Step = {
  readonly kind: 'model' | 'tool' | 'program' | 'agent' | 'client' | 'approval';
  readonly name: string;
  readonly block: number;
  readonly ms?: number;
  readonly ok?: boolean;
};

export type Round = {
  readonly seq: number;
  readonly round: number;
  readonly phase: string;
  readonly as_of: number;
  readonly at: string;
  readonly ms?: number;
  readonly outcome?: string;
  readonly model?: string;
  readonly first_token_ms?: number;
  readonly reply?: number;
  readonly usage: Usage;
  readonly miss?: { readonly cause: string; readonly tokens: number };
  readonly steps: readonly Step[];
};

export type Turn = {
  readonly turn: string;
  readonly name: string;
  readonly seq: number;
  readonly at: string;
  readonly agent?: string;
  readonly ms?: number;
  readonly reason?: string;
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly prompt: string;
  readonly prompt_block?: number;
  /** The model that the turn named. */
  readonly model?: string;
  readonly rerun_of?: { readonly conversation: string; readonly turn: string };
  readonly resumed?: { readonly conversation: string; readonly block: number };
  readonly events: readonly {
    readonly block: number;
    readonly type: string;
    readonly text: string;
    readonly seen_by?: number;
  }[];
  readonly answers: readonly { readonly block: number; readonly text: string }[];
  readonly usage: Usage;
  readonly feedback?: { readonly block: number; readonly reaction: string; readonly text: string };
  readonly rounds: readonly Round[];
};

export type Rounds = {
  readonly conversation_id: string;
  readonly user: string;
  readonly title: string;
  readonly head: number;
  readonly active_turn_id?: string;
  readonly forked_from?: { readonly conversation_id: string; readonly seq: number };
  readonly next: number | null;
  readonly types: readonly string[];
  readonly ticks: readonly number[];
  readonly turns: readonly Turn[];
};

export type Origin = {
  readonly from: number;
  readonly to: number;
  readonly block: number;
  readonly as: 'whole' | 'heading' | 'hidden' | 'pruned' | 'summary' | 'runtime';
  readonly by?: number;
};

export type Part = {
  readonly in: 'system' | 'timeline' | 'tail';
  readonly kind: string;
  readonly role: string;
  readonly text: string;
  readonly tokens: number;
  readonly turn?: string;
  readonly checkpoint?: boolean;
  readonly origins: readonly Origin[];
};

export type Absence = { readonly block: number; readonly because: string; readonly by?: number };

export type Prompt = {
  readonly seq: number;
  readonly turn: string;
  readonly round: number;
  readonly phase: string;
  readonly as_of: number;
  readonly tokens: number;
  readonly renderer: string;
  readonly same_as_sent?: boolean;
  readonly parts: readonly Part[];
  readonly absent: readonly Absence[];
  readonly absent_omitted: number;
};

export type Reply = {
  readonly reply: number;
  readonly facts: {
    readonly model?: string;
    readonly role?: string;
    readonly finish?: string;
    readonly usage?: Usage;
    readonly ms?: number;
    readonly first_token_ms?: number;
    readonly cost_usd?: number;
  };
  readonly stretches: readonly {
    readonly kind: string;
    readonly name: string;
    readonly text: string;
  }[];
  readonly blocks: readonly { readonly seq: number; readonly type: string }[];
  readonly notices: readonly {
    readonly block: number;
    readonly code: string;
    readonly text: string;
  }[];
};

export type BlockRow = {
  readonly seq: number;
  readonly turn: string;
  readonly turn_name: string;
  readonly at: string;
  readonly type: string;
  readonly author: string;
  readonly path?: string;
  readonly short_path?: string;
  readonly chars: number;
  readonly bytes?: number;
  readonly summary: string;
};
export type BlockPage = {
  readonly total: number;
  readonly next: number | null;
  readonly items: readonly BlockRow[];
};

export type StoredBlock = {
  readonly turn_name: string;
  readonly short_path?: string;
  readonly block: {
    readonly seq: number;
    readonly turn: string;
    readonly at: string;
    readonly type: string;
    readonly author: string;
    readonly path?: string;
    readonly text?: string;
    readonly data?: unknown;
  };
};

export type LedgerCall = {
  readonly seq: number;
  readonly turn: string;
  readonly round?: number;
  readonly model: string;
  readonly role: string;
  readonly input_tokens: number;
  readonly read_tokens: number;
  readonly missed_tokens: number;
  readonly misses: readonly {
    readonly cause: string;
    readonly tokens: number;
    readonly block?: number;
  }[];
};

export type Span = {
  readonly id: string;
  readonly parent?: string;
  readonly kind: string;
  readonly name: string;
  readonly block: number;
  readonly from_ms: number;
  readonly to_ms?: number;
  readonly error?: string;
  readonly facts: { readonly [key: string]: unknown };
};
