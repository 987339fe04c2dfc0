import { recoveryTools } from '../../../timeline/search/snippet.ts';
import { listWordCharsMin } from '../database/limits.ts';

/** The text of a snippet without its heading. */
export function snippetText(snippet: string): string {
  return `substr(${snippet}.text, position(E'\\x1f' in ${snippet}.text) + 1)`;
}

/** A query for beginnings of words, all of them in one snippet; null if they are too short to be searched for. */
export function wordBeginnings(text: string): string {
  return `(select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || ''':*', ' & ')::tsquery
    from unnest(to_tsvector('simple', memory_plain(${text}))) having max(length(lexeme)) >= ${listWordCharsMin})`;
}

/** Whether the event of a block was recalled. A recall has the path of its event. */
export function isRecalled(block: string): string {
  return `exists (select from block r
    where r.conv = ${block}.conv and r.path = ${block}.path and r.type = 'external.recall')`;
}

export function isRecalledSnippet(snippet: string): string {
  return `exists (select from block e where e.conv = ${snippet}.conv and e.seq = ${snippet}.seq and ${isRecalled('e')})`;
}

/** How many turns the log of a conversation has. */
export function turnsOf(conv: string): string {
  return `(select max(x.ordinal) from timeline_lineage(${conv}) l join turn x on x.conv = l.conv and x.seq <= l.upto)`;
}

/** Whether a turn (a row of `turn`) searched memory and used only recovery tools. Null if it used no tool. */
export function turnIsRecovery(turn: string): string {
  return `(select bool_or(x.tool = 'react.memsearch') and bool_and(x.tool in (${tools}))
    from (select substring(b.body from '"tool":"([^"]*)"') as tool from block b
           where b.conv = ${turn}.conv and b.seq > ${turn}.seq and b.type = 'react.tool.call'
             and b.seq < coalesce((select min(n.seq) from turn n where n.conv = ${turn}.conv and n.seq > ${turn}.seq),
                                  9223372036854775807)) x)`;
}

const tools = recoveryTools.map((tool) => `'${tool}'`).join(', ');
