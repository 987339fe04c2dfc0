import { z } from 'zod';
import type { Json } from '../../../runtime/base/json.ts';
import type { TaskStatus } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type { Sent } from '../../../runtime/sdk/define/context.ts';
import { reactions } from '../../../runtime/timeline/feedback.ts';
import { method } from './peer.ts';

const AnyJson = z.custom<Json>((value) => value !== undefined);
const Text = z.string();
const Nothing = z.custom<void>(() => true);
/** Answers of the worker are trusted and not validated. */
const trust = <T>() => z.custom<T>(() => true);

/** Methods that a process calls for conversations: what a bundle does with them outside a call. */
export const conversationMethods = {
  send: method(
    'send_event',
    z.strictObject({
      kind: Text,
      given: AnyJson,
      conversation: Text,
      messageId: Text.exactOptional(),
    }),
    trust<Sent>(),
  ),
  feedback: method(
    'give_feedback',
    z.strictObject({
      ...{ conversation: Text, turn: Text, reaction: z.enum(reactions).nullable() },
      ...{ text: Text.exactOptional(), confidence: z.number().exactOptional() },
      ...{ name: Text.exactOptional(), messageId: Text.exactOptional() },
    }),
    Nothing,
  ),
  finish: method(
    'finish_task',
    z.strictObject({
      ...{ task: Text, conversation: Text },
      ...{ ret: AnyJson.exactOptional(), error: Text.exactOptional() },
    }),
    trust<TaskStatus>(),
  ),
  taskState: method(
    'task_state',
    z.strictObject({ task: Text, conversation: Text }),
    trust<TaskStatus>(),
  ),
  open: method(
    'open_conversation',
    z.strictObject({ user: Text, key: Text.exactOptional(), title: Text.exactOptional() }),
    z.strictObject({ id: Text }),
  ),
};
