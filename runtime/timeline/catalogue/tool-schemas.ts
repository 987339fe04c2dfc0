import { z } from 'zod';
import { entry, type Policy, pathless, silent, storedJson, turnPath } from './entry.ts';

const work: Policy = { render: 'call', prune: 'stub', compact: 'digest', preserve: false };

/** An image or document that a result adds to the prompt. */
const attached = z.object({
  path: z.string(),
  mime: z.string(),
  blob: z.object({ hash: z.string(), size: z.number() }),
  tokens: z.number(),
});

const admission = z.discriminatedUnion('ok', [
  z.looseObject({ ok: z.literal(true) }),
  z.looseObject({
    ok: z.literal(false),
    error: z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() }),
  }),
]);

/** Tool calls, their results and the files they create. */
export const toolSchemas = {
  'react.tool.call': entry({
    data: z.looseObject({
      tool: z.string(),
      input: z.record(z.string(), storedJson),
      effects: z.enum(['none', 'keyed', 'unkeyed']).optional(),
      /** The verdict of the guards, if there are any; they are not called again. */
      admission: admission.optional(),
    }),
    path: turnPath('tc', /^[\w-]+\.call$/),
    policy: work,
  }),
  'react.tool.progress': entry({ data: storedJson.optional(), path: pathless, policy: silent }),
  'react.tool.result': entry({
    data: z.looseObject({
      ok: z.boolean(),
      ret: storedJson.optional(),
      error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
      attached: z.array(attached).optional(),
      program_calls: z.record(z.string(), z.number()).optional(),
    }),
    path: turnPath('tc', /^[\w-]+\.result$/),
    policy: { ...work, render: 'result' },
  }),
  'react.code': entry({
    data: z.looseObject({ language: z.string() }),
    path: turnPath('fi', /^code\.[\w-]+$/),
    policy: { ...work, render: 'code', compact: 'drop' },
  }),
  canvas: entry({
    data: z.looseObject({
      name: z.string(),
      title: z.string().optional(),
      file: z.string().optional(),
    }),
    path: turnPath('ar', /^canvas\..+$/s),
    policy: { ...work, render: 'canvas' },
  }),
  'artifact.file': entry({
    data: z.looseObject({
      filename: z.string(),
      size: z.number(),
      visibility: z.enum(['external', 'internal']).optional(),
      description: z.string().optional(),
    }),
    path: turnPath('fi', /^(outputs|files)\/.+$/s),
    policy: { ...work, render: 'file' },
  }),
  'react.notice': entry({
    data: z.looseObject({ code: z.string() }),
    path: (path) => noticeOfTurn(path) || noticeOfCall(path),
    policy: { render: 'notice', prune: 'drop', compact: 'drop', preserve: false },
  }),
};

const noticeOfTurn = turnPath('ar', /^react\.notice\.\d+$/);
const noticeOfCall = turnPath('tc', /^[\w-]+\.notice$/);
