import type { Database } from '../../../runtime/adapters/sql/database/database.ts';

const columns = `
  select c.relname, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
         || case when a.attnotnull then ' not null' else '' end
         || case when a.attidentity <> '' then ' identity'
                 when a.attgenerated <> '' then ' generated ' || pg_get_expr(d.adbin, d.adrelid)
                 when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname, a.attnum`;

const constraints = `
  select conrelid::regclass || ' ' || pg_get_constraintdef(oid) as line from pg_constraint
   where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f', 'c') order by 1`;

const indexes = `select indexdef as line from pg_indexes where schemaname = 'public' order by indexname`;

const functions = `
  select pg_get_functiondef(p.oid) as line from pg_proc p
   where p.pronamespace = 'public'::regnamespace
     and not exists (select from pg_depend where objid = p.oid and deptype = 'e') order by p.proname`;

/** What the migrations made, in words that do not depend on the server's version. */
export async function dumpSchema(database: Database): Promise<string> {
  const tables = new Map<string, string[]>();
  for (const row of await database.query(columns, [])) {
    const { relname, line } = row as { relname: string; line: string };
    tables.set(relname, [...(tables.get(relname) ?? []), `  ${line}`]);
  }
  const drawn = [...tables].map(([name, lines]) => `table ${name}\n${lines.join('\n')}`);
  const rest = [];
  for (const sql of [constraints, indexes, functions]) {
    const rows = await database.query(sql, []);
    rest.push(rows.map((row) => (row as { line: string }).line).join('\n'));
  }
  return `${[...drawn, ...rest].join('\n\n')}\n`;
}
