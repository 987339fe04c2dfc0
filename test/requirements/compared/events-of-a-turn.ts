import type { Comparison } from './comparison.ts';

export const eventsOfATurn: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: 'The timeline is the only truth of a conversation; it is durable and is loaded at the start of each turn.',
      shown: [
        [
          'test/integration/timeline/crash.test.ts',
          `a server killed \${when} comes back, keeps what it accepted and ends the turn legally`,
        ],
        [
          'test/runtime/timeline/fold/fold.test.ts',
          'folding a prefix and then the rest equals folding everything',
        ],
      ],
    },
    {
      does: 'All sources of a conversation are kept in one pool, with their whole rows, so that fetched pages can be read again.',
      shown: [
        [
          'test/runtime/tools/services/turn-services.test.ts',
          'sources keep their sids across concurrent calls, and the same address is the same source',
        ],
        [
          'test/runtime/tools/web/web-tools.test.ts',
          'hits and pages are sources of one pool, each address once, and the text replaces the snippet',
        ],
        [
          'test/runtime/tools/react/read-more.test.ts',
          'a selection of sources returns the existing rows and lists the missing ones',
        ],
      ],
    },
    {
      does: 'Events that arrive while a conversation is busy are appended to its timeline first.',
      shown: [
        [
          'test/runtime/gateway/socket/socket-server.test.ts',
          'a followup and a steer join the open turn, and a steer is signalled',
        ],
        [
          'test/runtime/gateway/socket/socket-server.test.ts',
          'a prompt starts a turn, and its sender receives everything from its own event on',
        ],
      ],
    },
    {
      does: 'Forms, wizards and alerts are events of the same family as followups.',
      shown: [
        [
          'test/runtime/testing/operations.test.ts',
          'a pager opens a conversation of the user on call, with a turn that reads the alert',
        ],
        [
          'test/runtime/sdk/agents/compile-bundle.test.ts',
          'an event kind parses its payload and returns its text',
        ],
      ],
    },
    {
      does: 'A reactive event joins the turn at work and is read at the next decision.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'a followup during a turn is folded at the next decision, and the answer waits for it',
        ],
      ],
    },
    {
      does: 'A steer tries to cancel the generation or the tool that runs, at once.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'a steer stops the generation and is answered in the same turn',
        ],
        [
          'test/runtime/engine/calls/parallel-calls.test.ts',
          'a steer stops all parallel calls, and each of them has a result',
        ],
        [
          'test/integration/exec/turn.test.ts',
          'a steer stops a running program, keeps what it made, and the model goes on with it',
        ],
      ],
    },
    {
      does: 'The start of a round is on the timeline, so that an event that arrives while the model thinks is shown inside that round.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'after a prompt the model thinks, calls a tool, and its answer closes the turn',
        ],
        [
          'test/runtime/timeline/render/order.test.ts',
          'each call of a reply is rendered with its notes, its program and its result, in the order of the calls',
        ],
      ],
    },
    {
      does: 'An event after a visible answer leads to another answer in the same turn.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'a followup during a turn is folded at the next decision, and the answer waits for it',
        ],
      ],
    },
    {
      does: 'The newest answer has a stable path, and earlier ones of the turn have numbered paths.',
      shown: [
        [
          'test/runtime/timeline/resolve/resolve.test.ts',
          'an alias resolves to the path that it stands for',
        ],
      ],
    },
    {
      does: 'Every external event has a path with its kind and its message.',
      shown: [
        [
          'test/runtime/gateway/intake/prompt-race.test.ts',
          'of two concurrent prompts to an idle conversation one is the prompt, the other a followup',
        ],
      ],
    },
    {
      does: 'The order of a restored conversation follows from when events began, not from when they were appended.',
      differs:
        'Two clocks would decide the order, and a replay could not give the same prompt again.',
      instead:
        'The order of the log is the order of the conversation, by the clock of the store; a prompt that is read later says in which round it arrived.',
      shown: [
        [
          'test/contract/sql/store.test.ts',
          'a clock that is set back does not reorder a log, nor keep anybody waiting',
        ],
        [
          'test/runtime/timeline/render/order.test.ts',
          'events seen by a covered round are above its text, unseen events below',
        ],
      ],
    },
    {
      does: 'After a steer the turn gets a short bounded phase to finish, and keeps what it has done.',
      shown: [
        [
          'test/runtime/engine/turns/after-steer.test.ts',
          'after a steer two rounds of control tools are left, and ANNOUNCE says so',
        ],
      ],
    },
    {
      does: 'A compaction is reported to clients when it starts and when it ends, and the turn goes on.',
      shown: [
        [
          'test/runtime/gateway/feed/block-envelopes.test.ts',
          'a compaction is reported at its start and its end, under one id',
        ],
      ],
    },
    {
      does: 'Adapters such as Telegram show a compaction as a short line of progress.',
      shown: [
        [
          'test/runtime/client/story/story.test.ts',
          'a compaction is one status line, or none if it changed nothing',
        ],
        [
          'test/e2e/telegram.test.ts',
          'the message of a running turn shows its progress and becomes the answer',
        ],
      ],
    },
  ],
};
