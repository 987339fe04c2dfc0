import type { Context, Hono } from 'hono';
import { Semaphore } from '../../base/semaphore.ts';
import { toScript } from '../../engine/inspect/as-script.ts';
import { textOf } from '../../engine/inspect/open-log.ts';
import { verifyLog } from '../../engine/inspect/verify-log.ts';
import { replay } from '../../engine/reply/replay.ts';
import type { Env } from '../http/context.ts';
import { queryOf } from '../input/parse-query.ts';
import { whoseQuery } from './access.ts';
import { conversationPath, type Inspection } from './inspection.ts';
import { checksMax } from './log/limits.ts';
import { streamProgress } from './log/progress-stream.ts';

export function addCheckRoutes(app: Hono<Env>, inspection: Inspection): void {
  const checks = new Semaphore(checksMax);
  app.get(`${conversationPath}/as-script`, (context) => getScript(context, inspection));
  app.post(`${conversationPath}/verify`, async (context) => {
    const { user } = queryOf(context, whoseQuery);
    const log = await inspection.open(context, user);
    return streamProgress(context, inspection.parts, (progress) =>
      checks.run(async () => {
        const problems = await verifyLog(log, progress);
        return { blocks: log.blocks.length, problems };
      }),
    );
  });
  app.post(`${conversationPath}/replay`, async (context) => {
    const { user } = queryOf(context, whoseQuery);
    const log = await inspection.open(context, user);
    const text = (hash: string) => textOf(log, hash);
    return streamProgress(context, inspection.parts, (progress) =>
      checks.run(() => replay(log.blocks, { text, progress })),
    );
  });
}

async function getScript(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const script = await toScript(await inspection.open(context, user));
  return context.json({ ok: true, ...script });
}
