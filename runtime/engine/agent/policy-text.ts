import { z } from 'zod';
import { type Protocol, protocols } from '../../channels/protocol/reply-piece.ts';
import { createToolNames, type ToolNames } from '../../channels/protocol/tool-names.ts';
import type { ReplyRules } from '../../channels/reply/read-reply.ts';
import { multiActions } from '../../channels/reply/rules.ts';
import type { AgentSettings, DeclaredChannel } from '../../sdk/contract/agent-settings.ts';
import type { TurnView } from '../../timeline/view.ts';
import { type AnswerProfile, holdsAnswers } from '../plan/plan-answer.ts';
import { actionsMaxOf, areAnswersHeld, multiActionOf } from './multi-action.ts';
import type { ReplyContext } from './reply-context.ts';

/**
 * The agent settings that decide how a reply is read. Stored beside the prompt, so that the reply can be read again.
 */
const Reading = z.object({
  policies: z.looseObject({
    multiAction: z.enum(multiActions),
    malformed: z.union([z.enum(['degrade', 'fail']), z.object({ repair: z.number() })]),
    prose: z.enum(['first', 'second', 'never']),
  }),
  reading: z.object({
    protocol: z.enum(protocols).default('channels'),
    actionsMax: z.number(),
    declines: z.boolean().default(false),
    answersHeld: z.boolean().default(false),
    answer: z.enum(['inline', 'synthesize', 'auto']).default('inline'),
    keepsShown: z.boolean().default(false),
    channels: z.array(
      z.object({ id: z.string(), format: z.enum(['markdown', 'text', 'json', 'html']) }),
    ),
    tools: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        traits: z.array(z.enum(['exploration', 'exploitation', 'neutral'])),
        language: z.enum(['python', 'javascript']).exactOptional(),
        /** The name on the wire, where tools are offered beside the text. */
        name: z.string().exactOptional(),
      }),
    ),
    output: z.record(z.string(), z.json()).exactOptional(),
    outputGrace: z.boolean().default(false),
  }),
});

export function policyText(
  settings: AgentSettings,
  { protocol, names }: { readonly protocol: Protocol; readonly names: ToolNames | undefined },
): string {
  const { context, channels, tools, output, answer } = settings;
  const policies = { ...settings.policies, multiAction: multiActionOf(settings, protocol) };
  const reading = {
    ...(protocol === 'channels' ? {} : { protocol }),
    actionsMax: actionsMaxOf(settings, protocol),
    ...(protocol === 'native-tools' ? { declines: true } : {}),
    keepsShown: true,
    channels: channels.map(({ id, format }) => ({ id, format })),
    tools: tools.map(({ spec: { id, kind, traits, language } }) => ({
      id,
      kind,
      traits,
      language,
      ...(names ? { name: names.nameOf(id) } : {}),
    })),
    output: output?.schema,
    ...(output ? { outputGrace: true } : {}),
    ...(areAnswersHeld(settings) ? { answersHeld: true } : {}),
    ...(answer === 'inline' ? {} : { answer }),
  };
  return JSON.stringify({ context, policies, reading });
}

export type ReplyPolicy = {
  readonly rules: ReplyRules;
  readonly names: ToolNames;
  readonly channels: readonly Pick<DeclaredChannel, 'id' | 'format'>[];
  readonly agent: ReplyContext['agent'];
  readonly keepsShown: boolean;
  readonly answer: AnswerProfile;
};

/** The rules of a reply to this turn. */
export function rulesFor({ rules, answer }: ReplyPolicy, turn: TurnView): ReplyRules {
  return holdsAnswers(turn, answer) ? { ...rules, answersHeld: true } : rules;
}

/** Undefined if another version wrote the text. */
export function parsePolicy(text: string): ReplyPolicy | undefined {
  const parsed = Reading.safeParse(JSON.parse(text));
  if (!parsed.success) return undefined;
  const { policies, reading } = parsed.data;
  const tools = new Map(reading.tools.map((tool) => [tool.id, tool]));
  return {
    names: createToolNames(
      reading.tools.map(({ id }) => id),
      new Map(reading.tools.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]]))),
    ),
    rules: {
      protocol: reading.protocol,
      multiAction: policies.multiAction,
      actionsMax: reading.actionsMax,
      declines: reading.declines,
      answersHeld: reading.answersHeld,
      traitsOf: (tool) => tools.get(tool),
    },
    channels: reading.channels,
    keepsShown: reading.keepsShown,
    answer: reading.answer,
    agent: {
      tools: reading.tools.map((spec) => ({ spec })),
      policies,
      ...(reading.output ? { output: outputOf(reading.output) } : {}),
      degradesOutput: !reading.outputGrace,
    },
  };
}

function outputOf(
  schema: z.core.JSONSchema.JSONSchema,
): NonNullable<ReplyContext['agent']['output']> {
  const type = z.fromJSONSchema(schema);
  return {
    parse: (value) => {
      const parsed = type.safeParse(value);
      if (parsed.success) return { ok: true, value };
      const violations = parsed.error.issues.map(({ path, message }) => ({
        path: path.map(String).join('.'),
        message,
      }));
      return { ok: false, violations };
    },
  };
}
