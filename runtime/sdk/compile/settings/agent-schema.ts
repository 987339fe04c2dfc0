import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import { multiActions } from '../../../channels/reply/rules.ts';
import { memoryScopes } from '../../../tools/ports/long-term-memory.ts';
import {
  delegationDepthMax,
  memoryFactsMax,
  modelChoicesMax,
  repairsMax,
  sideBySideMax,
} from '../../contract/limits.ts';
import type { AgentOptions } from '../../define/agent.ts';
import {
  type ModelChoice,
  type ModelOptions,
  type ModelRef,
  modelProviders,
  modelRefForm,
  modelServers,
} from '../../define/model.ts';
import { modelProblems } from '../validate/model-problems.ts';

const count = z.int().positive();
const json: z.ZodType<Json> = z.json();

/** `provider:model`. */
const modelRef: z.ZodType<ModelRef> = z.templateLiteral(
  [z.enum(modelProviders), ':', z.string().min(1)],
  `must be ${modelRefForm}`,
);
const amount = z.number().min(0);
const modelOptions: z.ZodType<ModelOptions> = eitherCase({
  model: modelRef,
  maxOutputTokens: count.exactOptional(),
  api: z.enum(['chat', 'responses']).exactOptional(),
  server: z.enum(modelServers).exactOptional(),
  content: z.enum(['parts', 'string']).exactOptional(),
  temperature: z.number().exactOptional(),
  reasoningEffort: z.enum(['minimal', 'low', 'medium', 'high']).exactOptional(),
  contextTokens: count.exactOptional(),
  prices: eitherCase({
    input: amount,
    output: amount,
    cacheRead: amount.exactOptional(),
    cacheWrite: amount.exactOptional(),
  }).exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  body: z.record(z.string(), json).exactOptional(),
  abilities: eitherCase({
    tools: z.boolean().exactOptional(),
    forcedChoice: z.boolean().exactOptional(),
    json: z.boolean().exactOptional(),
  }).exactOptional(),
  protocol: z.enum(['channels', 'native-tools', 'json', 'plain']).exactOptional(),
  promptForm: z.enum(['text', 'messages']).exactOptional(),
  fallback: modelRef.exactOptional(),
});

/** A name, or an object with settings. Problems refer to the form that was written. */
const modelChoice = z.unknown().transform((said, context): ModelChoice => {
  const parsed = (typeof said === 'object' ? modelOptions : modelRef).safeParse(said);
  const problems = parsed.success ? modelProblems(parsed.data) : [];
  for (const { message, path } of parsed.error?.issues ?? [])
    context.addIssue({ code: 'custom', message, path });
  for (const problem of problems) context.addIssue(problem);
  return parsed.success && problems.length === 0 ? parsed.data : z.NEVER;
});

const malformed = z.union([
  z.enum(['degrade', 'fail']),
  z.strictObject({ repair: z.int().min(0).max(repairsMax) }),
]);

export const models = z.strictObject({
  decision: modelChoice.exactOptional(),
  answer: modelChoice.exactOptional(),
  summary: modelChoice.exactOptional(),
  selection: modelChoice.exactOptional(),
  small: modelChoice.exactOptional(),
  reasoning: modelChoice.exactOptional(),
});

/** The options of defineAgent in YAML: in snake_case like every descriptor, or in camelCase as in TypeScript. */
export const agentOptions: z.ZodType<AgentOptions> = eitherCase({
  models: models.exactOptional(),
  modelChoices: z.array(modelChoice).max(modelChoicesMax).exactOptional(),
  protocol: z.enum(['auto', 'channels', 'native-tools', 'json', 'plain']).exactOptional(),
  promptForm: z.enum(['auto', 'text', 'messages']).exactOptional(),
  answer: z.enum(['inline', 'synthesize', 'auto']).exactOptional(),
  budgets: eitherCase({
    rounds: z.int().min(0).exactOptional(),
    tokens: count.exactOptional(),
    costUsd: z.number().positive().exactOptional(),
    wallMs: count.exactOptional(),
    actionsPerRound: count.exactOptional(),
  }).exactOptional(),
  policies: eitherCase({
    multiAction: z.enum(multiActions).exactOptional(),
    malformed: malformed.exactOptional(),
    prose: z.enum(['first', 'second', 'never']).exactOptional(),
    toolFailure: z.enum(['continue', 'fail', 'escalate']).exactOptional(),
    exhausted: z.enum(['finalize', 'close']).exactOptional(),
    hiddenTool: z.enum(['refuse', 'allow']).exactOptional(),
    externalTools: z.enum(['park', 'hand_off']).exactOptional(),
    steer: z.enum(['finalize', 'redirect']).exactOptional(),
    verify: z.enum(['never', 'once']).exactOptional(),
  }).exactOptional(),
  context: eitherCase({
    maxTokens: count.exactOptional(),
    recentTurns: count.exactOptional(),
    intactTurns: count.exactOptional(),
    ttlMs: count.exactOptional(),
  }).exactOptional(),
  exec: eitherCase({
    languages: z.array(z.enum(['python', 'javascript'])).exactOptional(),
    timeoutMs: count.exactOptional(),
    memoryMb: count.exactOptional(),
    fileMb: count.exactOptional(),
    pids: count.exactOptional(),
    cpus: z.number().positive().exactOptional(),
    mode: z.enum(['docker', 'process', 'fargate']).exactOptional(),
    image: z.string().min(1).exactOptional(),
  }).exactOptional(),
  memory: eitherCase({
    mode: z.enum(['agent', 'static', 'both', 'off']).exactOptional(),
    scopes: z.array(z.enum(memoryScopes)).min(1).exactOptional(),
    limit: count.max(memoryFactsMax).exactOptional(),
  }).exactOptional(),
  delegation: eitherCase({
    plans: z.boolean().exactOptional(),
    depth: count.max(delegationDepthMax).exactOptional(),
    sideBySide: count.max(sideBySideMax).exactOptional(),
    stepMs: count.exactOptional(),
    verify: z.boolean().exactOptional(),
    agents: z.array(z.string()).exactOptional(),
    from: z.array(z.string()).exactOptional(),
  }).exactOptional(),
});

/** Checks keys as written, so that problems name the author's spelling, and returns them in camelCase. */
function eitherCase<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
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
      if (twice !== undefined) context.addIssue(`${twice} is set twice, in both spellings`);
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
