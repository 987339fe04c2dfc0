import { isJsonObject } from '../../../base/json.ts';
import { replyAt } from '../../../engine/inspect/round-reply.ts';
import { toSeq } from '../../../timeline/ids.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import type { StoredConversation } from './open-conversation.ts';

type Options = { readonly json: boolean; readonly at: number | undefined };

/** `timeloom timeline reply`: prints the raw reply of the latest model call at or before a block. */
export async function reply(log: StoredConversation, { json, at }: Options): Promise<number> {
  const { call, text } = await replyAt(log, toSeq(at ?? log.row.head));
  if (json) {
    const { model, role, finish, usage } = isJsonObject(call.data) ? call.data : {};
    const facts = { seq: call.seq, turn: call.turn, model, role, finish, usage, text };
    process.stdout.write(`${JSON.stringify(facts)}\n`);
  } else process.stdout.write(process.stdout.isTTY ? `${escapeControl(text)}\n` : text);
  return 0;
}
