import type { Comparison } from './comparison.ts';

export const loopLimits: Comparison = {
  system: 'FIM One',
  rows: [
    {
      does: 'Each iteration checks the budget of the context before it asks the model.',
      shown: [
        [
          'test/runtime/engine/compact/long-turn.test.ts',
          'a turn that outgrows its prompt continues from a ledger of its own rounds',
        ],
        [
          'test/runtime/engine/compact/compact-chat.test.ts',
          'a chat of sixty turns stays within its limit through repeated compaction',
        ],
      ],
    },
    {
      does: 'An unreadable reply counts as an iteration, so that retries cannot go on without end.',
      shown: [
        [
          'test/runtime/engine/ask/unusable-replies.test.ts',
          'only unusable replies in a row end a turn; a usable one between them starts the count again',
        ],
        [
          'test/runtime/engine/ask/weak-replies.test.ts',
          'if no round is left, plain text is the answer',
        ],
      ],
    },
    {
      does: 'A tool call is executed and its observation appended; a final answer ends the loop.',
      shown: [
        [
          'test/runtime/engine/turns/turn.test.ts',
          'after a prompt the model thinks, calls a tool, and its answer closes the turn',
        ],
      ],
    },
    {
      does: 'All results of a reply directly follow the reply with their calls; nothing stands between them.',
      shown: [
        [
          'test/runtime/adapters/models/legal-prompts.test.ts',
          'every prompt of whole conversations is legal with every provider, in each form, after any hide, prune and compaction',
        ],
        [
          'test/runtime/timeline/render/message-round.test.ts',
          'native tools: calls and results are parts of their own, in pairs, with the answer as plain text',
        ],
      ],
    },
    {
      does: 'In native mode a reply without a call is the final answer.',
      shown: [
        [
          'test/runtime/channels/readers/native-reader.test.ts',
          'text without a call is the answer, with what its channels say beside it',
        ],
      ],
    },
    {
      does: 'A turn has 50 iterations by default.',
      differs: 'Fifty rounds hide a model that makes no progress, at the cost of the user.',
      instead: 'A turn has 15 rounds unless its agent says otherwise; the starter `fim` has 50.',
      shown: [
        [
          'test/runtime/sdk/agents/starters.test.ts',
          'the starters have the numbers and policies that they are named after',
        ],
        [
          'test/runtime/timeline/render/announce.test.ts',
          'ANNOUNCE of a simple turn contains its budget, its time, its turn and no plans',
        ],
      ],
    },
    {
      does: 'A loop that reaches its limit without an answer ends with a summary of which tools ran and whether each succeeded.',
      shown: [
        [
          'test/runtime/testing/loop/starters-end.test.ts',
          'fim has no finalizing call: at the cap the steps are the answer',
        ],
      ],
    },
    {
      does: 'Compaction is asked to keep the recent chain of reasoning.',
      shown: [
        [
          'test/runtime/timeline/compact/unseen-rounds.test.ts',
          'a round that no prompt has shown is not covered',
        ],
      ],
    },
  ],
};
