import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import { runs } from '../../../tools/runs.ts';
import { legalLogs } from '../logs/logs.ts';

const announce = 'ANNOUNCE - Round 1/15';

test('cached segments do not change a prompt: a fresh copy of the log renders to the same text', () => {
  fc.assert(
    fc.property(legalLogs, (blocks) => {
      let view = emptyView;
      for (const block of blocks) {
        view = foldAll(view, [block]);
        const asOf = view.head;
        const grown = render(view, { asOf, announce });
        if (block.type !== 'view.hide' && asOf < blocks.length) continue;
        const again = foldAll(emptyView, structuredClone(blocks.slice(0, asOf)));
        expect(render(again, { asOf, announce })).toEqual(grown);
        expect(grown.tokens).toBeGreaterThan(0);
      }
    }),
    runs(8),
  );
});
