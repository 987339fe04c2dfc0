import type { Context, Hono } from 'hono';
import { isJsonObject } from '../../base/json.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import type { Env } from '../http/context.ts';
import { queryOf } from '../input/parse-query.ts';
import { whoseQuery } from './access.ts';
import { conversationPath, type Inspection } from './inspection.ts';
import { ancestorsMax, conversationsPageMax, familyMax } from './log/limits.ts';
import { toWireConversation, withFacts } from './wire/wire-rows.ts';

export function addFamilyRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${conversationPath}/forks`, (context) => getForks(context, inspection));
  app.get(`${conversationPath}/family`, (context) => getFamily(context, inspection));
}

async function getForks(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const { row, signal } = await inspection.open(context, user);
  const forks = await forksOf(inspection, row, { limit: conversationsPageMax, signal });
  return context.json({ ok: true, items: forks.map(toWireConversation) });
}

/** The tree that a conversation belongs to, from the conversation that everything continues from; a parent precedes its forks. */
async function getFamily(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const { row, signal } = await inspection.open(context, user);
  const root = await rootOf(inspection, row, signal);
  const found: Member[] = [{ row: root }];
  for (let index = 0; index < found.length && found.length <= familyMax; index += 1) {
    const parent = found[index]?.row ?? root;
    const limit = familyMax + 1 - found.length;
    const forks = limit > 0 ? await forksOf(inspection, parent, { limit, signal }) : [];
    found.push(...forks.map((fork) => ({ row: fork, parent: parent.id })));
  }
  const kept = found.slice(0, familyMax);
  const rows = kept.map((member) => member.row);
  const items = await withFacts(rows, inspection.parts.deps.store.overview, { signal });
  return context.json({
    ok: true,
    has_more: found.length > kept.length,
    items: items.map((item, index) => ({ ...item, ...parentOf(kept[index]) })),
  });
}

type Member = { readonly row: ConversationRow; readonly parent?: string };
type Page = { readonly limit: number; readonly signal: AbortSignal };

function parentOf(member: Member | undefined): object {
  return member?.parent === undefined ? {} : { parent_id: member.parent };
}

async function forksOf(
  { parts }: Inspection,
  { key, user }: ConversationRow,
  page: Page,
): Promise<readonly ConversationRow[]> {
  const forks = await parts.deps.store.overview.forks(key, page);
  return forks.filter((fork) => fork.user === user);
}

async function rootOf(
  inspection: Inspection,
  row: ConversationRow,
  signal: AbortSignal,
): Promise<ConversationRow> {
  let root = row;
  for (let steps = 0; steps < ancestorsMax; steps += 1) {
    const id = await originalOf(inspection, root, signal);
    const { tenant, project, user } = row;
    const owner = { tenant, project, user };
    const parent = id && (await inspection.parts.deps.store.find(owner, id, { signal }));
    if (!parent) break;
    root = parent;
  }
  return root;
}

/** The conversation that it continues, or whose turn it begins with. */
async function originalOf(
  { parts }: Inspection,
  { key, forkedFrom }: ConversationRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (forkedFrom) return forkedFrom.conversation;
  const [first] = await parts.deps.store.read(key, { after: toSeq(0), limit: 1, signal });
  const { rerun_of: of } = isJsonObject(first?.data) ? first.data : {};
  const id = isJsonObject(of) ? of['conversation'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
