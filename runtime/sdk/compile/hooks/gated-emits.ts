import { untilAborted, Work } from '../../../base/signal.ts';
import type { TurnServices } from '../../../tools/ports/call-services.ts';
import type { CallContext } from '../../../tools/ports/tool.ts';
import { emittedWaitingMax, emittedWaitMs } from '../../contract/limits.ts';
import type { HookRunner, HookSite } from '../../contract/runtime-hooks.ts';

type Home = { readonly hooks: HookRunner; readonly agent: string };

type Gate = {
  readonly services: TurnServices;
  /** Resolves when every emitted event is shown or dropped. */
  settle(): Promise<void>;
};

/** `emit` still returns immediately. Emitted events are shown in order, each after its guards have allowed it. */
export function gateEmits({ hooks, agent }: Home, context: CallContext): Gate {
  const { services } = context;
  const site: HookSite = { kind: 'call', call: context, agent };
  let waitingCount = 0;
  let last: Promise<void> = Promise.resolve();
  const show = async (type: string, data: Parameters<TurnServices['emit']>[1]) => {
    const { refusal, failed } = await hooks.run('guard.emit', { type, data }, site);
    if (failed.length > 0) services.notice('hook_failed', failed.join(' '));
    if (!refusal) services.emit(type, data);
  };
  const emit: TurnServices['emit'] = (type, data) => {
    if (waitingCount >= emittedWaitingMax) {
      services.notice(
        'live_limit',
        `More than ${emittedWaitingMax} emitted events were waiting at once.`,
      );
      return;
    }
    waitingCount += 1;
    // Events that were stopped, or emitted after the call, are not shown.
    last = last
      .then(() => show(type, data))
      .catch(() => undefined)
      .finally(() => {
        waitingCount -= 1;
      });
  };
  return {
    services: withEmit(services, emit),
    settle: async () => {
      using waiting = new Work(context.signal, { deadlineMs: emittedWaitMs });
      await untilAborted(last, waiting.signal).catch(() => undefined);
    },
  };
}

/** The same services with another `emit`. They may be a class instance, so nothing is copied. */
function withEmit(services: TurnServices, emit: TurnServices['emit']): TurnServices {
  return new Proxy(services, {
    get: (target, name) => {
      if (name === 'emit') return emit;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
