import type { Comparison } from './comparison.ts';

export const answersAndInterrupts: Comparison = {
  system: 'FIM One',
  rows: [
    {
      does: 'The model that writes the answer is asked for the results in Markdown, in the language of the question, without comments on its tools.',
      shown: [
        [
          'test/runtime/engine/agent/answer-instruction.test.ts',
          'the answer instruction asks for Markdown in the language of the question, without a word about the work',
        ],
      ],
    },
    {
      does: 'It reads the original question and the record of the calls with their results.',
      shown: [
        [
          'test/runtime/timeline/render/trace.test.ts',
          'the record has the question, each call with its result, every event, the draft and the request',
        ],
      ],
    },
    {
      does: 'If the answer cannot be written, the short answer of the loop is delivered instead.',
      shown: [
        [
          'test/runtime/engine/turns/answer.test.ts',
          'if the model %s, the inline answer is delivered, marked as degraded',
        ],
      ],
    },
    {
      does: 'People can send messages while the agent works; they are collected between iterations.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'a followup during a turn is folded at the next decision, and the answer waits for it',
        ],
      ],
    },
    {
      does: 'In JSON mode messages are taken in right after the reply of the model, before its final answer counts.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'a followup during a turn is folded at the next decision, and the answer waits for it',
        ],
      ],
    },
    {
      does: 'In native mode messages are taken in only after the results of the calls.',
      shown: [
        [
          'test/runtime/engine/ask/message-form.test.ts',
          'in %s, every prompt of a conversation with calls, a followup and a steer is legal, and a replay gives it again',
        ],
      ],
    },
    {
      does: 'Messages that came in between are pinned: no compaction drops them.',
      shown: [
        [
          'test/runtime/timeline/compact/compact.test.ts',
          'no event is lost: each event of a removed turn is in the memory, as text or by its path',
        ],
        [
          'test/runtime/engine/compact/compact-reading.test.ts',
          'a message that leaves no room is shown by its beginning and can be read in full under its path',
        ],
      ],
    },
    {
      does: 'A final answer is held back while a message waits that it has not taken into account.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'a followup during a turn is folded at the next decision, and the answer waits for it',
        ],
      ],
    },
    {
      does: 'Several messages that came in between are read together, in one decision.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'several followups that arrive during a round are read together by the next decision',
        ],
      ],
    },
    {
      does: 'No failure of a model or a tool crashes the agent: it recovers, or people read what happened.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'a failing model closes the turn with a readable error',
        ],
        [
          'test/runtime/tools/react/mistakes.test.ts',
          'for any input, %s returns one result that the log can hold',
        ],
      ],
    },
    {
      does: 'A reply that stays unreadable becomes the answer in the end.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'after two unusable replies the third becomes a completion marked as degraded',
        ],
        [
          'test/runtime/engine/ask/weak-replies.test.ts',
          'plain text is the answer at the second attempt, is streamed, and stays marked as degraded',
        ],
      ],
    },
    {
      does: 'An unknown tool and an exception of a tool are observations that the model can act on.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'an unknown tool gives a result that the model can continue from',
        ],
        [
          'test/runtime/tools/calls/run-call.test.ts',
          'a Refusal keeps its code, a Fault its text, anything else is tool_failed with its message cut and masked',
        ],
      ],
    },
    {
      does: 'Reasoning that a provider reports beside the reply is used as its reasoning.',
      shown: [
        [
          'test/runtime/adapters/models/providers.test.ts',
          'the reasoning of a provider is kept apart from its text',
        ],
        [
          'test/runtime/channels/readers/native-reader.test.ts',
          'reasoning is thinking, and alone it is not an answer',
        ],
      ],
    },
    {
      does: 'A result that is an HTML or Markdown page is shown to people, and the model reads one line about it.',
      shown: [
        [
          'test/runtime/tools/calls/page-result.test.ts',
          '$what becomes a file, and the model reads one line',
        ],
      ],
    },
    {
      does: 'The progress of the loop is sent as `step` events: thinking and each call, at their start and their end.',
      shown: [
        [
          'test/runtime/gateway/projections/fim.test.ts',
          '$name: every such event of the corpus has the fields of its row',
        ],
        [
          'test/runtime/gateway/projections/fim.test.ts',
          '%s: thinking is done before tools and answers, and one done ends the turn',
        ],
      ],
    },
    {
      does: 'The answer is sent as `answer` events: start, deltas, done.',
      shown: [
        [
          'test/runtime/gateway/projections/fim.test.ts',
          '$name: every such event of the corpus has the fields of its row',
        ],
      ],
    },
    {
      does: '`compact`, `phase` and `inject` report a compaction, the choice of tools and a message that was taken in.',
      shown: [
        [
          'test/runtime/gateway/projections/fim.test.ts',
          '$name: every such event of the corpus has the fields of its row',
        ],
        [
          'test/runtime/gateway/projections/fim.test.ts',
          'no event is outside the table, but for a confirmation, which its page knows as well',
        ],
      ],
    },
    {
      does: '`done` has the answer, the iterations, the usage and the time.',
      shown: [
        [
          'test/runtime/gateway/projections/fim.test.ts',
          '$name: every such event of the corpus has the fields of its row',
        ],
      ],
    },
    {
      does: 'A page shows each call with its arguments and its result, the answer while it is written, and where the context was summarised.',
      shown: [
        [
          'test/e2e/page.test.ts',
          'the page shows a conversation live: thinking, tools, code and output, growing widgets, files, the answer',
        ],
        [
          'test/runtime/client/story/story.test.ts',
          'a compaction is one status line, or none if it changed nothing',
        ],
      ],
    },
  ],
};
