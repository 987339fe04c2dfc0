import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Protocol,
  protocols,
  type ReplyPiece,
} from '../../../../runtime/channels/protocol/reply-piece.ts';
import { createToolNames } from '../../../../runtime/channels/protocol/tool-names.ts';
import { parsePieceLog } from '../../../../runtime/channels/readers/parse-piece-log.ts';
import { actionRules } from '../../../../runtime/engine/agent/multi-action.ts';
import { promptContent } from '../../../../runtime/engine/perform/ask/prompt-content.ts';
import { actionsOf, isCall } from '../../../../runtime/engine/plan/actions.ts';
import { blocksFromReply } from '../../../../runtime/engine/reply/blocks-from-reply.ts';
import { createReplyReader } from '../../../../runtime/engine/reply/read-reply.ts';
import { silentPublisher } from '../../../../runtime/engine/reply/reread-reply.ts';
import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import type { PromptForm } from '../../../../runtime/timeline/render/form.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTurnLedger } from '../../../../runtime/tools/services/turn-ledger.ts';
import {
  faultsInGoogleRequest,
  faultsInRequests,
} from '../../../tools/provider-rules/all-rules.ts';
import { isFullMatrix } from '../../../tools/runs.ts';
import { LogWriter } from '../../timeline/logs/log-writer.ts';
import { messageForms } from '../../timeline/render/forms.ts';
import { agentWith } from '../kit/harness.ts';
import { scripted } from './script-kit.ts';

// proves: protocol.interrupted

/**
 * Fifty prepared replies with several calls each, as the pieces of a stream, one reply per line. The files are only added
 * to.
 */
function recorded(protocol: Protocol): readonly (readonly ReplyPiece[])[] {
  const file = join(import.meta.dirname, '../../../golden/replies', `${protocol}.jsonl`);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const pieces = z.array(z.unknown()).parse(JSON.parse(line));
    return parsePieceLog(pieces.map((piece) => JSON.stringify(piece)).join('\n'));
  });
}

/** What had arrived after each byte, and after each piece without a text: text is decoded as its bytes arrive. */
function* cuts(pieces: readonly ReplyPiece[]): Generator<readonly ReplyPiece[]> {
  for (const [index, piece] of pieces.entries()) {
    const before = pieces.slice(0, index);
    if (!('text' in piece)) {
      yield [...before, piece];
      continue;
    }
    const bytes = Buffer.from(piece.text);
    for (let count = 1; count <= bytes.length; count += 1) {
      const text = new TextDecoder().decode(bytes.subarray(0, count), { stream: true });
      yield [...before, { ...piece, text }];
    }
  }
}

const agent = agentWith({ ...scripted.agent, tools: scripted.tools });
const names = createToolNames(agent.tools.map(({ spec }) => spec.id));
const turn = toTurnId('turn_1');

function opened(protocol: Protocol): LogWriter {
  const log = new LogWriter();
  const data = {
    ...{ round: 1, as_of: 2, now: '2026-01-01T00:00:00.000Z', phase: 'decision' },
    ...{ renderer: 'r', hashes: {}, landed: [], model: 'scripted:test' },
    ...(protocol === 'channels' ? {} : { protocol }),
  };
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'Add.' },
    { type: 'round.open', turn, author: 'system', data },
  );
  return log;
}

/** The log after a steer has stopped a reply, up to the next prompt. */
function interrupted(pieces: readonly ReplyPiece[], protocol: Protocol): readonly Block[] {
  const log = opened(protocol);
  const view = foldAll(emptyView, log.blocks);
  const [open] = view.turns;
  if (!open) throw new Error('the log has a turn');
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1).values();
  const ids = { next: (prefix: string) => `${prefix}_${numbers.next().value}` };
  const context = { turn: open, agent, engine: { ids }, ledger: createTurnLedger(view, turn) };
  using publisher = silentPublisher();
  const rules = { ...actionRules(agent, protocol), protocol };
  const reader = createReplyReader({
    ...{ channels: [], rules, names, context, place: { turn, round: 1 }, publisher },
    resolve: () => undefined,
    identified: () => undefined,
  });
  for (const piece of pieces) reader.push(piece);
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const call = { model: 'm', finish: 'interrupted', usage, costUsd: 0, ms: 1 } as const;
  const generated = { ...reader.end(), ...call, estimated: false, firstTokenMs: 1 };
  const carry = { family: 'scripted:test', blob: { hash: 'carry', size: 1 } };
  const kept = generated.carry.length > 0 ? { carry } : {};
  log.append(
    ...blocksFromReply(context, {
      ...{ generated, reply: undefined, ...kept, rules, round: 1, last: false, keepsShown: true },
    }),
  );
  const path = paths.external(turn, 'steer', 'msg_1');
  log.append({ type: 'external.steer', turn, author: 'user', event: 'msg_1', path, text: 'Stop' });
  log.append(...declined(log.blocks));
  return log.blocks;
}

/** Complete calls before the steer do not run, and the log says so. */
function declined(blocks: readonly Block[]): readonly Draft[] {
  if (blocks.some(({ type }) => type === 'round.close')) return [];
  const call = blocks.find(({ type }) => type === 'model.call');
  const error = { code: 'not_executed', message: 'A steer came first.', retryable: true };
  return [
    ...(call ? actionsOf(call) : []).filter(isCall).flatMap((action): readonly Draft[] => {
      const of = { turn, call: action.call, author: 'tool' } as const;
      const { tool, input } = action;
      const data = { tool, input, key: action.call, effects: 'none' };
      return [
        { ...of, type: 'react.tool.call', path: paths.call(turn, action.call), data },
        {
          ...{ ...of, type: 'react.tool.result', path: paths.result(turn, action.call) },
          ...{ text: error.message, data: { ok: false, error } },
        },
      ];
    }),
    { type: 'round.close', turn, author: 'system', data: { round: 1, outcome: 'interrupted' } },
  ];
}

/** Reasoning as every provider gives it: each adapter sends back its own. */
const carried = [
  {
    provider: 'openai',
    item: { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 's' },
  },
  { provider: 'openai-compatible', item: { reasoning_details: [{ type: 'reasoning.text' }] } },
  {
    provider: 'google',
    item: { kind: 'reasoning', text: 'Hm.', options: { google: { thoughtSignature: 'sig' } } },
  },
  {
    provider: 'google',
    item: { kind: 'call', index: 0, options: { google: { thoughtSignature: 'sig' } } },
  },
];

const forms: readonly PromptForm[] = [{ as: 'text' }, ...messageForms];

/** Checks the next request after a log, in every form of a prompt and with every provider. */
async function faultsAfter(
  blocks: readonly Block[],
  { pieces, protocol }: { readonly pieces: readonly ReplyPiece[]; readonly protocol: Protocol },
) {
  const view = foldAll(emptyView, blocks);
  const carry = pieces.flatMap((piece) => (piece.kind === 'carry' ? [piece] : []));
  const all = carry.length > 0 ? [...carry, ...carried] : [];
  const read = async () => Buffer.from(JSON.stringify(all));
  const faults = verify(blocks).map(({ code, text }) => `${code}: ${text}`);
  for (const form of forms) {
    const { parts } = render(view, { asOf: view.head, announce: '[ANNOUNCE]', ...form });
    const content = await promptContent(parts, { as: form.as, names, read });
    faults.push(...faultsInRequests(content));
    if (form.as === 'messages' && form.protocol === protocol)
      faults.push(...(await faultsInGoogleRequest(content)));
  }
  return faults;
}

/** In the long run every byte; otherwise every 31st of all replies together, so that every place of a reply has its turn. */
const step = isFullMatrix ? 1 : 31;

test.each(protocols)(
  'fifty replies with several calls, interrupted at each byte, leave a legal next request with every provider, in %s',
  async (protocol) => {
    const replies = recorded(protocol);
    expect(replies.length).toBeGreaterThanOrEqual(50);
    // Most bytes of a decision leave what the byte before them left: nothing but an interrupted reply.
    const checked = new Set<string>();
    let [at, calls] = [0, 0];
    for (const pieces of replies) {
      for (const cut of cuts(pieces)) {
        at += 1;
        if (at % step !== 0) continue;
        const blocks = interrupted(cut, protocol);
        const log = JSON.stringify(blocks);
        if (checked.has(log)) continue;
        checked.add(log);
        const faults = await faultsAfter(blocks, { pieces: cut, protocol });
        expect(faults, JSON.stringify(cut)).toEqual([]);
      }
      const whole = interrupted(pieces, protocol);
      calls += whole.filter(({ type }) => type === 'react.tool.call').length;
    }
    // Most replies that were stopped at their very end had at least two complete calls.
    expect(calls).toBeGreaterThan(75);
    expect(checked.size).toBeGreaterThan(50);
  },
  isFullMatrix ? 3_600_000 : 60_000,
);
