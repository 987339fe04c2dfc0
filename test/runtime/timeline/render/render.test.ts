import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import type { PromptForm } from '../../../../runtime/timeline/render/form.ts';
import { contentOf, roleOf } from '../../../../runtime/timeline/render/parts.ts';
import { type RenderPart, render } from '../../../../runtime/timeline/render/render.ts';
import { runs } from '../../../tools/runs.ts';
import { legalLogs } from '../logs/logs.ts';
import { forms } from './forms.ts';

// proves: i1.prompt-again, i5.prefix, timeline.checkpoints

const announce = 'ANNOUNCE - Round 1/15';

/** The prompts of a log: one for each round, made of what the round had seen. */
function prompts(
  blocks: readonly Block[],
  form: PromptForm,
): readonly { asOf: number; parts: readonly RenderPart[] }[] {
  return blocks
    .filter(({ type }) => type === 'round.open')
    .map(({ data }) => (data as { as_of: number }).as_of)
    .map((asOf) => ({
      asOf,
      parts: render(foldAll(emptyView, blocks.slice(0, asOf)), {
        asOf: toSeq(asOf),
        announce,
        ...form,
      }).parts,
    }));
}

function toTail(parts: readonly RenderPart[]): readonly RenderPart[] {
  return parts.slice(0, parts.findLastIndex(({ checkpoint }) => checkpoint) + 1).map(unmarked);
}

function unmarked({ checkpoint: _, ...part }: RenderPart): RenderPart {
  return part;
}

/** A part as a provider sees it: a message begins where the role changes. */
function inItsMessage(part: RenderPart, index: number, parts: readonly RenderPart[]): string {
  const before = parts[index - 1];
  const begins = before !== undefined && roleOf(before) !== roleOf(part);
  const content = 'path' in part ? part.path : contentOf(part);
  return begins ? `<${roleOf(part)}>${content}` : content;
}

function breaks(blocks: readonly Block[], after: number, until: number): boolean {
  return blocks.slice(after, until).some(({ type }) => type === 'cache.break');
}

test.each(forms)(
  '%s: I5: a prompt extends the one before it, part by part up to its tail checkpoint, unless a block declares a break',
  (_, form) => {
    fc.assert(
      fc.property(legalLogs, (blocks) => {
        const all = prompts(blocks, form);
        all.slice(1).forEach((next, index) => {
          const before = all[index];
          if (!before || breaks(blocks, before.asOf, next.asOf)) return;
          const kept = toTail(before.parts);
          expect(next.parts.slice(0, kept.length).map(unmarked)).toEqual(kept);
        });
      }),
      runs(12),
    );
  },
);

test.each(forms)(
  '%s: I5: a prompt that is rendered at any time begins with the bytes of the previous one',
  (_, form) => {
    fc.assert(
      fc.property(legalLogs, (blocks) => {
        let before = '';
        let from = 0;
        let view = emptyView;
        const asked = blocks.flatMap(({ type, seq, data }) =>
          type === 'round.open' ? [{ asOf: (data as { as_of: number }).as_of, seq }] : [],
        );
        for (let asOf = 1; asOf <= blocks.length; asOf += 1) {
          view = foldAll(view, blocks.slice(asOf - 1, asOf));
          if (asked.some((round) => asOf > round.asOf && asOf < round.seq)) continue;
          // A break is of one append with what it declares: nobody reads between them.
          if (blocks[asOf]?.type === 'cache.break') continue;
          const text = JSON.stringify(
            toTail(render(view, { asOf: toSeq(asOf), announce, ...form }).parts)
              .map(inItsMessage)
              .join(''),
          );
          if (!breaks(blocks, from, asOf)) expect(text.startsWith(before.slice(0, -1))).toBe(true);
          before = text;
          from = asOf;
        }
      }),
      runs(6),
    );
  },
);

test.each(forms)(
  '%s: a past prompt can be rendered again from a longer log, byte for byte',
  (_, form) => {
    fc.assert(
      fc.property(legalLogs, (blocks) => {
        const view = foldAll(emptyView, blocks);
        const quiet = !blocks.some(({ type }) => type === 'cache.break' || type === 'source.row');
        for (const { asOf, parts } of quiet ? prompts(blocks, form) : []) {
          expect(render(view, { asOf: toSeq(asOf), announce, ...form }).parts).toEqual(parts);
        }
      }),
      runs(12),
    );
  },
);

test.each(forms)(
  '%s: there are at most three checkpoints, the last on the last cached part, none in SOURCES or ANNOUNCE',
  (_, form) => {
    fc.assert(
      fc.property(legalLogs, (blocks) => {
        for (const { parts } of prompts(blocks, form)) {
          const marks = parts.flatMap(({ checkpoint }, index) => (checkpoint ? [index] : []));
          const tail = parts.filter(
            (part) => part.kind === 'text' && /^(SOURCES:|ANNOUNCE -) /.test(part.text),
          ).length;
          expect(marks.length).toBeLessThanOrEqual(3);
          expect(marks.at(-1)).toBe(parts.length - tail - 1);
        }
      }),
      runs(12),
    );
  },
);

test.each(forms)('%s: blocks of an unknown type change nothing that is rendered', (_, form) => {
  fc.assert(
    fc.property(legalLogs, (blocks) => {
      const known = blocks.filter(({ type }) => type !== 'future.thing');
      const text = (log: readonly Block[]) =>
        render(foldAll(emptyView, log), {
          asOf: toSeq(log.at(-1)?.seq ?? 0),
          announce,
          ...form,
        }).parts.map(unmarked);
      expect(text(blocks)).toEqual(text(known));
    }),
    runs(12),
  );
});
