import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { createTool } from '../create-tool.ts';
import { pulledName } from '../workspace.ts';
import { type FoundFile, findFiles } from './find-files.ts';
import { pullPathsMax } from './limits.ts';

export const pullTool = createTool({
  id: 'react.pull',
  kind: 'control',
  traits: ['neutral'],
  description:
    'Makes files of earlier turns (or conversations) available to programs and to react.rg, read-only, as turn_<id>/outputs/…, turn_<id>/files/… or turn_<id>/attachments/… under OUTPUT_DIR. ' +
    'Files of this turn are there already. A path that ends in / pulls all files beneath it.',
  input: z.object({
    paths: z
      .array(z.string())
      .min(1)
      .max(pullPathsMax)
      .describe('fi:<turn>.files/… fi:<turn>.outputs/… fi:<turn>.user.attachments/…'),
  }),
  run: async ({ paths }, context) => {
    const pulled: FoundFile[] = [];
    const missing: string[] = [];
    for (const path of paths) {
      const found = await findFiles(path, context);
      if (found.length === 0) missing.push(path);
      pulled.push(...found);
    }
    const files = pulled.slice(0, pullPathsMax).map((file) => ({
      path: file.path,
      available_as: file.turn === context.turn ? file.local : (pulledName(file.path) ?? file.local),
      size: file.blob.size,
    }));
    const left = pulled.length - files.length;
    const ret: Json = { pulled: files, missing, ...(left > 0 ? { left_out: left } : {}) };
    const { turn, call } = context;
    const data = { paths: files.map(({ path }) => path) };
    return {
      result: { ok: true, ret },
      blocks:
        files.length > 0 ? [{ turn, call, type: 'workspace.pull', author: 'tool', data }] : [],
    };
  },
});
