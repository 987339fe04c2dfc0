import { isFault } from '../../../base/fault.ts';
import { type Log, silentLog } from '../../../base/log.ts';
import type {
  FailedModel,
  Model,
  ModelAbilities,
  ModelEvent,
} from '../../../engine/ports/model.ts';
import { modelRestMs, modelSilentMs } from './limits.ts';
import { isLasting } from './model-faults.ts';

type Options = {
  /** Gets a line each time the first model fails and begins to rest. */
  readonly log?: Log;
  /** A monotonic time in milliseconds. */
  readonly now?: () => number;
};

/**
 * A model with another one that answers while the first is overloaded, cannot be reached or falls silent, or rejects every
 * request: its key, its account or its name is wrong, or its quota is used up. After such a
 * failure the first model rests: requests go to the other one, also the retry of a reply that broke off in the middle.
 * `done` says which one answered, and instead of which.
 */
export function withFallback(
  first: Model,
  other: Model,
  { now = () => performance.now(), log = silentLog }: Options = {},
): Model {
  const otherNames = new Set([other.id]);
  let restsUntil = -Infinity;
  let cause: FailedModel = { model: first.id, code: 'MODEL_UNREACHABLE' };
  const rest = (error: unknown) => {
    restsUntil = now() + modelRestMs;
    cause = { model: first.id, code: isFault(error) ? error.code : 'MODEL_UNREACHABLE' };
    log.warn('a model failed, and its fallback answers', { ...cause, fallback: other.id, error });
  };
  async function* fromOther(...call: Parameters<Model['stream']>): AsyncGenerator<ModelEvent> {
    for await (const event of other.stream(...call)) {
      if ('model' in event) otherNames.add(event.model);
      yield event.kind === 'done' || event.kind === 'begun'
        ? { ...event, insteadOf: cause }
        : event;
    }
  }
  return {
    id: first.id,
    contextTokens: Math.min(first.contextTokens, other.contextTokens),
    ...smallerOutput(first, other),
    ...commonAbilities(first, other),
    ...(first.protocol === undefined ? {} : { protocol: first.protocol }),
    ...(first.promptForm === undefined ? {} : { promptForm: first.promptForm }),
    ...(first.protocol === undefined ? {} : { protocol: first.protocol }),
    costUsd: (usage, answeredBy = first.id) =>
      otherNames.has(answeredBy)
        ? other.costUsd(usage, answeredBy)
        : first.costUsd(usage, answeredBy),
    async *stream(request, options) {
      if (now() < restsUntil) return yield* fromOther(request, options);
      const heard = new Hearing(now);
      try {
        yield* heard.follow(first.stream(request, options));
      } catch (error) {
        if (!heard.failed(error, options.signal)) throw error;
        rest(error);
        if (heard.anything || options.signal.aborted) throw error;
        yield* fromOther(request, options);
      }
    },
  };
}

/** What was heard of a reply, and when. */
class Hearing {
  readonly #now: () => number;
  #lastMs: number;
  anything = false;

  constructor(now: () => number) {
    this.#now = now;
    this.#lastMs = now();
  }

  async *follow(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    for await (const event of events) {
      this.#lastMs = this.#now();
      this.anything ||= event.kind !== 'begun';
      yield event;
    }
  }

  /** Whether the model failed, and not the request or its reader. A silent model is stopped by its reader. */
  failed(error: unknown, signal: AbortSignal): boolean {
    if (signal.aborted) return this.#now() - this.#lastMs >= modelSilentMs;
    return isFault(error) && (error.kind === 'transient' || isLasting(error));
  }
}

function smallerOutput(first: Model, other: Model): Pick<Model, 'maxOutputTokens'> {
  const limits = [first, other].flatMap(({ maxOutputTokens: max }) =>
    max === undefined ? [] : [max],
  );
  return limits.length > 0 ? { maxOutputTokens: Math.min(...limits) } : {};
}

/** A prompt has to suit both. */
function commonAbilities(first: Model, other: Model): Pick<Model, 'abilities'> {
  const [one, two] = [first.abilities, other.abilities];
  if (!one || !two) return {};
  const both = (ability: keyof ModelAbilities) => one[ability] && two[ability];
  const abilities = {
    tools: both('tools'),
    forcedChoice: both('forcedChoice'),
    json: both('json'),
  };
  return { abilities };
}
