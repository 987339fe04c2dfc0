import { z } from 'zod';
import { reactions } from '../feedback.ts';
import { entry, pathless, silent, turnPath } from './entry.ts';
import { planSchema, sourceSchema } from './view-schemas.ts';

const tokens = z.int().min(0);
const rows = z
  .array(z.object({ ref: z.string(), text: z.string(), failed: z.literal(true).exactOptional() }))
  .readonly();

const kept = z.object({
  summary: z.string(),
  count: z.int().min(1),
  since: z.string(),
  until: z.string(),
  turns: rows,
  events: rows,
  notes: rows,
  files: rows,
  /** A memory may tell of none. */
  skills: rows.default([]),
  results: rows,
  earlier: rows,
  /** By list: rows that were left out; a memory may not say. */
  more: z.record(z.string(), z.int().min(0)).readonly().exactOptional(),
});

/** The accumulators of a fold, whole: at a compaction they are set to this, whatever a reader has folded before. */
export const stateSchema = z.object({
  /** Ids of the turns before the window, in order, so that turns keep their numbers; a compaction may not say. */
  turns: z.array(z.string()).exactOptional(),
  /** Absent: no turn has been taken away yet. `path` and `seq` of a memory made by this very block are its own. */
  memory: z
    .object({
      text: z.string(),
      kept,
      path: z.string().exactOptional(),
      seq: z.int().exactOptional(),
    })
    .exactOptional(),
  covered: z.array(z.object({ turn: z.string(), rounds: z.int().min(1), text: z.string() })),
  plans: z.array(planSchema),
  sources: z.array(sourceSchema.extend({ cut: z.literal(true).exactOptional() })),
  hidden: z.array(z.object({ path: z.string(), text: z.string() })),
  pruned: z.array(z.object({ turn: z.string(), text: z.string() })),
  pulled: z.array(z.string()),
  standing: z.array(z.object({ tool: z.string(), allowed: z.boolean() })),
  /** A compaction of before there was any does not say. */
  feedback: z
    .array(
      z.object({
        path: z.string(),
        seq: z.int(),
        turn: z.string(),
        reaction: z.enum(reactions),
        text: z.string(),
      }),
    )
    .default([]),
});

/** Why a prompt is made smaller: it would pass its limit, the provider refused it, or its replies no longer fit. */
export const compactCauses = ['limit', 'overflow', 'violations'] as const;

/** What makes a long conversation fit: begun, done, ended. */
export const compactSchemas = {
  'compact.open': entry({
    data: z.looseObject({ cause: z.enum(compactCauses), forced: z.boolean(), tokens }),
    path: pathless,
    policy: silent,
  }),
  'view.compact': entry({
    data: z.looseObject({
      cause: z.enum(compactCauses),
      /** Seq of the `turn.open` of the first turn that stays. */
      window: z.int().min(1),
      /** What this compaction took away: whole turns, and the first rounds of the open one. */
      covers: z.looseObject({ turns: z.int().min(0), rounds: z.int().min(0) }),
      state: stateSchema,
      tokens_before: tokens,
      tokens_after: tokens,
    }),
    path: turnPath('su', /^conv\.range\.summary(\.\d+)?$/),
    policy: silent,
    breaksPrefix: true,
  }),
  'compact.close': entry({
    data: z.looseObject({
      status: z.enum(['completed', 'skipped', 'error']),
      reason: z.string().optional(),
      tokens_before: tokens,
      tokens_after: tokens,
    }),
    path: pathless,
    policy: silent,
  }),
};
