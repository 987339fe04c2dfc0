import { z } from 'zod';
import type { Block } from '../block.ts';
import { compactSchemas } from './compact-schemas.ts';
import { type Entry, entry, storedJson, turnPath } from './entry.ts';
import { toolSchemas } from './tool-schemas.ts';
import { turnSchemas } from './turn-schemas.ts';
import { viewSchemas } from './view-schemas.ts';
import { waitSchemas } from './wait-schemas.ts';

/** The version that this program understands. A block with a higher `meta.needs` requires a newer program. */
const catalogueVersion = 1;

/** One entry per block type; a new type needs only a new entry. */
const entries = {
  ...turnSchemas,
  ...toolSchemas,
  ...waitSchemas,
  ...viewSchemas,
  ...compactSchemas,
};
type BlockType = keyof typeof entries;
/** The data of a block of this type. */
export type DataOf<Type extends BlockType> = z.infer<(typeof entries)[Type]['data']>;

/** Every `external.<kind>` without its own entry: bundles declare their own kinds. */
const anyEvent = entry({
  data: z.looseObject({ payload: storedJson.optional() }),
  path: turnPath('ar', /^external\.[\w.-]+\.[^.]+$/),
  policy: { render: 'event', prune: 'keep', compact: 'digest', preserve: true },
});

const known = new Map<string, Entry>(Object.entries(entries));

/** Undefined: a type of another version. Such blocks are kept but ignored and never shown. */
export function entryOf(type: string): Entry | undefined {
  return known.get(type) ?? (type.startsWith('external.') ? anyEvent : undefined);
}

/** The data of a block of this type; undefined if it does not match the schema, so no block can break a fold. */
export function dataOf<Type extends BlockType>(
  type: Type,
  block: Pick<Block, 'data'>,
): DataOf<Type> | undefined;
export function dataOf(type: BlockType, block: Pick<Block, 'data'>): unknown {
  const parsed = known.get(type)?.data.safeParse(block.data);
  return parsed?.success ? parsed.data : undefined;
}

/** False for a block that only a newer program may interpret; a worker that finds one does not touch the conversation. */
export function understands(block: Pick<Block, 'meta'>): boolean {
  const needs = block.meta['needs'];
  return typeof needs !== 'number' || needs <= catalogueVersion;
}
