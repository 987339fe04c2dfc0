import type { Comparison } from './comparison.ts';

export const memorySearch: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: 'A visible path is read directly.',
      shown: [
        [
          'test/runtime/tools/react/read.test.ts',
          'paths are read whole with line numbers, and missing ones are listed; both are results',
        ],
      ],
    },
    {
      does: 'A summary leads to the index of its turn, which lists messages, events, calls, files and sources with short hints.',
      shown: [
        [
          'test/runtime/timeline/resolve/resolve.test.ts',
          'the index of a turn names every readable item',
        ],
      ],
    },
    {
      does: 'The index is computed when it is asked for and is not stored.',
      shown: [
        [
          'test/runtime/timeline/resolve/resolve.test.ts',
          'the index of a turn names every readable item',
        ],
        [
          'test/runtime/tools/exec/recover-program.test.ts',
          'from %s, an index lists messages and files under paths that can be read',
        ],
      ],
    },
    {
      does: 'Turns are found by topic, over summaries, messages of users, answers and attachments.',
      shown: [
        ['test/runtime/tools/react/memsearch.test.ts', 'a query finds turns, with paths to read'],
        [
          'test/runtime/timeline/search/snippet.test.ts',
          'an attachment is found by its name, and the indexed text is bounded',
        ],
      ],
    },
    {
      does: 'An overview of the conversation lists its turns in order.',
      shown: [
        [
          'test/runtime/tools/react/memsearch.test.ts',
          'without parameters it lists the turns before this one, and finding nothing is not an error',
        ],
      ],
    },
    {
      does: 'A turn is found by its number, and by the time in which it was.',
      shown: [
        [
          'test/runtime/tools/react/memsearch.test.ts',
          'turns are found by position and by time, depending on the given fields',
        ],
      ],
    },
    {
      does: 'A bundle searches the memory of its user, and reads what it finds.',
      shown: [
        [
          'test/runtime/sdk/context/search-memory.test.ts',
          "a bundle searches only the user's own memory and gets readable paths",
        ],
      ],
    },
    {
      does: 'Clients list conversations, fetch one, list turns with their feedback, and list the conversations of a period with feedback.',
      shown: [
        [
          'test/runtime/client/management.test.ts',
          'conversations are searched, pinned and listed page by page',
        ],
        [
          'test/runtime/gateway/routes/feedback-routes.test.ts',
          'a period is listed by conversation, with its counts, page by page',
        ],
        ['test/contract/timeline-store/feedback.ts', 'turns are listed by their names'],
      ],
    },
    {
      does: 'A conversation store keeps payloads, timelines and artifacts of turns.',
      shown: [
        [
          'test/contract/timeline-store/reading.ts',
          'every field of a block comes back, and absent ones stay absent',
        ],
        ['test/contract/blob-store.ts', 'bytes are named by their hash and come back whole'],
      ],
    },
  ],
};
