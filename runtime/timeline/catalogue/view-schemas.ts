import { z } from 'zod';
import { turnIdSchema } from '../ids.ts';
import { sourceFacts } from '../source-facts.ts';
import { entry, pathless, silent, turnPath } from './entry.ts';

const status = z.enum(['pending', 'in_progress', 'done', 'failed']);

export const planSchema = z.object({
  plan_id: z.string(),
  steps: z.array(z.string()).readonly(),
  status: z.record(z.string(), status).readonly(),
  current: z.boolean(),
  created_ts: z.string(),
  last_ts: z.string(),
  origin_turn_id: turnIdSchema,
  last_turn_id: turnIdSchema,
  closed_ts: z.string().exactOptional(),
  closed_turn_id: turnIdSchema.exactOptional(),
  superseded_ts: z.string().exactOptional(),
  superseded_turn_id: turnIdSchema.exactOptional(),
  superseded_by_plan_id: z.string().exactOptional(),
  last_ack_turn_id: turnIdSchema.exactOptional(),
  last_ack_ts: z.string().exactOptional(),
});

export const sourceSchema = z.object({
  sid: z.int().min(1),
  title: z.string(),
  url: z.string(),
  text: z.string().exactOptional(),
  ...sourceFacts,
});

/** Why the part of a prompt above its tail may differ from the previous prompt. */
export const cacheCauses = [
  'hide',
  'unhide',
  'prune',
  'compact',
  'catalogue',
  'instruction',
  'model',
  'protocol',
  'renderer',
  'form',
  'images',
  'forget',
] as const;
export type CacheCause = (typeof cacheCauses)[number];

/** Changes of the view: plans, sources, hidden and pulled paths. */
export const viewSchemas = {
  'react.plan': entry({
    data: planSchema,
    path: turnPath('ar', /^react\.plan\..+$/s),
    policy: silent,
  }),
  'react.plan.ack': entry({
    data: z.looseObject({ plan_id: z.string(), changes: z.record(z.string(), status) }),
    path: pathless,
    policy: silent,
  }),
  'source.row': entry({
    data: sourceSchema,
    path: (path) => /^so:sources_pool\[\d+\]$/.test(path ?? ''),
    policy: { ...silent, render: 'source' },
  }),
  'view.hide': entry({
    data: z.looseObject({ path: z.string(), replacement: z.string() }),
    path: pathless,
    policy: silent,
    breaksPrefix: true,
  }),
  'view.unhide': entry({
    data: z.looseObject({ path: z.string(), cause: z.string().optional() }),
    path: pathless,
    policy: silent,
    breaksPrefix: true,
  }),
  'view.prune': entry({
    data: z.looseObject({
      cause: z.string(),
      turns: z.array(z.object({ turn: turnIdSchema, text: z.string() })),
      paths: z.array(z.object({ path: z.string(), text: z.string() })),
      tokens_before: z.int().min(0),
      tokens_after: z.int().min(0),
    }),
    path: pathless,
    policy: silent,
    breaksPrefix: true,
  }),
  /** A model is asked to choose tools for the turn. It reads the blocks up to `as_of`. */
  'tools.selection': entry({
    data: z.looseObject({ agent: z.string(), as_of: z.int().min(0), of: z.int().min(1) }),
    path: pathless,
    policy: silent,
  }),
  /** Groups that an agent switches on or off, and the tools chosen for its turn. Its text describes tools that are new. */
  'tools.visibility': entry({
    data: z.looseObject({
      agent: z.string(),
      mode: z.enum(['set', 'add']),
      groups: z.array(z.string()).exactOptional(),
      tools: z.array(z.string()).exactOptional(),
      reason: z.string(),
      /** Tools that this block or the result of its call describes. */
      described: z.array(z.string()).exactOptional(),
    }),
    path: pathless,
    policy: { ...silent, render: 'tools' },
  }),
  /** Facts of the long-term memory that suit the turn: ANNOUNCE shows those that still exist. */
  'memory.recalled': entry({
    data: z.looseObject({
      facts: z.array(
        z.looseObject({ id: z.string(), text: z.string(), scope: z.string(), at: z.string() }),
      ),
      /** Why there are none: the code of a fault. */
      failed: z.string().exactOptional(),
    }),
    path: pathless,
    policy: silent,
  }),
  'workspace.pull': entry({
    data: z.looseObject({ paths: z.array(z.string()) }),
    path: pathless,
    policy: silent,
  }),
  'cache.break': entry({
    data: z.looseObject({
      cause: z.enum(cacheCauses),
      of: z.int().min(1).exactOptional(),
      tokens: z.int().min(0).exactOptional(),
    }),
    path: pathless,
    policy: silent,
  }),
};
