-- What else follows from new blocks, in the transaction that writes them: a turn gets its place in the count, which a fork
-- continues; a call has one result in the whole lineage (block_one_result ensures it within one conversation), and with it
-- the journal of its program goes; bytes outside the log are noted as in use.
create or replace function blocks_written(p_conv bigint, p_first bigint, p_last bigint) returns void
language plpgsql as $f$
begin
  insert into turn (conv, ordinal, turn, seq, at, scope, agent)
    select b.conv,
           1 + coalesce((select max(t.ordinal) from timeline_lineage(b.conv) l
                           join turn t on t.conv = l.conv and t.seq <= l.upto), 0),
           b.turn, b.seq, b.at, memory_scope(c.tenant, c.project, c.owner), memory_agent(b.body)
      from block b join conversation c on c.id = b.conv
     where b.conv = p_conv and b.seq between p_first and p_last and b.type = 'turn.open'
    on conflict do nothing;
  if exists (select from block n
               join timeline_lineage(p_conv) l on l.conv <> p_conv
               join block b on b.conv = l.conv and b.call = n.call and b.type = 'react.tool.result' and b.seq <= l.upto
              where n.conv = p_conv and n.seq between p_first and p_last and n.type = 'react.tool.result') then
    raise exception 'a call has one result' using errcode = 'unique_violation';
  end if;
  delete from program_call p using block b
    where b.conv = p_conv and b.seq between p_first and p_last and b.type = 'react.tool.result'
      and p.conv = b.conv and p.program = b.call;
  insert into blob_use (conv, hash, seq)
    select b.conv, hash, b.seq from block b cross join lateral blobs_in(b.body) hash
     where b.conv = p_conv and b.seq between p_first and p_last and position('"sha256:' in b.body) > 0 order by b.seq
    on conflict do nothing;
end $f$;
