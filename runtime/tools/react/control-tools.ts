import type { Tool } from '../tool.ts';
import { checkoutTool } from './checkout.ts';
import { hideTool } from './hide.ts';
import { memsearchTool } from './memsearch.ts';
import { patchTool } from './patch.ts';
import { planTool } from './plan.ts';
import { pullTool } from './pull.ts';
import { readTool } from './read.ts';
import { rgTool } from './rg.ts';
import { writeTool } from './write.ts';

/** What every agent can do with its own timeline and files. */
export const controlTools: readonly Tool[] = [
  readTool,
  writeTool,
  patchTool,
  planTool,
  memsearchTool,
  hideTool,
  rgTool,
  pullTool,
  checkoutTool,
];
