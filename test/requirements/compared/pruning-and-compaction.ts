import type { Comparison } from './comparison.ts';

export const pruningAndCompaction: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: 'Cache checkpoints are computed by rounds.',
      shown: [
        [
          'test/runtime/timeline/render/checkpoints.test.ts',
          'the pre-tail mark is at the last mark of an earlier request, where an entry exists',
        ],
      ],
    },
    {
      does: 'There are at most three: at the end of the previous turn, before the tail, and at the tail.',
      shown: [
        [
          'test/runtime/timeline/render/render.test.ts',
          '%s: there are at most three checkpoints, the last on the last cached part, none in SOURCES or ANNOUNCE',
        ],
      ],
    },
    {
      does: 'A prompt reuses the cached prefix of the one before it, across turns.',
      shown: [
        [
          'test/runtime/timeline/render/render.test.ts',
          '%s: I5: a prompt extends the one before it, part by part up to its tail checkpoint, unless a block declares a break',
        ],
        [
          'test/e2e/bench-cache.test.ts',
          '50 turns have the promised hits, explained misses and costs on a counting provider',
        ],
      ],
    },
    {
      does: 'TTL pruning replaces older blocks by compact rows that can be read again, once the cache has expired.',
      shown: [
        [
          'test/runtime/timeline/prune/cache-cold.test.ts',
          'a prefix that may still be cached is never changed',
        ],
        [
          'test/runtime/timeline/prune/prune.test.ts',
          'the state of an old turn omits replaced plans, and shows only the finished steps of a closed plan',
        ],
      ],
    },
    {
      does: 'A pruned turn shows its working summary, or rows with paths.',
      shown: [
        [
          'test/runtime/timeline/prune/prune.test.ts',
          'an old turn is replaced by its summary and its kept items, under headings that exist only after a prune',
        ],
        [
          'test/runtime/timeline/prune/prune.test.ts',
          'without a summary an old turn is replaced by its state and one row for each readable item',
        ],
      ],
    },
    {
      does: 'Compaction replaces an older range by a summary before the window of the model overflows.',
      shown: [
        [
          'test/runtime/engine/compact/compact-chat.test.ts',
          'a chat of sixty turns stays within its limit through repeated compaction',
        ],
        [
          'test/runtime/engine/compact/compact.test.ts',
          'a prompt that is too large for the provider is compacted once and retried',
        ],
      ],
    },
    {
      does: 'Neither pruning nor compaction deletes anything; paths stay valid.',
      shown: [
        [
          'test/runtime/engine/compact/compact-reading.test.ts',
          'everything in a compacted turn can be read as before',
        ],
        ['test/runtime/timeline/compact/compact.test.ts', 'every path in a memory resolves'],
      ],
    },
    {
      does: 'Working summaries are part of what a compaction is made from, and notes stay as anchors.',
      shown: [
        [
          'test/runtime/timeline/compact/compact.test.ts',
          'the notes named in the summary prompt are in the memory, for a summary of any length',
        ],
        [
          'test/runtime/timeline/compact/fit.test.ts',
          'a pinned note is kept longer than every other note, word for word',
        ],
      ],
    },
    {
      does: 'Followups and steers stay visible through a compaction.',
      shown: [
        [
          'test/runtime/timeline/compact/compact.test.ts',
          'no event is lost: each event of a removed turn is in the memory, as text or by its path',
        ],
      ],
    },
    {
      does: 'Compaction needs nothing of a bundle.',
      shown: [
        [
          'test/runtime/engine/compact/compact-chat.test.ts',
          'a chat of sixty turns stays within its limit through repeated compaction',
        ],
      ],
    },
    {
      does: 'A turn may have several messages of users and several answers.',
      shown: [
        [
          'test/contract/timeline-store/joining.ts',
          'of prompts that race into one turn one is its prompt; the others join it under their own paths',
        ],
        [
          'test/runtime/timeline/resolve/resolve.test.ts',
          'an alias resolves to the path that it stands for',
        ],
      ],
    },
    {
      does: 'ANNOUNCE lists the newest events of the turn in short.',
      shown: [
        [
          'test/runtime/timeline/render/announce.test.ts',
          'of the events of the turn the last four are shown, in short, with their files',
        ],
      ],
    },
    {
      does: 'Older texts of users and assistants are cut at 4,000 characters.',
      differs:
        'Cutting what people said loses rules and numbers; it is the cheapest part of a prompt.',
      instead:
        'Messages stay whole until their turn is compacted; a pruned turn keeps its events, and its answer by its path.',
      shown: [
        [
          'test/runtime/timeline/prune/prune.test.ts',
          'an old turn is replaced by its summary and its kept items, under headings that exist only after a prune',
        ],
        [
          'test/runtime/engine/compact/compact-reading.test.ts',
          'a message that leaves no room is shown by its beginning and can be read in full under its path',
        ],
      ],
    },
    {
      does: 'An older result of a tool is cut at 400 characters, lists at 50 items, objects at 80 keys.',
      shown: [
        [
          'test/runtime/timeline/prune/prune.test.ts',
          'a recent turn that is not intact loses only results that can be found again',
        ],
        [
          'test/runtime/timeline/prune/shorten.test.ts',
          'of a shortened result texts keep 400 characters, lists 50 items and objects 80 keys',
        ],
      ],
    },
    {
      does: 'Runs of base64 characters are replaced by a placeholder.',
      shown: [
        ['test/runtime/timeline/render/items.test.ts', 'a run of encoded bytes is not shown'],
        [
          'test/runtime/timeline/base64-runs.test.ts',
          'encoded bytes are left out, in one run or in wrapped lines, in any context',
        ],
      ],
    },
    {
      does: 'A run of base64 characters is replaced from 4,000 characters on.',
      differs: 'Half of that is worth nothing to a model either.',
      instead: 'From 2,048 characters on, also in wrapped lines.',
      shown: [
        [
          'test/runtime/timeline/base64-runs.test.ts',
          'encoded bytes are left out, in one run or in wrapped lines, in any context',
        ],
      ],
    },
    {
      does: 'A source whose text is encoded bytes loses them in the pool.',
      differs: 'The log is the record, from which nothing is removed.',
      instead: 'No prompt shows them; a program reads the row whole.',
      shown: [
        ['test/runtime/timeline/render/items.test.ts', 'a run of encoded bytes is not shown'],
        [
          'test/runtime/tools/exec/fetch-context.test.ts',
          'a program fetches messages, calls, results and sources',
        ],
      ],
    },
    {
      does: 'Whatever was cut, hidden or pruned is read again with react.read; a range stays the same range.',
      shown: [
        [
          'test/runtime/engine/compact/compact-reading.test.ts',
          'everything in a compacted turn can be read as before',
        ],
        [
          'test/runtime/tools/react/text-window.test.ts',
          'following `next` shows every character exactly once, for any limits',
        ],
      ],
    },
    {
      does: 'A pruned skill leaves its path, and is read again.',
      shown: [
        [
          'test/runtime/timeline/compact/memory-rows.test.ts',
          'a skill that was read has one row and none among the results; a missing skill has none',
        ],
        [
          'test/runtime/timeline/compact/memory-text.test.ts',
          'a memory names the skills that were read, and says that the text below it is newer',
        ],
      ],
    },
  ],
};
