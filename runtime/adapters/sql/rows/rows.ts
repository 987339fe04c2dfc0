import { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import { parseJson } from '../../../base/json.ts';
import type { Block, Draft } from '../../../timeline/block.ts';
import {
  type ConversationKey,
  callIdSchema,
  conversationKeySchema,
  type Seq,
  seqSchema,
  toSeq,
  turnIdSchema,
} from '../../../timeline/ids.ts';
import { toBlockPath } from '../../../timeline/paths.ts';
import type { AppendResult } from '../../../timeline/ports/append-request.ts';
import type { EraseResult } from '../../../timeline/ports/erasures.ts';
import type {
  AcceptResult,
  ConversationRow,
  Lease,
  ListedConversation,
} from '../../../timeline/ports/store.ts';
import { fromBody } from '../../../timeline/ports/store-rules.ts';

const maybe = z
  .string()
  .nullable()
  .transform((value) => value ?? undefined);
const maybeTurn = turnIdSchema.nullable().transform((value) => value ?? undefined);

/** A draft, and its body as it was sent to the database. */
export type WrittenBlock = { readonly draft: Draft; readonly body: string };

/** The columns of a conversation that every statement returns; `c` is the table's alias. */
export const conversationColumns = `c.id as key, c.cid as id, c.tenant, c.project, c.owner as "user", c.title, c.pinned,
  c.fork_seq as "forkSeq", (select p.cid from conversation p where p.id = c.parent) as "forkedFrom",
  c.head, c.reactive, c.answered, c.steer, c.window_seq as "windowSeq", c.open_turn as "openTurn",
  iso_utc(c.created_at) as "createdAt", iso_utc(c.last_at) as "lastAt"`;

const ConversationColumns = z.object({
  key: conversationKeySchema,
  id: z.string(),
  tenant: z.string(),
  project: z.string(),
  user: z.string(),
  title: maybe,
  pinned: z.boolean(),
  head: seqSchema,
  reactive: seqSchema,
  answered: seqSchema,
  steer: seqSchema,
  windowSeq: seqSchema,
  openTurn: maybeTurn,
  forkSeq: seqSchema,
  forkedFrom: z.string().nullable(),
  createdAt: z.string(),
  lastAt: z.string(),
});

const Listed = ConversationColumns.extend({ waits: z.boolean() });
const Claimed = ConversationColumns.extend({ fence: z.number(), attempts: z.number() });

const AppendedRow = z.object({
  status: z.enum(['ok', 'deferred', 'moved', 'fenced', 'gone']),
  first_seq: seqSchema,
  head: seqSchema,
  reactive: seqSchema,
  steer: seqSchema,
  open_turn: maybeTurn,
  cid: z.string().nullable(),
  at: z.string().nullable(),
  missed: z.string().nullable(),
});

const AcceptedRow = z.object({
  status: z.enum(['started', 'queued', 'duplicate', 'conflict', 'refused', 'gone']),
  conv: conversationKeySchema.nullable(),
  cid: z.string(),
  turn: maybeTurn,
  seq: seqSchema,
  opened: z.boolean(),
  window_seq: seqSchema,
});

const ForkedRow = z.object({
  status: z.enum(['forked', 'gone', 'beyond', 'taken']),
  conv: conversationKeySchema.nullable(),
});

const ErasedRow = z.object({
  status: z.enum(['erased', 'gone']),
  conv: conversationKeySchema.nullable(),
});

const BlockRow = z.object({
  conversation: z.string(),
  seq: seqSchema,
  at: z.string(),
  type: z.string(),
  turn: turnIdSchema,
  path: z.string().transform(toBlockPath).nullable(),
  call: callIdSchema.nullable(),
  body: z.string(),
});

const MissedRows = z.array(BlockRow.omit({ conversation: true }));

const RenewedRow = z.object({ head: seqSchema, reactive: seqSchema, steer: seqSchema });
export type Renewed = z.output<typeof RenewedRow>;
const HeadRow = z.object({ key: conversationKeySchema, head: seqSchema });
const Flag = z.object({ yes: z.boolean() });

export function toConversation(row: unknown): ConversationRow {
  return fromColumns(parseRow(ConversationColumns, row));
}

export function toListed(row: unknown): ListedConversation {
  const { waits, ...columns } = parseRow(Listed, row);
  return { ...fromColumns(columns), waits };
}

function fromColumns({
  forkSeq: seq,
  forkedFrom: conversation,
  ...row
}: z.output<typeof ConversationColumns>): ConversationRow {
  return conversation === null ? row : { ...row, forkedFrom: { conversation, seq } };
}

export function toForked(row: unknown): z.output<typeof ForkedRow> {
  return parseRow(ForkedRow, row);
}

export function toLease(row: unknown, ttlMs: number): Lease {
  const { fence, attempts, ...columns } = parseRow(Claimed, row);
  return { row: fromColumns(columns), fence, attempts, ttlMs };
}

/** `written`: the blocks of the request, with the bodies that were sent. */
export function toAppended(row: unknown, written: readonly WrittenBlock[]): AppendResult {
  const parsed = parseRow(AppendedRow, row);
  const { first_seq: firstSeq, open_turn: openTurn, cid, at, missed, ...rest } = parsed;
  const result = { ...rest, firstSeq, openTurn };
  if (cid === null || missed === null) return result;
  const others = parseRow(MissedRows, parseJson(missed)).map((row) => toPlacedBlock(row, cid));
  if (at === null) return { ...result, blocks: others };
  const own = written.slice(0, rest.head - firstSeq + 1).map(({ draft, body }, index) => {
    const { type, turn, path, call } = draft;
    const names = { ...(path !== undefined && { path }), ...(call !== undefined && { call }) };
    const seq = toSeq(firstSeq + index);
    return fromBody({ conversation: cid, seq, turn, at, type, ...names }, body);
  });
  return { ...result, blocks: [...others, ...own] };
}

export function toAccepted(row: unknown): AcceptResult {
  const parsed = parseRow(AcceptedRow, row);
  const { conv, cid: conversation, status, window_seq: windowSeq, ...rest } = parsed;
  // Of an event that an erased conversation accepted, only the name is known.
  const isErased = conv === null && status === 'conflict';
  const state = isErased ? 'gone' : status;
  return { ...rest, status: state, conversation, key: conv ?? undefined, windowSeq };
}

export function toErased(row: unknown): EraseResult {
  const { status, conv: key } = parseRow(ErasedRow, row);
  return status === 'erased' && key !== null ? { status, key } : { status: 'gone' };
}

export function toBlock(row: unknown): Block {
  const { conversation, ...columns } = parseRow(BlockRow, row);
  return toPlacedBlock(columns, conversation);
}

function toPlacedBlock(row: Omit<z.output<typeof BlockRow>, 'conversation'>, conversation: string) {
  const { path, call, body, ...place } = row;
  const names = { ...(path !== null && { path }), ...(call !== null && { call }) };
  return fromBody({ conversation, ...place, ...names }, body);
}

export function toRenewed(row: unknown): Renewed {
  return parseRow(RenewedRow, row);
}

export function toRenewedOf(row: unknown): readonly [ConversationKey, Renewed] {
  const { key, ...renewed } = parseRow(RenewedRow.extend({ key: conversationKeySchema }), row);
  return [key, renewed];
}

export function toHead(row: unknown): readonly [ConversationKey, Seq] {
  const { key, head } = parseRow(HeadRow, row);
  return [key, head];
}

export function toFlag(row: unknown): boolean {
  return parseRow(Flag, row).yes;
}

/** Validates a stored row. If it does not match the schema, the Fault names the columns. */
export function parseRow<Output>(schema: z.ZodType<Output>, row: unknown): Output {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const columns = parsed.error.issues.map(({ path }) => path.join('.'));
  throw new Fault('STORED_INVALID', { columns });
}
