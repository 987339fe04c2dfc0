import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import { deadlineOf } from '../../timeline/fold/fold-waits.ts';
import { type TurnId, toCallId, turnToChoose } from '../../timeline/ids.ts';
import { type BlockPath, paths } from '../../timeline/paths.ts';
import type { ConversationRow, TimelineStore } from '../../timeline/ports/store.ts';
import { parseInput } from '../input/parse-input.ts';

/** An answer that a turn waits for. The store decides: the turn must still be open. */
export type Answer = {
  readonly event: Pick<Draft, 'type' | 'path' | 'data'>;
  readonly turn: TurnId | undefined;
  /** Why the answer is refused, unless it was accepted before under the same message id. */
  readonly refusal: Refusal | undefined;
};

const name = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const code = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower_case');

/** `chatMessage` has already checked that this is JSON. */
const plain = z.custom<Json>((value) => value !== undefined);

const decision = z.strictObject({
  request: name,
  allow: z.boolean(),
  remember: z.enum(['once', 'turn', 'conversation']).exactOptional(),
  input: z.record(z.string(), plain).exactOptional(),
});
const result = z.discriminatedUnion('ok', [
  z.strictObject({ call: name, ok: z.literal(true), ret: plain }),
  z.strictObject({
    call: name,
    ok: z.literal(false),
    error: z.strictObject({ code, message: z.string().max(2_000) }),
  }),
]);

type Place = {
  readonly store: TimelineStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

export function isAnswer({ kind }: ChatMessage): boolean {
  return kind === 'approval.decision' || kind === 'external.result';
}

/** Refusals `invalid_input`, `not_found`. */
export async function readAnswer(
  message: ChatMessage,
  row: ConversationRow | undefined,
  place: Place,
): Promise<Answer> {
  const { kind, payload = null, attachments = [], conversation_id } = message;
  if (attachments.length > 0)
    throw new Refusal('invalid_input', 'attachments: not allowed in an answer');
  if (conversation_id === undefined) {
    throw new Refusal('invalid_input', `conversation_id: required for ${kind}`);
  }
  if (!row) throw new Refusal('not_found', `conversation ${conversation_id} not found`);
  return kind === 'approval.decision'
    ? readDecision(parseInput(decision, payload), { message, row, place })
    : readResult(parseInput(result, payload), { message, row, place });
}

type AnswerContext = {
  readonly message: ChatMessage;
  readonly row: ConversationRow;
  readonly place: Place;
};

async function readDecision(
  data: z.infer<typeof decision>,
  context: AnswerContext,
): Promise<Answer> {
  const { request } = data;
  const path = (part: 'request' | 'decision' | 'close') => (turn: TurnId) =>
    paths.approval(turn, part, request);
  const type = 'approval.decision';
  return {
    event: { type, path: path('decision')(turnToChoose), data },
    turn: context.row.openTurn,
    refusal: await refusalOf(context, {
      what: `the request ${request}`,
      codes: { closed: 'approval_closed', expired: 'approval_expired' },
      paths: { request: path('request'), answered: path('decision'), closed: path('close') },
    }),
  };
}

async function readResult(data: z.infer<typeof result>, context: AnswerContext): Promise<Answer> {
  const call = toCallId(data.call);
  const type = 'external.result';
  return {
    event: { type, path: paths.external(turnToChoose, 'result', call), data },
    turn: context.row.openTurn,
    refusal: await refusalOf(context, {
      what: `the call ${call}`,
      codes: { closed: 'call_closed', expired: 'call_expired' },
      paths: {
        request: (turn) => paths.external(turn, 'call', call),
        answered: (turn) => paths.external(turn, 'result', call),
        closed: (turn) => paths.result(turn, call),
      },
    }),
  };
}

type WaitLookup = {
  readonly what: string;
  readonly codes: { readonly closed: string; readonly expired: string };
  readonly paths: Readonly<Record<'request' | 'answered' | 'closed', (turn: TurnId) => BlockPath>>;
};

async function refusalOf(
  { row, message, place }: AnswerContext,
  { what, codes, paths: at }: WaitLookup,
): Promise<Refusal | undefined> {
  const { store, clock, signal } = place;
  const { openTurn: turn } = row;
  if (turn === undefined) return new Refusal(codes.closed, `no turn is waiting for ${what}`);
  const find = (path: BlockPath): Promise<Block | undefined> =>
    store.atPath(row.key, path, { signal });
  const [request, answered, closed] = await Promise.all([
    find(at.request(turn)),
    find(at.answered(turn)),
    find(at.closed(turn)),
  ]);
  if (!request) return new Refusal('not_found', `the open turn does not have ${what}`);
  if (closed || (answered && answered.event !== message.message_id)) {
    return new Refusal(codes.closed, `${what} was already answered`);
  }
  if (clock.now() > deadlineOf(request))
    return new Refusal(codes.expired, `the deadline of ${what} has passed`);
  return undefined;
}
