import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../base/json.ts';
import { contractDescriptionCharsMax, contractItemsMax, programNameCharsMax } from '../limits.ts';

const item = z.object({
  filepath: z.string().min(1).describe('outputs/<name> or files/<name>'),
  description: z.string().max(contractDescriptionCharsMax).default(''),
  visibility: z
    .enum(['external', 'internal'])
    .default('external')
    .describe('external: people get it'),
});
/** The input of a program call, besides the program itself. */
export const execInputSchema = z.object({
  contract: z
    .array(item)
    .max(contractItemsMax)
    .default([])
    .describe('files the program must leave'),
  prog_name: z.string().max(programNameCharsMax).optional().describe('the name shown to people'),
  timeout_s: z.number().positive().optional(),
});
export type ExecInput = z.output<typeof execInputSchema>;

/** Models also write `filename` for a contract file: both names are accepted, only `filepath` is documented. */
export function withFilepaths(input: JsonObject): JsonObject {
  const contract = listOf(input['contract']);
  if (contract === undefined) return input;
  return { ...input, contract: contract.map(withFilepath) };
}

function withFilepath(file: Json): Json {
  if (!isJsonObject(file) || file['filename'] === undefined) return file;
  const { filename, ...rest } = file;
  return { filepath: filename, ...rest };
}

/** Also accepts a list written as text. */
function listOf(contract: Json | undefined): readonly Json[] | undefined {
  const list: unknown = typeof contract === 'string' ? parseJson(contract) : contract;
  return Array.isArray(list) ? list : undefined;
}
