import type { Comparison } from './comparison.ts';

export const citationsAndFeedback: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: '[[S:1]], [[S:2,3]] and [[S:1-4]] in answers become citations.',
      shown: [
        [
          'test/runtime/channels/citations/citations.test.ts',
          'citations become links, in the order of their sources',
        ],
        [
          'test/runtime/channels/citations/citations.test.ts',
          'spelling variants are accepted: case, blanks, full width, dashes, reversed and doubled ranges',
        ],
      ],
    },
    {
      does: 'A source has a number, a title and an address, and is kept once per conversation.',
      shown: [
        [
          'test/runtime/tools/services/turn-services.test.ts',
          'sources keep their sids across concurrent calls, and the same address is the same source',
        ],
      ],
    },
    {
      does: 'A source has a type, a relevance, a date of publication and an icon.',
      shown: [
        [
          'test/runtime/testing/source-facts.test.ts',
          'what is known of a source is kept in the pool and sent with its citation',
        ],
      ],
    },
    {
      does: 'Users rate a turn with ok, not_ok, neutral or null, and may add a text.',
      shown: [
        [
          'test/runtime/gateway/routes/feedback-routes.test.ts',
          'feedback on a turn is kept, replaced by later feedback, and taken back by null',
        ],
      ],
    },
    {
      does: 'Bundles rate turns as well, beside the user.',
      shown: [
        [
          'test/runtime/testing/machine-feedback.test.ts',
          'checks of a bundle stand beside the feedback of the user, and both are counted',
        ],
      ],
    },
    {
      does: 'The satisfaction rate is ok / (ok + not_ok + neutral).',
      shown: [
        [
          'test/runtime/testing/machine-feedback.test.ts',
          'checks of a bundle stand beside the feedback of the user, and both are counted',
        ],
      ],
    },
  ],
};
