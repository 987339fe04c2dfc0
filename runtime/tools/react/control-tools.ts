import type { Tool } from '../ports/tool.ts';
import { hideTool } from './hide.ts';
import { memsearchTool } from './memsearch/memsearch.ts';
import { planTool } from './plan.ts';
import { readTool } from './read/read.ts';
import { rgTool } from './rg/rg.ts';
import { switchTools } from './switch-tools.ts';
import { checkoutTool } from './workspace/checkout.ts';
import { pullTool } from './workspace/pull.ts';
import { patchTool } from './write/patch.ts';
import { writeTool } from './write/write.ts';

/** The tools of every agent for its own timeline and files. */
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
  switchTools,
];
