import { setTimeout } from 'node:timers/promises';
import { toProtocolText } from '../../../runtime/adapters/models/scripted/protocol-text.ts';
import { parseScript, type Reply } from '../../../runtime/adapters/models/scripted/reply.ts';
import type { Chance } from '../../runtime/engine/simulation/chance.ts';
import { type ModelWire, openModelWire } from '../../tools/services/model-wire.ts';

/** In the text of every message; an answer repeats all that its model has read. */
export const marker = /M\d+-\d+/g;

const pieceChars = 24;
const pieceMsMax = 120;
const effectMsMax = 300;
const calls = 0.35;
const broken = 0.02;
const words = 'a model writes long answers while processes end and start around it '.split(' ');

/** A provider whose replies are never the same twice, so that a mixture of two of them is seen. */
export function openFleetModel(chance: Chance): Promise<ModelWire> {
  let replies = 0;
  return openModelWire(({ raw }) => {
    replies += 1;
    const reply = toReply(chance, { number: replies, heard: raw.match(marker) ?? [] });
    const [parsed] = parseScript([reply]).replies;
    const text = parsed ? toProtocolText(parsed) : '';
    const pieces = text.match(new RegExp(`.{1,${pieceChars}}`, 'gs')) ?? [];
    const isBroken = chance.happens(broken);
    const shown = isBroken ? pieces.slice(0, chance.below(pieces.length)) : pieces;
    const paced = pace(shown, chance.below(pieceMsMax));
    return isBroken ? { text: paced, end: 'cut' } : { text: paced };
  });
}

function toReply(chance: Chance, { number, heard }: { number: number; heard: readonly string[] }) {
  const thinking = `Thought ${number}: ${filler(chance)}`;
  const tool = chance.one(['bank.pay', 'bank.post']);
  const call = { tool, input: { ms: chance.below(effectMsMax) } };
  const answer = `Answer ${number} to ${[...new Set(heard)].join(' ')}. ${filler(chance)}`;
  return (chance.happens(calls) ? { thinking, call } : { thinking, answer }) satisfies Reply;
}

function filler(chance: Chance): string {
  return words.slice(0, chance.below(words.length)).join(' ');
}

async function* pace(pieces: readonly string[], ms: number): AsyncGenerator<string> {
  for (const piece of pieces) {
    await setTimeout(ms);
    yield piece;
  }
}
