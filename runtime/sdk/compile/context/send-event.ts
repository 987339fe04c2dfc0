import type { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { EventKind } from '../../contract/runtime-bundle.ts';
import type { Context, Ids, Sent } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { EventDefinition } from '../../define/keys.ts';
import type { BundleEvents, EventToSend, LoadedBundle } from '../host/bundle-host.ts';
import { toJson } from '../validate/zod-schema.ts';

type RequestOptions = { readonly ids: Ids; readonly signal: AbortSignal };
type EventTarget = {
  readonly conversation: string;
  readonly payload: unknown;
  readonly messageId?: string;
};

/** `ctx.events.send`. Faults `NOT_IN_BUNDLE`, `NOT_AVAILABLE`. */
export async function sendEvent(
  loaded: LoadedBundle,
  asked: RequestOptions & { readonly event: EventDefinition<z.ZodType>; readonly to: EventTarget },
): Promise<Sent> {
  const { event, to, ...asking } = asked;
  const { conversation, payload, messageId } = to;
  if (!isDefinition('event', event) || !loaded.definition.events?.includes(event)) {
    throw new Fault('NOT_IN_BUNDLE', { because: `event ${event.kind}` });
  }
  return bundleEvents(loaded).send(
    {
      ...{ kind: eventKind(loaded, event.kind), given: toJson(payload), conversation },
      agent: firstAgent(loaded),
      ...admission(loaded),
      ...(messageId === undefined ? {} : { messageId }),
    },
    asking,
  );
}

/** `ctx.conversations.open`. Fault `NOT_AVAILABLE`, also for an agent other than the one that would answer. */
export async function openConversation(
  loaded: LoadedBundle,
  {
    asked: { agent, ...asked },
    ...asking
  }: RequestOptions & { readonly asked: Parameters<Context['conversations']['open']>[0] },
): Promise<{ readonly id: string }> {
  if (agent !== undefined && agent !== firstAgent(loaded)) {
    throw new Fault('NOT_AVAILABLE', {
      because: 'an agent other than the first agent of the bundle',
    });
  }
  return bundleEvents(loaded).open(asked, asking);
}

type Giving = {
  readonly ids: Ids;
  readonly signal: AbortSignal;
  readonly entry: Parameters<Context['feedback']>[0];
};

/** `ctx.feedback`. Fault `NOT_AVAILABLE`. */
export async function giveFeedback(
  loaded: LoadedBundle,
  { entry, ids, signal }: Giving,
): Promise<void> {
  const { conversation = ids.conversation, turn = ids.turn, text, ...rest } = entry;
  if (conversation === undefined || turn === undefined) {
    const message = 'outside a turn, feedback has to name its conversation and turn';
    throw new Refusal('invalid_input', message);
  }
  const said = text === undefined ? {} : { text: loaded.mask.text(text) };
  await bundleEvents(loaded).feedback({ ...rest, ...said, conversation, turn }, { ids, signal });
}

/** `ctx.tasks`. Fault `NOT_AVAILABLE`. */
export function taskFunctions(loaded: LoadedBundle, asking: RequestOptions): Context['tasks'] {
  const placeOf = (conversation = asking.ids.conversation) => {
    if (conversation !== undefined) return { conversation };
    const message = 'outside a conversation, a task has to be named with its conversation';
    throw new Refusal('invalid_input', message);
  };
  return {
    finish: async ({ task, conversation, ...ending }) => {
      const place = { task, ...placeOf(conversation) };
      const said =
        'ret' in ending ? { ret: toJson(ending.ret) } : { error: loaded.mask.text(ending.error) };
      const state = await bundleEvents(loaded).finish({ ...place, ...said }, asking);
      return state === 'running' ? 'finished' : state;
    },
    state: async ({ task, conversation }) =>
      bundleEvents(loaded).taskState({ task, ...placeOf(conversation) }, asking),
  };
}

/** Fault `NOT_IN_BUNDLE`. */
export function eventKind({ kinds }: LoadedBundle, name: string): EventKind {
  const found = kinds.find(({ kind }) => kind === name);
  if (found) return found;
  throw new Fault('NOT_IN_BUNDLE', { because: `event ${name}` });
}

/** The agent that answers an event that opens a turn: the bundle's first. */
export function firstAgent({ definition }: LoadedBundle): string {
  const [first] = definition.agents ?? [];
  if (first) return first.id;
  throw new Refusal('not_found', `bundle “${definition.id}” has no agent`);
}

/** The bundle's event hooks, which also apply to its own events. */
export function admission({
  eventHooks: { admitEvent },
}: LoadedBundle): Pick<EventToSend, 'admit'> {
  return admitEvent ? { admit: admitEvent } : {};
}

/** Fault `NOT_AVAILABLE`. */
export function bundleEvents({ host }: LoadedBundle): BundleEvents {
  if (host.events) return host.events;
  throw new Fault('NOT_AVAILABLE', { because: 'ctx.events and ctx.conversations' });
}
