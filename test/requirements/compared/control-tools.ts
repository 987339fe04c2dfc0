import type { Comparison } from './comparison.ts';

export const controlTools: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: 'A large first result is stored whole and shown as a preview with its size, its shape and how to read on.',
      shown: [
        [
          'test/runtime/tools/results/preview.test.ts',
          'a larger result is shown as its size, shape, beginning and how to read on',
        ],
        [
          'test/runtime/tools/calls/run-call.test.ts',
          'a large result is previewed, kept whole as a blob, and read again under its path',
        ],
      ],
    },
    {
      does: 'A program reads the whole result through ctx_tools.fetch_ctx.',
      shown: [
        [
          'test/runtime/tools/exec/fetch-context.test.ts',
          'a program fetches messages, calls, results and sources',
        ],
        [
          'test/runtime/tools/exec/report.test.ts',
          'a program can read the whole of a result that is longer than its report',
        ],
      ],
    },
    {
      does: 'react.read opens every family of paths: messages, calls, files, sources, summaries, skills, knowledge.',
      shown: [
        [
          'test/runtime/tools/exec/fetch-context.test.ts',
          'a program fetches messages, calls, results and sources',
        ],
        ['test/runtime/timeline/resolve/resolve.test.ts', '%s is read'],
        [
          'test/guide/library/with-knowledge.test.ts',
          'a page of the handbook is found by a word and read',
        ],
      ],
    },
    {
      does: 'react.read takes exact ranges of lines, as react.rg returns them.',
      shown: [
        [
          'test/runtime/tools/react/read.test.ts',
          'a part is read by lines or by characters, numbered as in the whole',
        ],
        [
          'test/runtime/tools/react/files.test.ts',
          'only files of this turn and pulled files are searched',
        ],
      ],
    },
    {
      does: 'A preview says which lines are fully visible, and marks a line that is cut in the middle.',
      shown: [
        [
          'test/runtime/tools/react/read-more.test.ts',
          'a part that begins past the end is marked, and so is a clipped line',
        ],
      ],
    },
    {
      does: 'max_text_symbols asks for a smaller preview, and stats_only for sizes alone.',
      shown: [
        ['test/runtime/tools/react/read.test.ts', 'stats give sizes without the text'],
        [
          'test/runtime/tools/react/read.test.ts',
          'each path has its limits, all paths of a read together have twice as much, and clipped ones say how to read on',
        ],
      ],
    },
    {
      does: 'PDFs and images are attached whole, below a limit of bytes; other binary files are listed only.',
      shown: [
        [
          'test/runtime/tools/react/read-more.test.ts',
          'images and PDFs that are read are attached after the result, with their token counts',
        ],
        [
          'test/runtime/tools/react/read-more.test.ts',
          'a file that cannot be attached whole is listed with its size, and no part of it is shown',
        ],
      ],
    },
    {
      does: 'react.rg searches names and contents of files of this turn and of pulled ones, by regular expressions.',
      shown: [
        [
          'test/runtime/tools/react/files.test.ts',
          'only files of this turn and pulled files are searched',
        ],
      ],
    },
    {
      does: 'Its result has sizes, line counts, paths and ranges that react.read takes.',
      shown: [
        [
          'test/runtime/tools/react/rg.test.ts',
          'a match has its path, its size and a range that react.read takes',
        ],
      ],
    },
    {
      does: 'It does not search the conversation.',
      differs: 'A model that remembers a word and not its turn needs exactly that.',
      instead:
        'With the root `timeline` it searches messages, calls and whole results of this conversation as well.',
      shown: [
        [
          'test/runtime/tools/react/files.test.ts',
          'root timeline searches messages and calls with whole results, but not the search itself',
        ],
      ],
    },
    {
      does: 'react.memsearch finds earlier turns by topic, number or time.',
      shown: [
        [
          'test/runtime/tools/react/memsearch.test.ts',
          'turns are found by position and by time, depending on the given fields',
        ],
      ],
    },
    {
      does: 'react.pull brings files of earlier turns, read-only.',
      shown: [
        [
          'test/runtime/tools/react/files.test.ts',
          'files of earlier turns are pulled by path or by folder, and missing ones are listed',
        ],
      ],
    },
    {
      does: 'react.checkout copies earlier files into the workspace of the turn, for editing.',
      shown: [
        [
          'test/runtime/tools/react/files.test.ts',
          'checked-out files belong to this turn and have the same bytes',
        ],
      ],
    },
    {
      does: 'react.write creates text files, and react.patch changes those of the turn.',
      shown: [
        [
          'test/runtime/tools/react/write.test.ts',
          'a display text becomes a file and a canvas, which is streamed unless it was already',
        ],
        [
          'test/runtime/tools/react/write.test.ts',
          'a diff changes the file, and the next diff applies to the changed file',
        ],
      ],
    },
    {
      does: 'Line numbers of a preview never get into a patch.',
      shown: [
        [
          'test/runtime/tools/react/write.test.ts',
          'a patch that cannot be applied says why and where to look',
        ],
      ],
    },
    {
      does: 'channel="internal" makes an internal file, with scratchpad=true short notes.',
      shown: [
        [
          'test/runtime/tools/react/write.test.ts',
          'internal is for the agent, a file is not a canvas, timeline text is a message, a scratchpad is a note',
        ],
      ],
    },
    {
      does: 'react.hide replaces a bulky path near the end of the prompt by a short text.',
      shown: [
        [
          'test/runtime/tools/react/plan.test.ts',
          'a text near the end is replaced by the text of the agent, with a hint on how to show it again',
        ],
        [
          'test/runtime/tools/react/plan.test.ts',
          'a text far from the end is not hidden, and an unknown path is not found',
        ],
      ],
    },
    {
      does: 'A read has limits of characters and tokens for text, and of bytes for all.',
      shown: [
        [
          'test/runtime/tools/react/read.test.ts',
          'each path has its limits, all paths of a read together have twice as much, and clipped ones say how to read on',
        ],
      ],
    },
  ],
};
