import type { Comparison } from './comparison.ts';

export const failuresOfANode: Comparison = {
  system: 'Wesichain',
  rows: [
    {
      does: "The limit is the smaller one of the agent's own and what the graph has left.",
      shown: [
        [
          'test/runtime/testing/delegation/delegate.test.ts',
          'a delegated agent has at most the remaining rounds of its caller',
        ],
        [
          'test/runtime/testing/delegation/delegate.test.ts',
          'a delegated agent has its own rounds, and at most the remaining budget of its caller',
        ],
      ],
    },
    {
      does: 'The number of iterations is kept, so that a resumed agent does not begin to count again.',
      shown: [
        [
          'test/runtime/testing/kit.test.ts',
          'after a worker is killed, another continues the same turn without loss',
        ],
      ],
    },
    {
      does: 'With FailFast a failed tool is recorded and ends the run with an error.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'with toolFailure fail, a failing tool ends the turn with its error',
        ],
        [
          'test/runtime/testing/loop/starters-end.test.ts',
          'graph fails at the first unusable reply, with what was done until then',
        ],
      ],
    },
    {
      does: 'With AppendErrorAndContinue the error becomes the observation, and the run goes on.',
      shown: [
        [
          'test/runtime/tools/calls/run-call.test.ts',
          'a Refusal keeps its code, a Fault its text, anything else is tool_failed with its message cut and masked',
        ],
        [
          'test/runtime/engine/calls/escalate.test.ts',
          'with onFailure %s of the tool and toolFailure %s of the agent the turn ends as %s',
        ],
      ],
    },
    {
      does: 'A malformed tool call is recorded and always fails the run.',
      differs: 'Most models mend a malformed reply when they read what was wrong with it.',
      instead:
        "The model is asked again twice; with `malformed: 'fail'`, as in the starter `graph`, the first one fails the turn.",
      shown: [
        [
          'test/runtime/engine/ask/unusable-replies.test.ts',
          'with malformed: fail the first invalid reply fails the turn',
        ],
      ],
    },
    {
      does: 'Tools of one reply run one after another.',
      shown: [
        [
          'test/runtime/engine/calls/multi-action.test.ts',
          'a bundle runs its calls in order, and surplus calls are recorded as not executed',
        ],
      ],
    },
    {
      does: 'The run ends when a reply has no tool call.',
      shown: [
        [
          'test/runtime/channels/readers/native-reader.test.ts',
          'text without a call is the answer, with what its channels say beside it',
        ],
      ],
    },
    {
      does: 'The node gives one update of its state when it has ended; nothing is saved before.',
      differs:
        'A process that dies in the middle would lose the work, and could repeat its effects.',
      instead:
        'Every step is on the log before the next one begins, and another worker continues there.',
      shown: [
        [
          'test/integration/timeline/crash.test.ts',
          `a server killed \${when} comes back, keeps what it accepted and ends the turn legally`,
        ],
      ],
    },
    {
      does: 'Observers see the start, the end and the error of a node, each call and each result, in order.',
      shown: [
        [
          'test/runtime/testing/hooks-turn.test.ts',
          'observers see every block of a turn once, in order, and an error in one has no effect',
        ],
      ],
    },
    {
      does: 'Observers are given when the graph is run.',
      differs:
        'A bundle declares them, so that a turn that another process continues is observed as well.',
      instead: '`hooks` of a bundle or of an agent, with `observe`.',
      shown: [
        [
          'test/runtime/testing/agent-hooks.test.ts',
          'observers get each reply and each text that people see, in order',
        ],
      ],
    },
    {
      does: 'The tests of the provider need no key.',
      shown: [
        ['test/runtime/adapters/models/recorded-streams.test.ts', '%s is the same in torn packets'],
      ],
    },
    {
      does: 'There are examples of an agent with a tool, of both failure policies, and of an observer.',
      shown: [
        [
          'test/guide/library/with-hooks.test.ts',
          'the atlas stays in the house, and no answer promises anything',
        ],
        ['test/guide/library/bundle.test.ts', 'a book is found, cited and lent'],
      ],
    },
    {
      does: 'Earlier imports go on working, and what is replaced says by what.',
      shown: [
        ['test/runtime/sdk/define/exports.test.ts', 'the SDK exports exactly these names'],
        [
          'test/runtime/sdk/agents/compile-bundle.test.ts',
          'an unknown key stops the load, and the nearest known key is suggested',
        ],
      ],
    },
  ],
};
