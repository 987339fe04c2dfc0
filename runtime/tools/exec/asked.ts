import { z } from 'zod';
import { contractDescriptionCharsMax, contractItemsMax, programNameCharsMax } from './limits.ts';

const item = z.object({
  filepath: z.string().min(1).describe('outputs/<name>, or files/<name> in the workspace'),
  description: z.string().max(contractDescriptionCharsMax).default(''),
  visibility: z
    .enum(['external', 'internal'])
    .default('external')
    .describe('external: people get it'),
});
/** What the model says beside the program itself. */
export const askedSchema = z.object({
  contract: z
    .array(item)
    .max(contractItemsMax)
    .default([])
    .describe('the files the program must leave; empty: what it prints is the result'),
  prog_name: z.string().max(programNameCharsMax).optional().describe('what people see it called'),
  timeout_s: z.number().positive().optional().describe('seconds it may run'),
});
export type Asked = z.output<typeof askedSchema>;
