import { z } from 'zod';
import { langGraphRoots } from '../endpoints/langgraph/langgraph-routes.ts';
import { runRequest, searchRequest, threadRequest } from '../endpoints/langgraph/run-request.ts';
import { runsQuery } from '../endpoints/langgraph/run-routes.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

const error = z.object({ detail: z.string(), code: z.string() });
const values = z.record(z.string(), z.unknown());
const thread = z.looseObject({
  thread_id: z.string(),
  status: z.enum(['idle', 'busy', 'interrupted']),
  values: values.nullable(),
});
const state = z.looseObject({ values, next: z.array(z.string()) });
const run = z.looseObject({ run_id: z.string(), thread_id: z.string(), status: z.string() });
const assistant = z.looseObject({ assistant_id: z.string(), name: z.string() });

schemaNames.add(error, { id: 'LangGraphError' });
schemaNames.add(runRequest, { id: 'RunRequest' });
schemaNames.add(thread, { id: 'Thread' });

type Facts = Omit<RouteDescription, 'tag' | 'errors'>;

const found = ['not_found'];
const beginning: Pick<Facts, 'body' | 'needsBody' | 'refusals'> = {
  body: json(runRequest),
  needsBody: true,
  refusals: [
    ...['busy', 'not_found', 'conflict', 'turn_closed', 'turn_changed', 'attachment_refused'],
    ...['approval_closed', 'approval_expired', 'call_closed', 'call_expired'],
  ],
};
const headers = { 'Content-Location': 'The run.', Location: 'The stream of the run.' };
const stream = {
  200: {
    description: 'Server-sent events, which end with `end`.',
    content: { 'text/event-stream': 'text' },
    headers,
  },
} as const;
const ends = { 200: { description: 'The values of the thread.', content: json(values), headers } };
const begun = { 200: { description: 'It has begun.', content: json(run), headers } };

/** By method and path below a root. */
const routes: Readonly<Record<string, Facts>> = {
  'POST /assistants/search': {
    id: 'searchAssistants',
    summary: 'The agents, as assistants.',
    responses: { 200: { description: 'All agents.', content: json(z.array(assistant)) } },
  },
  'GET /assistants/:assistant': {
    id: 'getAssistant',
    summary: 'One agent, as an assistant.',
    responses: { 200: { description: 'The agent.', content: json(assistant) } },
    refusals: found,
  },
  'POST /threads': {
    id: 'createThread',
    summary: 'Creates a thread, which is a conversation.',
    body: json(threadRequest),
    responses: { 200: { description: 'The thread.', content: json(thread) } },
    refusals: ['conflict', 'not_found'],
  },
  'POST /threads/search': {
    id: 'searchThreads',
    summary: 'The conversations of the user, newest first.',
    body: json(searchRequest),
    responses: { 200: { description: 'Without their values.', content: json(z.array(thread)) } },
  },
  'GET /threads/:thread': {
    id: 'getThread',
    summary: 'A thread with its values.',
    responses: { 200: { description: 'The thread.', content: json(thread) } },
    refusals: found,
  },
  'DELETE /threads/:thread': {
    id: 'deleteThread',
    summary: 'Erases the conversation.',
    responses: { 204: { description: 'It is erased.' } },
    refusals: found,
  },
  'GET /threads/:thread/state': {
    id: 'getThreadState',
    summary: 'The state of a thread, with what it waits for.',
    responses: { 200: { description: 'The state.', content: json(state) } },
    refusals: found,
  },
  'POST /threads/:thread/history': {
    id: 'getThreadHistory',
    summary: 'The latest state of a thread.',
    responses: { 200: { description: 'At most one state.', content: json(z.array(state)) } },
    refusals: found,
  },
  'POST /runs/stream': {
    ...beginning,
    id: 'streamStatelessRun',
    summary: 'A run in a new thread, as a stream.',
    responses: stream,
  },
  'POST /runs/wait': {
    ...beginning,
    id: 'waitForStatelessRun',
    summary: 'A run in a new thread; the response is its end.',
    responses: ends,
  },
  'POST /runs': {
    ...beginning,
    id: 'createStatelessRun',
    summary: 'Begins a run in a new thread.',
    responses: begun,
  },
  'POST /threads/:thread/runs/stream': {
    ...beginning,
    id: 'streamRun',
    summary: 'A run, or its continuation with `command`, as a stream.',
    responses: stream,
  },
  'POST /threads/:thread/runs/wait': {
    ...beginning,
    id: 'waitForRun',
    summary: 'A run; the response is its end, or what it waits for.',
    responses: ends,
  },
  'POST /threads/:thread/runs': {
    ...beginning,
    id: 'createRun',
    summary: 'Begins a run, which is a turn.',
    responses: begun,
  },
  'GET /threads/:thread/runs': {
    id: 'listRuns',
    summary: 'The last runs of a thread, newest first.',
    query: runsQuery,
    responses: { 200: { description: 'The runs.', content: json(z.array(run)) } },
    refusals: found,
  },
  'GET /threads/:thread/stream': {
    id: 'streamThread',
    summary:
      'All runs of a thread, one after the other, from the start of the open one or after `Last-Event-ID`.',
    responses: {
      200: {
        description: 'Server-sent events, without an end.',
        content: { 'text/event-stream': 'text' },
      },
    },
    refusals: ['not_found', 'cursor_invalid'],
  },
  'GET /threads/:thread/runs/:run': {
    id: 'getRun',
    summary: 'A run.',
    responses: { 200: { description: 'The run.', content: json(run) } },
    refusals: found,
  },
  'GET /threads/:thread/runs/:run/stream': {
    id: 'joinRunStream',
    summary: 'The stream of a run, from its start or after `Last-Event-ID`.',
    responses: stream,
    refusals: ['not_found', 'cursor_invalid'],
  },
  'GET /threads/:thread/runs/:run/join': {
    id: 'joinRun',
    summary: 'Waits for the end of a run.',
    responses: { 200: { description: 'The values of the thread.', content: json(values) } },
    refusals: found,
  },
  'POST /threads/:thread/runs/:run/cancel': {
    id: 'cancelRun',
    summary: 'Stops a run; with `wait=1` the response is its end.',
    responses: {
      202: { description: 'It is being stopped.' },
      204: { description: 'It has ended.' },
    },
    refusals: found,
  },
};

/** A part of the API of a LangGraph server, at the root and below tenant and project. */
export const langGraphDescriptions: RouteDescriptions = Object.fromEntries(
  langGraphRoots.flatMap((root) =>
    Object.entries(routes).map(([route, facts]): [string, RouteDescription] => {
      const id = root === '' ? facts.id : `${facts.id}OfProject`;
      const described = { ...facts, id, tag: 'LangGraph', errors: error };
      return [route.replace(' ', ` ${root}`), described];
    }),
  ),
);
