import { z } from 'zod';
import { reactions } from '../feedback.ts';
import { toSeq, turnIdSchema } from '../ids.ts';
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
  /** Older memories do not contain it. */
  skills: rows.default([]),
  results: rows,
  earlier: rows,
  /** By list: number of omitted rows; absent in older memories. */
  more: z.record(z.string(), z.int().min(0)).readonly().exactOptional(),
});

/** The complete accumulators of a fold. A compaction sets them to this state, whatever a reader has folded before. */
export const stateSchema = z.object({
  /** Ids of the turns before the window, in order, so that turns keep their numbers; absent in older compactions. */
  turns: z.array(turnIdSchema).exactOptional(),
  /** Absent: no turn has been removed yet. A memory without `path` and `seq` was created by this block and has the block's. */
  memory: z
    .object({
      text: z.string(),
      kept,
      path: z.string().exactOptional(),
      seq: z.int().transform(toSeq).exactOptional(),
    })
    .exactOptional(),
  covered: z.array(
    z.object({
      turn: turnIdSchema,
      rounds: z.int().min(1),
      text: z.string(),
      progress: z.string().exactOptional(),
    }),
  ),
  plans: z.array(planSchema),
  sources: z.array(sourceSchema.extend({ cut: z.literal(true).exactOptional() })),
  hidden: z.array(z.object({ path: z.string(), text: z.string() })),
  pruned: z.array(z.object({ turn: turnIdSchema, text: z.string() })),
  pulled: z.array(z.string()),
  standing: z.array(z.object({ tool: z.string(), allowed: z.boolean() })),
  /** By agent: the groups that are on and the tools chosen for a turn. Older compactions do not contain it. */
  visible: z
    .array(
      z.object({
        agent: z.string(),
        groups: z.array(z.string()),
        selection: z.object({ turn: z.string(), tools: z.array(z.string()) }).exactOptional(),
      }),
    )
    .default([]),
  /** Older compactions do not contain it. */
  feedback: z
    .array(
      z.object({
        path: z.string(),
        seq: z.int().transform(toSeq),
        turn: turnIdSchema,
        reaction: z.enum(reactions),
        text: z.string(),
        machine: z.object({ confidence: z.number() }).exactOptional(),
      }),
    )
    .default([]),
});

/** Why a prompt is compacted: it would exceed its limit, the provider refused it, or replies no longer fit. */
export const compactCauses = ['limit', 'overflow', 'violations'] as const;

/** Blocks of a compaction: its start, its result and its end. */
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
      /** What this compaction removed: whole turns, and the first rounds of the open turn. */
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
