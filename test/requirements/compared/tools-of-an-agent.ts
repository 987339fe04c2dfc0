import type { Comparison } from './comparison.ts';

export const toolsOfAnAgent: Comparison = {
  system: 'AgentScope',
  rows: [
    {
      does: 'Tools of MCP servers and functions of the program are called in the same way.',
      shown: [
        [
          'test/integration/mcp/session.test.ts',
          'a tool of a server is called like any other (protocol of 2026: %s)',
        ],
      ],
    },
    {
      does: 'A function is registered with its schema, an MCP client with the tools that its server lists.',
      shown: [
        [
          'test/integration/mcp/turns.test.ts',
          'a model calls the tool of a server, and what does not fit never reaches it',
        ],
        [
          'test/runtime/sdk/tools/compile-tool.test.ts',
          'input is repaired and parsed, or refused with a path, before run',
        ],
      ],
    },
    {
      does: 'The schema of a tool comes from its function, or from the server.',
      shown: [
        [
          'test/runtime/tools/definition/schema.test.ts',
          'the model sees the schema in its order, without presets and without the bounds of safe integers',
        ],
        [
          'test/runtime/adapters/mcp/read-tools.test.ts',
          'a listing is bounded in number, in characters and in what references may unfold to',
        ],
      ],
    },
    {
      does: 'All calls are asynchronous and may run at the same time.',
      shown: [
        [
          'test/runtime/engine/calls/parallel-calls.test.ts',
          'safe calls of one decision run in parallel, and each result is appended when the call ends',
        ],
      ],
    },
    {
      does: 'Tools belong to groups; the basic group is always on, others on demand.',
      shown: [
        [
          'test/runtime/engine/ask/tool-groups.test.ts',
          'a tool of an inactive group is not in the prompt, and a call is refused with the way to get it',
        ],
        [
          'test/runtime/engine/ask/tool-groups.test.ts',
          'a group that is not inactive is on, and cannot be switched off',
        ],
      ],
    },
    {
      does: 'A meta tool switches groups on and off.',
      shown: [
        [
          'test/runtime/engine/ask/tool-groups.test.ts',
          'a group that is switched on is described by the result, and nothing above the tail changes',
        ],
        [
          'test/runtime/engine/ask/tool-groups.test.ts',
          'a group stays on in later turns until it is switched off',
        ],
      ],
    },
    {
      does: 'A preset argument is hidden from the model and merged into its input.',
      shown: [
        [
          'test/runtime/sdk/tools/compile-tool.test.ts',
          'a preset is not in the schema, wins over the model, and may come from the context',
        ],
      ],
    },
    {
      does: 'The input of the model wins over a preset.',
      differs: 'A preset is often an identity or a limit, which a model must not change.',
      instead: 'The preset wins, and the model reads a notice.',
      shown: [
        [
          'test/runtime/sdk/tools/tool-stream.test.ts',
          'a model that sets a preset gets a notice that its value was not used',
        ],
      ],
    },
    {
      does: 'A tool may return one result, or yield several while it runs, as a generator of either kind.',
      shown: [
        [
          'test/integration/supervisors/tools.test.ts',
          'what a generator yields is progress, what it returns is the result',
        ],
      ],
    },
    {
      does: 'A chunk of a streaming tool holds the whole content so far.',
      shown: [
        [
          'test/integration/supervisors/tools.test.ts',
          'of a stream that yields its whole text so far, clients get what is new and the model the last text',
        ],
      ],
    },
    {
      does: 'Tools that stream and tools that do not are used alike.',
      shown: [
        [
          'test/integration/supervisors/tools.test.ts',
          'what a generator yields is progress, what it returns is the result',
        ],
      ],
    },
    {
      does: 'An exception of a tool becomes a result that begins with Error, and the model may try again.',
      shown: [
        [
          'test/runtime/gateway/projections/agentscope.test.ts',
          'a failed call is a result that begins with Error, and the agent goes on',
        ],
        [
          'test/runtime/sdk/tools/tool-stream.test.ts',
          'a stream that throws shows the model what it had yielded',
        ],
      ],
    },
    {
      does: 'A result may carry metadata beside its content.',
      shown: [
        [
          'test/integration/supervisors/tools.test.ts',
          'pages, facts, notes, sources and files belong to the call, in the order they were made',
        ],
      ],
    },
    {
      does: 'Whether the tools of one reply run in order or side by side is a setting of the agent.',
      shown: [
        [
          'test/runtime/engine/calls/parallel-calls.test.ts',
          'safe calls of one decision run in parallel, and each result is appended when the call ends',
        ],
        [
          'test/runtime/engine/calls/parallel-calls.test.ts',
          'an exclusive call starts when the calls before it have ended, and the calls after it wait',
        ],
      ],
    },
    {
      does: 'The default is one after the other.',
      shown: [
        [
          'test/runtime/engine/calls/multi-action.test.ts',
          'a bundle runs its calls in order, and surplus calls are recorded as not executed',
        ],
      ],
    },
    {
      does: 'How many calls a reply may make can be limited by a hook.',
      shown: [
        [
          'test/runtime/channels/reply/multi-action.test.ts',
          'a bundle declines the ninth call and up to seven more, and ends the reply with the next one',
        ],
      ],
    },
    {
      does: 'generate_response ends the loop, and its text is the reply.',
      shown: [
        [
          'test/runtime/channels/readers/native-reader.test.ts',
          'the call "complete" ends the turn behind all other calls and is not a tool',
        ],
      ],
    },
    {
      does: 'A reply of plain text counts as that call.',
      shown: [
        [
          'test/runtime/channels/readers/native-reader.test.ts',
          'text without a call is the answer, with what its channels say beside it',
        ],
      ],
    },
    {
      does: 'If it fails, people see the error and the loop goes on; if it succeeds, its result is not shown.',
      shown: [
        [
          'test/runtime/engine/ask/weak-replies.test.ts',
          'an answer whose output does not match its schema is not shown, and plain text never replaces it',
        ],
      ],
    },
    {
      does: 'A class of a schema makes the reply structured.',
      shown: [
        [
          'test/runtime/sdk/agents/compile-bundle.test.ts',
          'structured output gives a schema to the model and a check of its reply',
        ],
        [
          'test/runtime/engine/turns/output.test.ts',
          'a model has five rounds for an output that fits, then one in which it must give it',
        ],
      ],
    },
    {
      does: 'The choice of a tool can be forced.',
      shown: [
        [
          'test/runtime/engine/turns/output.test.ts',
          'a model with native tools is forced to complete after the grace rounds',
        ],
      ],
    },
    {
      does: 'Remote tools use connections that need no care; time limits, retries and errors are those of a call.',
      shown: [
        [
          'test/integration/mcp/session.test.ts',
          'a session that the server has forgotten is opened again, and the call is made once',
        ],
        [
          'test/integration/mcp/session.test.ts',
          'a server that goes away keeps its tools in the catalogue for a while, with a notice, and comes back on its own',
        ],
        [
          'test/integration/supervisors/tools.test.ts',
          'a call that exceeds its time gets a timeout',
        ],
      ],
    },
  ],
};
