import type { Comparison } from './comparison.ts';

export const agentLoop: Comparison = {
  system: 'AgentScope',
  rows: [
    {
      does: 'The loop reasons, collects the calls, acts, and checks whether it is done.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'after a prompt the model thinks, calls a tool, and its answer closes the turn',
        ],
      ],
    },
    {
      does: 'It has ten iterations by default.',
      differs: 'Fifteen is the number for agents in general.',
      instead: 'The starter `agentscope` has ten.',
      shown: [
        [
          'test/runtime/sdk/agents/starters.test.ts',
          'the starters have the numbers and policies that they are named after',
        ],
      ],
    },
    {
      does: 'At the limit a summary without tools is forced.',
      shown: [
        [
          'test/runtime/testing/loop/starters-end.test.ts',
          'agentscope has one finalizing call at the cap',
        ],
      ],
    },
    {
      does: 'A reply that streams is shown as growing messages, with a mark on the last one of each message.',
      shown: [
        [
          'test/runtime/gateway/projections/agentscope.test.ts',
          '%s: each frame has the whole message so far, so that nothing has to be joined',
        ],
        [
          'test/runtime/gateway/projections/agentscope.test.ts',
          'the last frame of reasoning, of a result and of the answer each are the last of their message',
        ],
      ],
    },
    {
      does: 'A reply that does not stream is shown once.',
      differs: 'Whether a model streams changes nothing for who reads.',
      instead: 'Every reply streams; a client that wants it once waits for the answer of the turn.',
      shown: [
        [
          'test/runtime/gateway/routes/wait-answer.test.ts',
          'one request gets the answer of its turn, without any id',
        ],
      ],
    },
    {
      does: 'Several agents write into one queue, and its reader knows the end of each.',
      shown: [
        [
          'test/runtime/gateway/endpoints/following/delegates.test.ts',
          'an agent that works on a call appears on the stream of its caller, and ends before the result is shown',
        ],
        [
          'test/runtime/testing/delegation/family.test.ts',
          'one stream shows a conversation and all agents that work for it, each between its start and its end',
        ],
      ],
    },
    {
      does: 'Messages of the queue are copies: a later change does not alter them.',
      shown: [
        [
          'test/runtime/client/story/conversation-state.test.ts',
          'what has not changed stays the same object',
        ],
      ],
    },
    {
      does: 'Input, replies with calls, every result and the final reply are remembered in order.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'after a prompt the model thinks, calls a tool, and its answer closes the turn',
        ],
        [
          'test/contract/timeline-store/reading.ts',
          'every field of a block comes back, and absent ones stay absent',
        ],
      ],
    },
    {
      does: 'Long-term memory has a tool to record and one to retrieve.',
      shown: [
        [
          'test/runtime/testing/long-term-memory.test.ts',
          'the model records and retrieves facts itself, and forgetting hides what it retrieved',
        ],
      ],
    },
    {
      does: 'Long-term memory is searched before the loop and recorded after it.',
      shown: [
        [
          'test/runtime/testing/long-term-memory.test.ts',
          'a fact from one conversation is in the prompt of another, until the user forgets it',
        ],
        [
          'test/runtime/testing/long-term-memory.test.ts',
          'an interrupted turn is recorded as well',
        ],
      ],
    },
    {
      does: 'Knowledge can be searched before the loop.',
      differs:
        'A search with the question alone often finds nothing that helps, and costs room in every prompt.',
      instead:
        'The agent searches its knowledge when it needs it; facts of the long-term memory are in the prompt before round 1.',
      shown: [
        [
          'test/guide/library/with-knowledge.test.ts',
          'a page of the handbook is found by a word and read',
        ],
        [
          'test/runtime/testing/long-term-memory.test.ts',
          'an agent recalls the facts of the scopes that it names',
        ],
      ],
    },
    {
      does: 'Plans have tools to create, revise and finish them.',
      shown: [
        [
          'test/runtime/tools/react/plan.test.ts',
          'a plan is started, replaced and closed; the fold shows each change as a snapshot',
        ],
      ],
    },
    {
      does: 'Hooks run before and after reasoning, acting and printing, and may change what they get.',
      shown: [
        [
          'test/runtime/testing/agent-hooks.test.ts',
          'hooks of reasoning also run before the call that writes the answer, with its phase and without hints of tools',
        ],
        [
          'test/runtime/testing/hooks.test.ts',
          'a result is stored and read as the last transformer returned it',
        ],
        [
          'test/runtime/testing/agent-hooks.test.ts',
          'observers get each reply and each text that people see, in order',
        ],
      ],
    },
    {
      does: 'A hook can change how the final call is shown, count tools, and interrupt.',
      shown: [
        [
          'test/runtime/testing/hooks-turn.test.ts',
          'hooks refuse or transform an event before it is accepted; a stop runs no hooks',
        ],
        [
          'test/runtime/testing/agent-hooks.test.ts',
          'a guard before reasoning ends the turn without asking the model',
        ],
      ],
    },
    {
      does: 'A user interrupts by cancelling the task.',
      shown: [
        ['test/runtime/engine/turns/turn.test.ts', 'a steer without text stops the turn'],
        [
          'test/runtime/engine/turns/turn.test.ts',
          'a steer stops the generation and is answered in the same turn',
        ],
      ],
    },
    {
      does: 'A tool can learn that it is interrupted.',
      shown: [
        [
          'test/runtime/sdk/tools/compile-tool.test.ts',
          'a stopped tool is interrupted with what it yielded',
        ],
      ],
    },
    {
      does: 'Calls that an interruption left open get results, so that the history stays legal.',
      shown: [
        [
          'test/runtime/timeline/close/close-turn.test.ts',
          'I4: a log cut anywhere is valid again after it is settled and closed',
        ],
        [
          'test/runtime/engine/protocols/interrupted-pieces.test.ts',
          'a steer anywhere in any reply leaves a legal history and a legal next prompt',
        ],
      ],
    },
    {
      does: 'All calls of a conversation can be listed and counted.',
      shown: [
        [
          'test/runtime/gateway/workbench/inspect.test.ts',
          'the trace has a span for each turn, round, model call and tool, also in the JSON of OTLP',
        ],
        [
          'test/integration/cli/timeline.test.ts',
          'timeline show prints the blocks, a line each or whole',
        ],
      ],
    },
    {
      does: 'Presets exist for simple, fast and debugging use.',
      shown: [
        [
          'test/runtime/sdk/agents/starters.test.ts',
          'the starters have the numbers and policies that they are named after',
        ],
      ],
    },
    {
      does: 'Hints of the runtime to the model can be printed.',
      shown: [
        [
          'test/runtime/gateway/workbench/inspect.test.ts',
          'the prompt of a round is what was sent, and each passage names its block',
        ],
      ],
    },
    {
      does: 'Old memory is to be cleaned up now and then by the author.',
      differs: 'Forgetting to do so ends a conversation at the limit of the model.',
      instead: 'Pruning and compaction do it, within the limits of the agent.',
      shown: [
        [
          'test/runtime/engine/compact/compact-chat.test.ts',
          'a chat of sixty turns stays within its limit through repeated compaction',
        ],
      ],
    },
    {
      does: 'Calls and results have ids, names and contents of text or media, by which they are paired.',
      shown: [
        ['test/contract/timeline-store/append.ts', 'a call has one result'],
        [
          'test/runtime/adapters/mcp/outcome.test.ts',
          'images and other bytes become files of the call; what a model can look at is shown to it',
        ],
      ],
    },
  ],
};
