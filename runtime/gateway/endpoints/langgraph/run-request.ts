import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import { type ChatAttachment, id as idSchema } from '../../../client/protocol/request-schemas.ts';
import { type StreamMode, streamModes } from '../../projections/langgraph/langgraph.ts';
import { toMessageId } from '../foreign-ids.ts';
import { type ContentBlock, contentBlock, filesOf } from './message-files.ts';

/** Modes of LangGraph's API that have no meaning here, and are left out of a stream. */
const otherModes = ['custom', 'events', 'debug', 'tasks', 'checkpoints', 'tools', 'lifecycle'];
const mode = z.enum([...streamModes, ...otherModes]);

/** The parts of a run that this server reads. Others are accepted and have no effect. */
export const runRequest = z.looseObject({
  assistant_id: z.string().max(300),
  input: z.unknown().optional(),
  command: z.looseObject({ resume: z.unknown().optional() }).nullish(),
  stream_mode: z.union([mode, z.array(mode).max(20)]).nullish(),
  multitask_strategy: z.enum(['reject', 'interrupt', 'rollback', 'enqueue']).nullish(),
  on_disconnect: z.enum(['cancel', 'continue']).nullish(),
});
export type RunRequest = z.infer<typeof runRequest>;

export const threadRequest = z.looseObject({
  thread_id: idSchema.nullish(),
  if_exists: z.enum(['raise', 'do_nothing']).nullish(),
});

export const searchRequest = z.looseObject({
  limit: z.int().min(1).max(1_000).nullish(),
  offset: z.int().min(0).nullish(),
});

/** The requested modes, in our order; `values` without any. */
export function modesOf(given: unknown): readonly StreamMode[] {
  const names = [given].flat().filter((each) => typeof each === 'string');
  const modes = streamModes.filter((each) => names.includes(each));
  return names.length === 0 ? ['values'] : modes;
}

const message = z.looseObject({
  id: z.string().max(500).nullish(),
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(z.union([z.string(), contentBlock])).max(100)]).default(''),
});
type GivenMessage = z.infer<typeof message>;

export type RunInput = {
  readonly text: string;
  readonly attachments: readonly ChatAttachment[];
  /** Undefined: the client gave the message no id. */
  readonly message_id: string | undefined;
};

/**
 * What a person says in the input of a run: its last human message, or its text. The thread has everything before it, whatever the
 * client sends again. Refusal `invalid_input`.
 */
export function inputOf(input: unknown): RunInput {
  if (typeof input === 'string') return { text: input, attachments: [], message_id: undefined };
  const fields = z.looseObject({ messages: z.unknown().optional() }).safeParse(input);
  if (!fields.success) throw refused('input: must be an object with messages, or a text');
  const { messages, ...others } = fields.data;
  if (messages === undefined) return textAmong(Object.values(others));
  const listed = z
    .array(z.union([message, z.string()]))
    .max(10_000)
    .safeParse([messages].flat());
  if (!listed.success) throw refused('input.messages: must be a list of messages');
  const last = listed.data.findLast((each) => typeof each === 'string' || isHuman(each));
  if (last === undefined) throw refused('input.messages: there is no message of type human');
  return typeof last === 'string' ? textAmong([last]) : fromMessage(last);
}

function textAmong(values: readonly unknown[]): RunInput {
  const text = values.find((value) => typeof value === 'string');
  if (text === undefined) throw refused('input: must contain text');
  return { text, attachments: [], message_id: undefined };
}

function isHuman({ type, role }: GivenMessage): boolean {
  return ['human', 'user'].includes(type ?? role ?? '');
}

function fromMessage({ id, content }: GivenMessage): RunInput {
  const parts = typeof content === 'string' ? [content] : content;
  const texts = parts.map((part) => (typeof part === 'string' ? part : (part.text ?? '')));
  const blocks = parts.filter((part): part is ContentBlock => typeof part !== 'string');
  return {
    text: texts.filter((text) => text !== '').join('\n\n'),
    attachments: blocks.flatMap(filesOf),
    message_id: id === null || id === undefined || id === '' ? undefined : toMessageId(id),
  };
}

function refused(message: string): Refusal {
  return new Refusal('invalid_input', message);
}
