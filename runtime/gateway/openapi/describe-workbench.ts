import { z } from 'zod';
import { whoseQuery } from '../workbench/access.ts';
import { tryRequest } from '../workbench/agent-routes.ts';
import { blocksQuery, traceQuery } from '../workbench/block-routes.ts';
import { whatIfRequest } from '../workbench/cache-routes.ts';
import { asCaseQuery, evalRequest, evalStopRequest } from '../workbench/eval-routes.ts';
import { failuresQuery } from '../workbench/health-routes.ts';
import { conversationPath, projectPath } from '../workbench/inspection.ts';
import { inspectedListQuery, usageQuery } from '../workbench/project-routes.ts';
import { ratingsQuery } from '../workbench/rating-routes.ts';
import { editRequest, rerunRequest } from '../workbench/rerun-routes.ts';
import { roundsQuery } from '../workbench/round-routes.ts';
import {
  bundles,
  call,
  conversation,
  effect,
  evalReport,
  failure,
  findings,
  group,
  limit,
  listed,
  next,
  ok,
  progress,
  prompt,
  rating,
  reply,
  rows,
  script,
  seq,
  started,
  time,
  toolRow,
  turn,
} from '../workbench/wire/answers.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

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

/** Continues in another conversation. */
function again(facts: Facts): RouteDescription {
  return {
    ...{ tag: 'workbench', query: whoseQuery, needsBody: true, ...facts },
    responses: { 202: { description: 'It goes on in this conversation.', content: json(started) } },
    refusals: ['forbidden', 'invalid_input', 'not_found', 'busy'],
  };
}

/** What a conversation is made of, and what a project uses. */
export const workbenchDescriptions: RouteDescriptions = {
  [`GET ${projectPath}/conversations`]: inspect(
    {
      ...{ id: 'inspectConversations', query: inspectedListQuery },
      summary: 'Conversations of the user, or for inspectors of all users, newest activity first.',
      refusals: ['forbidden', 'busy'],
    },
    z.object({ ok, items: z.array(listed), next_cursor: z.string().optional() }),
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
  [`GET ${conversationPath}/heads`]: inspect(
    {
      ...{ id: 'inspectHeads', summary: 'Tells whenever the log of a conversation grows.' },
      responses: {
        200: {
          description: 'Events `head` with the seq of the newest block.',
          content: { 'text/event-stream': z.looseObject({ head: z.int() }) },
        },
      },
    },
    z.looseObject({}),
  ),
  [`GET ${projectPath}/agents`]: {
    ...{ id: 'inspectAgents', tag: 'workbench', refusals: ['forbidden', 'busy'] },
    summary: 'Bundles, agents, and their tools with the schemas of their input.',
    responses: { 200: { description: 'As the engine runs them.', content: json(bundles) } },
  },
  [`POST ${projectPath}/bundles/:bundle/check`]: {
    ...{ id: 'checkBundle', tag: 'workbench', refusals: ['forbidden', 'not_found', 'busy'] },
    summary: 'What `timeloom bundle check` finds in the folder of a bundle.',
    responses: { 200: { description: 'Empty: no problems.', content: json(findings) } },
  },
  [`POST ${projectPath}/tools/:tool/try`]: {
    ...{ id: 'tryTool', tag: 'workbench', refusals: ['forbidden', 'not_found', 'busy'] },
    summary:
      'Calls a tool without a model, as a turn of a new conversation. Requires the role operator.',
    ...{ body: json(tryRequest), needsBody: true },
    responses: {
      202: {
        description: 'The call is accepted; its result will be in the conversation.',
        content: json(started),
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
      summary:
        'What an edit would cost now: `hide:PATH`, `keep:TURNS`, `prune`, `compact` or `catalogue`.',
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
  [`GET ${conversationPath}/family`]: inspect(
    { id: 'inspectFamily', summary: 'The tree of forks and reruns that the conversation is in.' },
    z.object({
      ok,
      has_more: z.boolean(),
      items: z.array(listed.extend({ parent_id: z.string().optional() })),
    }),
  ),
  [`GET ${projectPath}/failures`]: inspect(
    {
      ...{ id: 'inspectFailures', query: failuresQuery, refusals: ['forbidden', 'busy'] },
      summary: 'Turns and calls that failed, by default in the last hour, newest first.',
    },
    z.object({ ok, from: time, to: time, has_more: z.boolean(), items: z.array(failure) }),
  ),
  [`GET ${projectPath}/ratings`]: inspect(
    {
      ...{ id: 'inspectRatings', query: ratingsQuery, refusals: ['forbidden', 'busy'] },
      summary: 'Turns with feedback, by default of the last 30 days, newest first.',
    },
    z.object({ ok, from: time, to: time, has_more: z.boolean(), items: z.array(rating) }),
  ),
  [`GET ${projectPath}/tools`]: inspect(
    {
      ...{ id: 'inspectTools', query: failuresQuery, refusals: ['forbidden', 'busy'] },
      summary: 'How the calls of each tool ended, by default in the last 30 days.',
    },
    z.object({ ok, from: time, to: time, items: z.array(toolRow) }),
  ),
  [`GET ${projectPath}/budgets`]: inspect(
    {
      ...{ id: 'inspectBudgets', refusals: ['forbidden', 'busy'] },
      summary: 'What the user and the tenant may still spend.',
    },
    z.object({ ok, user: z.string(), items: z.array(limit) }),
  ),
  [`GET ${projectPath}/evals`]: inspect(
    {
      ...{ id: 'inspectEvals', refusals: ['forbidden', 'busy'] },
      summary: 'The cases of the folders in TIMELOOM_EVALS, and how each went last.',
    },
    z.object({ ok, items: z.array(evalReport) }),
  ),
  [`POST ${projectPath}/evals/run`]: {
    ...{ id: 'inspectRunEvals', tag: 'workbench', body: json(evalRequest), needsBody: true },
    summary: 'Begins a run of a folder of TIMELOOM_EVALS. `GET /evals` says how far it is.',
    responses: { 202: { description: 'The run began.', content: json(z.object({ ok })) } },
    refusals: ['forbidden', 'invalid_input', 'not_found', 'conflict', 'busy'],
  },
  [`POST ${projectPath}/evals/stop`]: {
    ...{ id: 'inspectStopEvals', tag: 'workbench', body: json(evalStopRequest), needsBody: true },
    summary: 'Stops the run of a folder; the results of the cases that it has played are kept.',
    responses: { 200: { description: 'It stops.', content: json(z.object({ ok })) } },
    refusals: ['forbidden', 'invalid_input', 'not_found', 'busy'],
  },
  [`GET ${conversationPath}/as-case`]: inspect(
    {
      ...{ id: 'inspectAsCase', query: asCaseQuery },
      summary: 'The conversation up to a turn as the file of an eval case.',
    },
    z.object({
      ...{ ok, turn: z.string(), file: z.string(), text: z.string() },
      attachments: z.array(z.string()),
    }),
  ),
  [`GET ${projectPath}/models`]: {
    ...{ id: 'inspectModels', tag: 'workbench', refusals: ['forbidden', 'busy'] },
    summary: 'The models that the installation names.',
    responses: {
      200: {
        description: '`can_name`: a rerun may name others.',
        content: json(z.object({ ok, can_name: z.boolean(), items: z.array(z.string()) })),
      },
    },
  },
  [`POST ${conversationPath}/rerun`]: again({
    id: 'rerunTurn',
    summary:
      'Runs a turn again in a fork: with its prompt or another, by its agent or another. Another model requires the role operator.',
    body: json(rerunRequest),
  }),
  [`POST ${conversationPath}/edit`]: again({
    id: 'editResult',
    summary:
      'Forks before the result of a call, writes another result there, and lets the turn go on. Requires the role operator.',
    body: json(editRequest),
  }),
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
