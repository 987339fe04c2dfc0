import type { Context, Hono } from 'hono';
import { isJsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { replyOfRound, stretchesOf } from '../../engine/inspect/round-reply.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { Env } from '../http/context.ts';
import { queryOf } from '../input/parse-query.ts';
import { whoseQuery } from './access.ts';
import { conversationPath, type Inspection, seqOf } from './inspection.ts';
import { promptCharsMax } from './log/limits.ts';

export function addReplyRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${conversationPath}/rounds/:seq/reply`, (context) => getReply(context, inspection));
}

async function getReply(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const seq = toSeq(seqOf(context));
  const log = await inspection.open(context, user);
  const reply = await replyOfRound(log, seq);
  const { call, text } = reply;
  if (text.length > promptCharsMax)
    throw new Refusal('too_large', `the reply has more than ${promptCharsMax} characters`);
  const { actions: _, ...facts } = isJsonObject(call.data) ? call.data : {};
  const round = log.archive.turns
    .flatMap(({ rounds }) => rounds)
    .find(({ openSeq }) => openSeq === seq);
  const own = (round?.blocks ?? []).filter(
    ({ author, type }) => author === 'agent' || type === 'react.notice',
  );
  return context.json({
    ok: true,
    seq,
    reply: call.seq,
    facts,
    stretches: stretchesOf(reply),
    blocks: own.map((block) => ({ seq: block.seq, type: block.type })),
    notices: own
      .filter(({ type }) => type === 'react.notice')
      .map(({ seq: at, text: said = '', data }) => ({
        block: at,
        code: isJsonObject(data) ? String(data['code'] ?? '') : '',
        text: said,
      })),
  });
}
