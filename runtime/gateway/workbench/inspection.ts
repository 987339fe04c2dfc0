import type { Context } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { RateLimit } from '../input/rate-limit.ts';
import { findInspected } from './access.ts';
import { inspectionsPerMinuteMax } from './log/limits.ts';
import { type InspectedLog, LogCache } from './log/log-cache.ts';

/** The path of all conversations, and of one. */
export const projectPath = '/inspect/:tenant/:project';
export const conversationPath = `${projectPath}/:conversation`;

/** What the routes of the workbench share. */
export type Inspection = {
  readonly parts: HttpParts;
  /** Counts a request of the sender. Refusal `busy`. */
  admit(context: Context<Env>): void;
  /** The conversation in the path, with its whole log. Refusals `not_found` and `busy`. */
  open(context: Context<Env>, user: string | undefined): Promise<InspectedLog>;
};

export function createInspection(parts: HttpParts): Inspection {
  const { deps, closing } = parts;
  const logs = new LogCache(deps, closing);
  const rate = new RateLimit(deps.clock, { perMinute: inspectionsPerMinuteMax }, 'inspections');
  const admit = (context: Context<Env>) => {
    const { tenant, project, user } = context.get('sender');
    rate.consume(JSON.stringify([tenant, project, user]));
  };
  return {
    parts,
    admit,
    open: async (context, user) => {
      admit(context);
      return await logs.open(await findInspected(context, parts, user));
    },
  };
}

/** The number of a block in the path. Refusal `invalid_input`. */
export function seqOf(context: Context<Env>): number {
  const text = context.req.param('seq') ?? '';
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Refusal('invalid_input', 'the number of a block must be a positive integer');
}
