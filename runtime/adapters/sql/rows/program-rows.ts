import { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import { parseJson } from '../../../base/json.ts';
import type { ProgramCall } from '../../../timeline/ports/store.ts';

const Row = z.object({ body: z.string(), outcome: z.string().nullable() });
const Body = z.object({
  id: z.string(),
  tool: z.string(),
  key: z.string(),
  effects: z.enum(['none', 'keyed', 'unkeyed']),
  input: z.string().exactOptional(),
});

/** A call as JSON text; its outcome has a separate column. */
export function toProgramBody({ outcome: _, ...call }: ProgramCall): string {
  return JSON.stringify(call);
}

/** Fault `STORED_INVALID` for a row that does not match the schema. */
export function toProgramCall(row: unknown): ProgramCall {
  const { body, outcome } = Row.parse(row);
  const parsed = Body.safeParse(parseJson(body));
  if (!parsed.success)
    throw new Fault('STORED_INVALID', { type: 'program_call' }, { cause: parsed.error });
  return { ...parsed.data, ...(outcome === null ? {} : { outcome }) };
}
