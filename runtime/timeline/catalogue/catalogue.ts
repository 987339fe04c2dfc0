import { z } from 'zod';
import type { Block } from '../block.ts';
import { compactSchemas } from './compact-schemas.ts';
import { type Entry, entry, turnPath } from './entry.ts';
import { toolSchemas } from './tool-schemas.ts';
import { turnSchemas } from './turn-schemas.ts';
import { viewSchemas } from './view-schemas.ts';
import { waitSchemas } from './wait-schemas.ts';

/** What this program understands. A block whose `meta.needs` is higher asks for a newer one. */
const catalogueVersion = 1;

/** One entry per block type; a new type is a new entry and nothing else. */
const entries = {
  ...turnSchemas,
  ...toolSchemas,
  ...waitSchemas,
  ...viewSchemas,
  ...compactSchemas,
};
type BlockType = keyof typeof entries;
type DataOf<Type extends BlockType> = z.infer<(typeof entries)[Type]['data']>;

/** Every `external.<kind>` that no entry names: bundles declare their own kinds. */
const anyEvent = entry({
  data: z.looseObject({ payload: z.json().optional() }),
  path: turnPath('ar', /^external\.[\w.-]+\.[^.]+$/),
  policy: { render: 'event', prune: 'keep', compact: 'digest', preserve: true },
});

const known = new Map<string, Entry>(Object.entries(entries));

/** Undefined: a type of another version. It is kept, passed by, and shown to nobody. */
export function entryOf(type: string): Entry | undefined {
  return known.get(type) ?? (type.startsWith('external.') ? anyEvent : undefined);
}

/** The data of a block of this type; undefined where it does not fit, so that no block can break a fold. */
export function dataOf<Type extends BlockType>(
  type: Type,
  block: Pick<Block, 'data'>,
): DataOf<Type> | undefined;
export function dataOf(type: BlockType, block: Pick<Block, 'data'>): unknown {
  const parsed = entries[type].data.safeParse(block.data);
  return parsed.success ? parsed.data : undefined;
}

/** False for a block that only a newer program may interpret; a worker that meets one leaves the conversation alone. */
export function understands(block: Pick<Block, 'meta'>): boolean {
  const needs = block.meta['needs'];
  return typeof needs !== 'number' || needs <= catalogueVersion;
}
