import { createScanner } from '../../runtime/channels/scan/scanner.ts';
import { type Figure, toFigure } from './figure.ts';

const deltaChars = 4;
const rounds = 15;
/** A server reads replies all day: the compiler is done with these functions before they are measured. */
const warmUpsMax = 200;

/**
 * What one delta of four characters costs, in a reply of some 16,000 characters with every kind of channel:
 * beside adding it to a string, the least anyone can do, and beside what is done without a scanner, looking
 * through the whole text so far again. The latter grows with the reply; the scanner does not.
 */
export function benchScanner(): Figure[] {
  const deltas = cut(reply(), deltaChars);
  const inTurns = (other: Way, warmUps: number) => {
    for (let round = 0; round < warmUps; round += 1)
      costOf(scanning, deltas) + costOf(other, deltas);
    const costs = Array.from({ length: rounds }, () => [
      costOf(scanning, deltas),
      costOf(other, deltas),
    ]);
    return {
      ours: costs.map(([ours = 0]) => ours),
      theirs: costs.map(([, theirs = 0]) => theirs),
      unit: 'ns per delta',
    };
  };
  return [
    toFigure('scanner.delta_vs_concat', inTurns(adding, warmUpsMax)),
    toFigure('scanner.delta_vs_reparse', inTurns(reading, 2)),
  ];
}

/** Goes through the deltas and gives a number that depends on each, so that no step can be left out. */
type Way = (deltas: readonly string[]) => number;

function costOf(way: Way, deltas: readonly string[]): number {
  const started = performance.now();
  const sum = way(deltas);
  const ns = (performance.now() - started) * 1e6;
  if (sum === 0) throw new Error('a measured way did no work');
  return ns / deltas.length;
}

function scanning(deltas: readonly string[]): number {
  const scanner = createScanner();
  let events = 0;
  for (const delta of deltas) events += scanner.push(delta).length;
  return events + scanner.end().length;
}

function adding(deltas: readonly string[]): number {
  let text = '';
  let sum = 0;
  for (const delta of deltas) {
    text += delta;
    sum += text.length;
  }
  return sum;
}

const channel = /<channel:([\w-]+)[^>]*>([\s\S]*?)(?:<\/channel:\1[^>]*>|$)/g;

function reading(deltas: readonly string[]): number {
  let text = '';
  let sum = 0;
  for (const delta of deltas) {
    text += delta;
    for (const match of text.matchAll(channel)) sum += match[2]?.length ?? 0;
  }
  return sum;
}

function cut(text: string, chars: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, i) =>
    text.slice(i * chars, (i + 1) * chars),
  );
}

function reply(): string {
  const thought = 'The `temp_max` column has 1461 rows, a < b holds, so I plot it first.\n';
  const line = 'for row in rows: total += row["temp_max"] if row["temp_max"] < 40 else 0\n';
  const answer = `${'Seattle was **warm** in July [[S:1]]; see "the chart". '.repeat(60)}\n`;
  const decision = { action: 'complete', final_answer: answer, suggested_followups: ['And 2015?'] };
  return [
    `<channel:thinking>${thought.repeat(50)}</channel:thinking>`,
    `<channel:code id="c1">\n${line.repeat(60)}</channel:code id="c1">`,
    `<channel:canvas name="a.html" mime="text/html">${'<tr><td>12.8</td><td>July</td></tr>\n'.repeat(120)}</channel:canvas>`,
    `<channel:ReactDecisionOutV2>${JSON.stringify(decision)}</channel:ReactDecisionOutV2>`,
    '<channel:summary>Goal: the weather\nOutcome: a chart</channel:summary>',
  ].join('\n');
}
