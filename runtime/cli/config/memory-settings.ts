import { z } from 'zod';
import type { Mem0Settings } from '../../adapters/facts/mem0.ts';
import type { Retention } from '../../engine/background/delete-idle.ts';
import { Agents } from './agents/agent-programs.ts';
import { Web } from './web-settings.ts';

/** `memory` of assembly.yaml: where the facts of the long-term memory are kept. Absent: in the database. */
const Memory = z.strictObject({
  server: z.literal('mem0'),
  url: z.url({ protocol: /^https?$/, error: 'an address with https:// or http://' }),
  /** Whether the server extracts facts from turns with its own model. */
  infer: z.boolean().default(true),
});

/** Keys of assembly.yaml for services of others that this installation uses. */
export const serviceKeys = {
  web: Web.optional(),
  memory: Memory.optional(),
  agents: Agents.optional(),
};

/** Days without activity after which conversations are deleted. */
export const RetentionRule = z.strictObject({ days: z.int().positive() });

/** Undefined: the database. */
export type MemoryConfig = Mem0Settings | undefined;

export function toMemory(
  settings: z.infer<typeof Memory> | undefined,
  secret: (name: string) => string | undefined,
): MemoryConfig {
  if (settings === undefined) return undefined;
  const { url, infer } = settings;
  return { url, infer, key: secret('MEM0_API_KEY') };
}

type Rule = z.infer<typeof RetentionRule> | undefined;

/** Undefined: no rule at all. */
export function toRetention(
  rule: Rule,
  bundles: readonly { readonly id: string; readonly retention?: Rule }[],
): Retention | undefined {
  const own = bundles.flatMap(({ id, retention }) =>
    retention ? [[id, retention.days] as const] : [],
  );
  if (!rule && own.length === 0) return undefined;
  return { days: rule?.days, bundles: Object.fromEntries(own) };
}
