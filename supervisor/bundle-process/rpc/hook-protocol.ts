import { z } from 'zod';
import { hookPoints } from '../../../runtime/sdk/compile/validate/hook-points.ts';
import type { HookOutcome, HookPoint } from '../../../runtime/sdk/contract/runtime-hooks.ts';
import { method } from './peer.ts';
import { AnyJson, Call, Occasion, Question, ToolFailure } from './rpc-protocol.ts';

/** The call or event for which hooks run. */
const Site = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('call'), agent: z.string(), occasion: Occasion }),
  z.strictObject({
    kind: z.literal('event'),
    user: z.string(),
    conversation: z.string().exactOptional(),
    agent: z.string().exactOptional(),
  }),
]);

const HookRun = z.strictObject({
  call: Call,
  point: z.custom<HookPoint>((point) => hookPoints.some((known) => known === point)),
  subject: AnyJson,
  site: Site,
});
export type HookRun = z.infer<typeof HookRun>;

const HookResult: z.ZodType<HookOutcome> = z.strictObject({
  value: AnyJson,
  failed: z.array(z.string()),
  refusal: ToolFailure.exactOptional(),
  ask: Question.exactOptional(),
});

/** Runs all hooks of one point in a process, in their order. */
export const hookMethod = method('hook', HookRun, HookResult);
