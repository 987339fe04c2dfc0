import { z } from 'zod';
import { whoseQuery } from '../workbench/access.ts';
import { tryRequest } from '../workbench/agent-routes.ts';
import { blocksQuery, traceQuery } from '../workbench/block-routes.ts';
import { whatIfRequest } from '../workbench/cache-routes.ts';
import { conversationPath, projectPath } from '../workbench/inspection.ts';
import { inspectedListQuery, usageQuery } from '../workbench/project-routes.ts';
import { roundsQuery } from '../workbench/round-routes.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

const ok = z.literal(true);
const seq = z.int();
const next = seq.nullable();
const usage = z.record(z.string(), z.number());
const time = z.string();
const origin = z.object({ conversation_id: z.string(), seq });
const conversation = z.object({
  ...{ id: z.string(), user: z.string(), title: z.string(), head: z.int() },
  ...{ created_at: time, last_activity_at: time },
  active_turn_id: z.string().optional(),
  forked_from: origin.optional(),
});
const step = z.object({
  kind: z.enum(['model', 'tool', 'program', 'agent', 'client', 'approval']),
  ...{ name: z.string(), block: seq, ms: z.number().optional(), ok: z.boolean().optional() },
});
const round = z.looseObject({
  ...{ seq, round: z.int(), phase: z.string(), as_of: z.int(), at: time, usage },
  steps: z.array(step),
});
const turn = z.looseObject({
  ...{ turn: z.string(), name: z.string(), seq, at: time, prompt: z.string(), usage },
  rounds: z.array(round),
});
const range = z.object({
  ...{ from: z.int(), to: z.int(), block: z.int() },
  as: z.enum(['whole', 'heading', 'hidden', 'pruned', 'summary', 'runtime']),
  by: seq.optional(),
});
const part = z.looseObject({
  in: z.enum(['system', 'timeline', 'tail']),
  ...{ kind: z.string(), role: z.string(), text: z.string(), tokens: z.number() },
  origins: z.array(range),
});
const absence = z.object({ block: seq, because: z.string(), by: seq.optional() });
const prompt = z.looseObject({
  ...{ ok, seq, turn: z.string(), round: z.int(), as_of: z.int(), tokens: z.number() },
  same_as_sent: z.boolean().optional(),
  ...{ parts: z.array(part), absent: z.array(absence), absent_omitted: z.int() },
});
const reply = z.looseObject({
  ...{ ok, seq, reply: seq },
  stretches: z.array(z.object({ kind: z.string(), name: z.string(), text: z.string() })),
});
const rows = z.object({
  ok,
  head: z.int(),
  total: z.int(),
  next,
  items: z.array(z.looseObject({ seq, type: z.string() })),
});
const call = z.looseObject({
  seq,
  input_tokens: z.number(),
  read_tokens: z.number(),
  missed_tokens: z.number(),
});
const group = z.looseObject({ key: z.string(), calls: z.int(), cost_usd: z.number() });
const effect = z.looseObject({ ok, edit: z.string(), changes: z.boolean() });
const script = z.object({
  ...{ ok, replies: z.array(z.looseObject({})), test: z.string(), gaps: z.array(z.string()) },
});
const progress = z.union([
  z.object({ done: z.int(), of: z.int() }),
  z.looseObject({ problems: z.array(z.looseObject({})).optional() }),
]);

const agent = z.looseObject({ id: z.string(), tools: z.array(z.looseObject({ id: z.string() })) });
const bundles = z.object({
  ok,
  items: z.array(z.looseObject({ id: z.string(), agents: z.array(agent) })),
});

type Facts = Pick<RouteDescription, 'id' | 'summary'> & Partial<RouteDescription>;

function inspect(
  facts: Facts,
  answer: z.ZodType,
  description = 'As the log has it.',
): RouteDescription {
  return {
    tag: 'workbench',
    query: whoseQuery,
    responses: { 200: { description, content: json(answer) } },
    refusals: ['not_found', 'busy'],
    ...facts,
  };
}

function check(id: string, summary: string): RouteDescription {
  const content = { 'text/event-stream': progress };
  const description =
    'Events `progress` with `{done, of}`, then `done` with the result, or `error`.';
  return inspect({ id, summary, responses: { 200: { description, content } } }, progress);
}

/** What a conversation is made of, and what a project uses. */
export const workbenchDescriptions: RouteDescriptions = {
  [`GET ${projectPath}/conversations`]: inspect(
    {
      ...{ id: 'inspectConversations', query: inspectedListQuery },
      summary: 'Conversations of the user, or for inspectors of all users, newest activity first.',
      refusals: ['forbidden', 'busy'],
    },
    z.object({ ok, items: z.array(conversation) }),
  ),
  [`GET ${projectPath}/usage`]: inspect(
    {
      ...{ id: 'inspectUsage', query: usageQuery, refusals: ['forbidden', 'busy'] },
      summary: 'Tokens and cost of a period, by default of 30 days, in groups.',
    },
    z.object({ ok, from: time, to: time, by: z.string(), items: z.array(group) }),
  ),
  [`GET ${projectPath}/live`]: {
    ...{ id: 'inspectLive', tag: 'workbench', refusals: ['forbidden', 'busy'] },
    summary: 'Streams what works in this installation, whenever it changes.',
    responses: {
      200: {
        description: 'Events `live` with the conversations at work and the counts of `/metrics`.',
        content: { 'text/event-stream': z.looseObject({ items: z.array(conversation) }) },
      },
    },
  },
  [`GET ${projectPath}/agents`]: {
    ...{ id: 'inspectAgents', tag: 'workbench', refusals: ['forbidden', 'busy'] },
    summary: 'Bundles, agents, and their tools with the schemas of their input.',
    responses: { 200: { description: 'As the engine runs them.', content: json(bundles) } },
  },
  [`POST ${projectPath}/tools/:tool/try`]: {
    ...{ id: 'tryTool', tag: 'workbench', refusals: ['forbidden', 'not_found', 'busy'] },
    summary:
      'Calls a tool without a model, as a turn of a new conversation. Requires the role operator.',
    ...{ body: json(tryRequest), needsBody: true },
    responses: {
      202: {
        description: 'The call is accepted; its result will be in the conversation.',
        content: json(z.object({ ok, conversation_id: z.string(), turn_id: z.string() })),
      },
    },
  },
  [`GET ${conversationPath}/rounds`]: inspect(
    {
      id: 'inspectRounds',
      query: roundsQuery,
      summary: 'The turns of a conversation with their rounds.',
    },
    z.looseObject({
      ok,
      head: z.int(),
      next,
      turns: z.array(turn),
      types: z.array(z.string()),
      ticks: z.array(z.int()),
    }),
  ),
  [`GET ${conversationPath}/rounds/:seq/prompt`]: inspect(
    {
      id: 'inspectPrompt',
      summary: 'The exact prompt of a round, with the block that each passage comes from.',
      refusals: ['not_found', 'busy', 'too_large'],
    },
    prompt,
  ),
  [`GET ${conversationPath}/rounds/:seq/reply`]: inspect(
    {
      id: 'inspectReply',
      summary: 'The reply of a round as the model wrote it.',
      refusals: ['not_found', 'busy', 'too_large'],
    },
    reply,
  ),
  [`GET ${conversationPath}/cache`]: inspect(
    {
      id: 'inspectCache',
      summary: 'Every model call with the reasons for tokens not read from a cache.',
    },
    z.object({ ok, omitted: z.int(), calls: z.array(call) }),
  ),
  [`POST ${conversationPath}/cache/what-if`]: inspect(
    {
      id: 'inspectWhatIf',
      summary: 'What an edit would cost now: `hide:PATH`, `prune`, `compact` or `catalogue`.',
      ...{ body: json(whatIfRequest), needsBody: true },
    },
    effect,
  ),
  [`GET ${conversationPath}/blocks`]: inspect(
    { id: 'inspectBlocks', query: blocksQuery, summary: 'All blocks of a log, one row each.' },
    rows,
  ),
  [`GET ${conversationPath}/blocks/:seq`]: inspect(
    { id: 'inspectBlock', summary: 'One block as it is stored.' },
    z.looseObject({ ok, block: z.looseObject({ seq, type: z.string() }) }),
  ),
  [`GET ${conversationPath}/trace`]: inspect(
    { id: 'inspectTrace', query: traceQuery, summary: 'The log as spans, or in the JSON of OTLP.' },
    z.looseObject({}),
  ),
  [`GET ${conversationPath}/forks`]: inspect(
    { id: 'inspectForks', summary: 'Conversations that continue from a block of this one.' },
    z.object({ ok, items: z.array(conversation) }),
  ),
  [`GET ${conversationPath}/as-script`]: inspect(
    { id: 'inspectAsScript', summary: 'The conversation as a scripted model and a test.' },
    script,
  ),
  [`POST ${conversationPath}/verify`]: check(
    'verifyConversation',
    'Checks the log and the bytes that it names.',
  ),
  [`POST ${conversationPath}/replay`]: check(
    'replayConversation',
    'Rebuilds every prompt and reads every reply again, and compares them with the log.',
  ),
};
