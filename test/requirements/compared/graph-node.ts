import type { Comparison } from './comparison.ts';

export const graphNode: Comparison = {
  system: 'Wesichain',
  rows: [
    {
      does: 'An agent is a node of a graph, which is the usual way to run agents.',
      differs:
        'A graph fixes the order of work before the model has seen the task, and its state is a second truth beside the log.',
      instead:
        'An agent is called by people, by a tool of another agent, by a step of a plan, or by an event of a bundle.',
      shown: [
        [
          'test/runtime/testing/delegation/delegate.test.ts',
          'another agent works on a call in its own conversation, and its answer is the result',
        ],
        [
          'test/runtime/testing/delegation/run-plan.test.ts',
          'agents work on the steps of a plan, and a step reads the results that it needs',
        ],
      ],
    },
    {
      does: 'Tools are called through the API of OpenAI.',
      shown: [
        [
          'test/runtime/adapters/models/whole-turns.test.ts',
          'a turn with a tool call runs through the wire of %s, with prompts as %s',
        ],
      ],
    },
    {
      does: 'The provider is an optional part of the build.',
      shown: [
        [
          'test/runtime/adapters/models/open-models.test.ts',
          'a provider whose package is not installed is refused with the command that installs it',
        ],
      ],
    },
    {
      does: 'There is no other provider, no streaming, no memory and no parallel execution.',
      differs: 'These were left out of its first version on purpose.',
      instead: 'All of them are here; a tool is run beside others only if it is marked as safe.',
      shown: [
        [
          'test/runtime/adapters/models/providers.test.ts',
          'the model is called by its name, and names itself in the end',
        ],
        [
          'test/runtime/engine/calls/parallel-calls.test.ts',
          'safe calls of one decision run in parallel, and each result is appended when the call ends',
        ],
      ],
    },
    {
      does: 'The steps of an agent are typed: thought, action, observation, final answer, error.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'after a prompt the model thinks, calls a tool, and its answer closes the turn',
        ],
      ],
    },
    {
      does: 'Steps survive being written and read.',
      shown: [
        [
          'test/contract/timeline-store/reading.ts',
          'every field of a block comes back, and absent ones stay absent',
        ],
      ],
    },
    {
      does: 'The record of an agent is created when it is missing.',
      shown: [
        [
          'test/contract/timeline-store/accept.ts',
          'a first prompt opens a turn and is answered with the turn that its path names',
        ],
      ],
    },
    {
      does: 'The final answer is in the record and in a field of the result.',
      shown: [
        [
          'test/runtime/client/client.test.ts',
          'a sent message becomes a turn whose channels stream and whose result is typed',
        ],
      ],
    },
    {
      does: 'The input of the agent is the text of the user, unchanged.',
      shown: [
        [
          'test/runtime/timeline/render/trace.test.ts',
          'the record has the question, each call with its result, every event, the draft and the request',
        ],
        ['test/contract/timeline-store/reading.ts', 'text with %s survives byte for byte'],
      ],
    },
    {
      does: 'A tool has a name, a description, a schema of its input and an asynchronous function.',
      shown: [
        [
          'test/runtime/sdk/tools/compile-tool.test.ts',
          'input is repaired and parsed, or refused with a path, before run',
        ],
      ],
    },
    {
      does: 'A schema whose root is not an object is refused.',
      shown: [
        [
          'test/runtime/adapters/mcp/read-tools.test.ts',
          'one broken tool is left out with a reason and harms no other',
        ],
        [
          'test/runtime/sdk/agents/json-types.test.ts',
          'a schema with a root that is not an object stops the load',
        ],
      ],
    },
    {
      does: 'The error of a tool has a type of its own, and callers see which tool failed.',
      shown: [
        [
          'test/runtime/sdk/tools/compile-tool.test.ts',
          'a refusal has the same effect returned or thrown',
        ],
      ],
    },
    {
      does: 'A model that calls tools is one interface with one request and one reply.',
      shown: [
        [
          'test/runtime/adapters/models/contract.test.ts',
          'says its text in pieces and ends with exactly one done',
        ],
      ],
    },
    {
      does: 'An agent is built from a model, tools, a system prompt with a default, a limit of rounds and a policy for failed tools.',
      shown: [
        [
          'test/runtime/sdk/agents/compile-bundle.test.ts',
          'later layers win key by key: default, installation, agent, operator; ceilings apply',
        ],
      ],
    },
    {
      does: 'A node has twelve iterations by default.',
      differs: 'Fifteen is the number for agents in general.',
      instead: 'The starter `graph` has twelve.',
      shown: [
        [
          'test/runtime/sdk/agents/starters.test.ts',
          'the starters have the numbers and policies that they are named after',
        ],
      ],
    },
    {
      does: 'Two tools with one name are an error of the construction, never a crash.',
      shown: [
        [
          'test/runtime/sdk/agents/compile-bundle.test.ts',
          'all problems of a bundle are reported at once',
        ],
        [
          'test/runtime/channels/protocol-names.test.ts',
          'ids that would share a name are reported, and have different names all the same',
        ],
      ],
    },
    {
      does: 'The prompt is made again in every iteration: system text, user text, and calls with their results from the record.',
      shown: [
        [
          'test/runtime/timeline/render/message-round.test.ts',
          'native tools: calls and results are parts of their own, in pairs, with the answer as plain text',
        ],
        [
          'test/runtime/engine/ask/replayed-prompts.test.ts',
          'every past prompt can be rebuilt from the log and the stored bytes later',
        ],
      ],
    },
    {
      does: 'The system text describes behaviour only; tools go through the API.',
      shown: [
        [
          'test/runtime/engine/agent/instruction.test.ts',
          'tools that are offered beside the text are not listed in it',
        ],
      ],
    },
  ],
};
