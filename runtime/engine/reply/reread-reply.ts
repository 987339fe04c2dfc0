import { z } from 'zod';
import { parsePieceLog } from '../../channels/readers/parse-piece-log.ts';
import { callIdSchema, toConversationKey, toSeq } from '../../timeline/ids.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { ReplyPolicy } from '../agent/policy-text.ts';
import { Publisher } from '../live/publisher.ts';
import type { GeneratedReply, Reply } from './generated-reply.ts';
import { createReplyReader } from './read-reply.ts';

const tokens = z.number().default(0);
/** What `model.call` records about a reply, beside its blob. */
export const Recorded = z.looseObject({
  model: z.string(),
  finish: z.enum(['stop', 'length', 'refusal', 'unknown', 'interrupted', 'violation']),
  cost_usd: z.number(),
  estimated: z.boolean().default(false),
  ms: z.number(),
  first_token_ms: z.number().optional(),
  last: z.boolean().default(false),
  /** Of a reply that broke off, only the cost is kept. */
  unread: z.boolean().default(false),
  /** The reply is stored as the log of its pieces. */
  pieces: z.boolean().default(false),
  /** A fallback answered. */
  instead_of: z.object({ model: z.string(), code: z.string() }).optional(),
  carry: z
    .object({ family: z.string(), blob: z.object({ hash: z.string(), size: z.number() }) })
    .optional(),
  usage: z.looseObject({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_tokens: tokens,
    cache_write_tokens: tokens,
  }),
  actions: z.array(z.looseObject({ call: callIdSchema })),
});
export type Recorded = z.output<typeof Recorded>;

type RereadOptions = {
  readonly turn: TurnView;
  readonly round: number;
  readonly policy: ReplyPolicy;
  readonly recorded: Recorded;
};

/** Reads a stored reply again: the text of a reply in channels, or the log of its pieces. */
export function rereadReply(
  raw: string,
  { turn, round, policy, recorded }: RereadOptions,
): GeneratedReply {
  using publisher = silentPublisher();
  const reader = createReplyReader({
    channels: policy.channels,
    rules: policy.rules,
    names: policy.names,
    context: { agent: policy.agent, turn },
    place: { turn: turn.id, round },
    publisher,
    resolve: () => undefined,
    identified: () => undefined,
  });
  const pieces = recorded.pieces ? parsePieceLog(raw) : [{ kind: 'text' as const, text: raw }];
  for (const piece of pieces) reader.push(piece);
  return { ...reader.end(), ...callOf(recorded) };
}

/** What the log has of a call, as it was when the reply was read first. */
export function callOf(recorded: Recorded): Omit<GeneratedReply, keyof Reply> {
  const { model, finish, usage, estimated, ms } = recorded;
  const { cost_usd: costUsd, first_token_ms: firstTokenMs, instead_of: insteadOf } = recorded;
  return {
    model,
    finish,
    estimated,
    costUsd,
    ms,
    firstTokenMs,
    ...(insteadOf ? { insteadOf } : {}),
    usage: {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_tokens,
      cacheWriteTokens: usage.cache_write_tokens,
    },
  };
}

/** Nobody follows a reply that is read again. */
export function silentPublisher(): Publisher {
  return new Publisher(silentBus, { key: toConversationKey(0), fence: 0, head: toSeq(0) });
}

const silentBus = {
  publish: () => undefined,
  subscribe: () => ({ [Symbol.dispose]: () => undefined }),
};
