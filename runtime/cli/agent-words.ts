import { z } from 'zod';
import { modelProviders } from '../adapters/models/open-models.ts';
import type { AgentOptions, ModelRef } from '../sdk/agent.ts';

const count = z.int().positive();

/** `provider:model`, as everywhere a model is named. */
const modelRef: z.ZodType<ModelRef> = z.templateLiteral(
  [z.enum(modelProviders), ':', z.string().min(1)],
  `it is not one of ${modelProviders.map((provider) => `${provider}:<name>`).join(', ')}`,
);

export const models = z.partialRecord(
  z.enum(['decision', 'answer', 'summary', 'selection', 'small']),
  modelRef,
);

/** The words of defineAgent as YAML says them: in snake_case like every descriptor, or as in TypeScript. */
export const agentWords: z.ZodType<AgentOptions> = words({
  models: models.exactOptional(),
  protocol: z.enum(['auto', 'channels', 'native-tools', 'json', 'plain']).exactOptional(),
  answer: z.enum(['inline', 'synthesize', 'auto']).exactOptional(),
  budgets: words({
    rounds: count.exactOptional(),
    tokens: count.exactOptional(),
    costUsd: z.number().positive().exactOptional(),
    wallMs: count.exactOptional(),
    actionsPerRound: count.exactOptional(),
  }).exactOptional(),
  policies: words({
    multiAction: z.enum(['off', 'safe_fanout']).exactOptional(),
    malformed: z.enum(['degrade', 'fail']).exactOptional(),
    toolFailure: z.enum(['continue', 'fail']).exactOptional(),
    exhausted: z.enum(['finalize', 'close']).exactOptional(),
    hiddenTool: z.enum(['refuse', 'allow']).exactOptional(),
  }).exactOptional(),
  context: words({
    maxTokens: count.exactOptional(),
    recentTurns: count.exactOptional(),
    intactTurns: count.exactOptional(),
    ttlMs: count.exactOptional(),
  }).exactOptional(),
  exec: words({
    languages: z.array(z.enum(['python', 'javascript'])).exactOptional(),
    timeoutMs: count.exactOptional(),
    memoryMb: count.exactOptional(),
    fileMb: count.exactOptional(),
  }).exactOptional(),
});

/** Checked as it was written, so that a complaint names the author's own spelling; handed on in camelCase. */
function words<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  const spelled = Object.fromEntries(
    Object.entries(shape).flatMap(([word, schema]) => [
      [word, schema],
      [toSnake(word), schema],
    ]),
  );
  return z
    .strictObject(spelled)
    .transform((said, context) => {
      const entries = Object.entries(said).map(([word, value]) => [toCamel(word), value] as const);
      const names = entries.map(([word]) => word);
      const twice = names.find((word, index) => names.indexOf(word) !== index);
      if (twice !== undefined) context.addIssue(`${twice} is said twice, in both spellings`);
      return Object.fromEntries(entries);
    })
    .pipe(z.strictObject(shape));
}

function toSnake(word: string): string {
  return word.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCamel(word: string): string {
  return word.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
