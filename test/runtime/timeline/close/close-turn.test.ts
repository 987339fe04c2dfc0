import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settle } from '../../../../runtime/timeline/close/close-turn.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { runs } from '../../../tools/runs.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { cutLogs } from '../logs/logs.ts';

// proves: i4.pairs

const now = '2026-01-01T01:00:00.000Z';

test('I4: a log cut anywhere is valid again after it is settled and closed', () => {
  fc.assert(
    fc.property(cutLogs, ({ blocks, cut }) => {
      const log = new LogWriter('conv_test', blocks.slice(0, cut));
      const { openTurn } = foldAll(emptyView, log.blocks);
      log.append(...settle(foldAll(emptyView, log.blocks), { reason: 'interrupted', now }));
      if (openTurn) {
        log.append({
          type: 'turn.close',
          turn: openTurn.id,
          author: 'system',
          data: { reason: 'interrupted' },
        });
      }
      expect(verify(log.blocks)).toEqual([]);
      expect(foldAll(emptyView, log.blocks).openTurn).toBeUndefined();
    }),
    runs(40),
  );
});
