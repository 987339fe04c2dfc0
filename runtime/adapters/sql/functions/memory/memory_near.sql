-- The vectors of a user (p_convs null) or of a conversation's lineage that are nearest by cosine, with pgvector. Up to
-- p_exact_max vectors are all compared; beyond that, the HNSW index of the space finds them, among those with centre 0.
-- Every statement is planned for its own values: a plan for any values would scan the whole index for a short conversation.
create or replace function memory_near(
  p_space int, p_dimensions int, p_vector real[], p_scope bigint, p_convs bigint[], p_uptos bigint[], p_targets text[],
  p_from timestamptz, p_to timestamptz, p_except text, p_agent text, p_limit int, p_exact_max int
) returns table (conv bigint, seq bigint, near float8) language plpgsql as $f$
declare
  place text := case when p_convs is null then 'v.scope = $2' else 'v.conv = any ($3)' end;
  filters text := format('v.space = %s and v.vector is not null and ' || place || ' and v.target = any ($5)
    and ($6 is null or v.at >= $6) and ($7 is null or v.at < $7)
    and ($3 is null or v.seq <= $4[array_position($3, v.conv)])', p_space);
  snippets text := 'exists (select from snippet s where s.conv = v.conv and s.seq = v.seq
    and ($8 is null or s.turn <> $8) and ($9 is null or s.agent = $9))';
  kind text := case when p_dimensions between 2001 and 4000 then 'halfvec' else 'vector' end;
  apart text := format('v.vector::%1$s(%2$s) <=> $1::%1$s(%2$s)', kind, p_dimensions);
  signs text := format('binary_quantize(%s::vector(%2$s))::bit(%2$s)', '%s', p_dimensions);
  found text;
  vectors bigint;
begin
  execute 'select count(*) from (select from snippet_vector v where v.space = $1 and ' || place || ' limit $4) x'
    into vectors using p_space, p_scope, p_convs, p_exact_max::bigint + 1;
  if vectors <= p_exact_max then
    found := 'select v.conv, v.seq, ' || apart || ' as apart from snippet_vector v where ' || filters
      || ' and ' || snippets || ' offset 0';
  else
    perform set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true),
      set_config('hnsw.max_scan_tuples', '100000', true), set_config('hnsw.scan_mem_multiplier', '8', true);
    found := 'select v.conv, v.seq, ' || apart || ' as apart from (select * from snippet_vector v where ' || filters
      || ' and v.centre = 0 and ' || snippets || ' order by ' || case when p_dimensions <= 4000 then apart
        else format(signs, 'v.vector') || ' <~> ' || format(signs, '$1') end || format(' limit %s) v', p_limit * case when p_dimensions <= 4000 then 1 else 4 end);
  end if;
  return query execute 'select x.conv, x.seq, 1 - coalesce(nullif(x.apart, ''NaN''), 1) from (' || found
    || ') x order by x.apart limit $10'
    using p_vector, p_scope, p_convs, p_uptos, p_targets, p_from, p_to, p_except, p_agent, p_limit;
end $f$;
