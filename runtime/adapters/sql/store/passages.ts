import { z } from 'zod';
import { conversationKeySchema, seqSchema } from '../../../timeline/ids.ts';
import type { Passage } from '../../../timeline/ports/overview.ts';
import { toColumn } from '../../../timeline/ports/store-rules.ts';
import { listSnippetsMax } from '../database/limits.ts';
import { parseRow } from '../rows/rows.ts';
import { isRecalledSnippet, snippetText, wordBeginnings } from '../rows/snippet-columns.ts';

/** The conversations `c` of an owner in which something was said: `text` is the parameter, or null. */
export function saidIn(text: string, owned: string): string {
  return `select s.conv from conversation c join snippet s on s.conv = c.id
    where ${text}::text is not null and ${owned} and s.words @@ ${wordBeginnings(text)}
      and not ${isRecalledSnippet('s')} limit ${listSnippetsMax}`;
}

export const passagesStatement = `select distinct on (s.conv) s.conv as key, s.seq, ${snippetText('s')} as text
  from snippet s where s.conv = any ($1::bigint[]) and s.words @@ ${wordBeginnings('$2')}
    and not ${isRecalledSnippet('s')} order by s.conv, s.seq desc`;

/** The parameter of a search; null: none. */
export function toSearched(text: string | undefined): string | null {
  return text === undefined ? null : toColumn(text);
}

const PassageColumns: z.ZodType<Passage> = z.object({
  key: conversationKeySchema,
  seq: seqSchema,
  text: z.string(),
});

export function toPassage(row: unknown): Passage {
  return parseRow(PassageColumns, row);
}
