import { isJsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import type { StoredConversation } from './open-conversation.ts';
import { textOf } from './render-command.ts';

type Options = { readonly json: boolean; readonly at: number | undefined };

/** `timeloom timeline reply`: prints the raw reply of the latest model call at or before a block. */
export async function reply(log: StoredConversation, { json, at }: Options): Promise<number> {
  const { blocks, row } = log;
  const last = at ?? row.head;
  const call = blocks.findLast(
    ({ seq, type, blob }) => seq <= last && type === 'model.call' && blob,
  );
  if (!call?.blob)
    throw new Refusal('not_found', `no reply is recorded at or before block ${last}`);
  const text = await textOf(log, call.blob.hash);
  if (json) {
    const { model, role, finish, usage } = isJsonObject(call.data) ? call.data : {};
    const facts = { seq: call.seq, turn: call.turn, model, role, finish, usage, text };
    process.stdout.write(`${JSON.stringify(facts)}\n`);
  } else process.stdout.write(process.stdout.isTTY ? `${escapeControl(text)}\n` : text);
  return 0;
}
