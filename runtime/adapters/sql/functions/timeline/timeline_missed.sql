-- The blocks after p_after up to p_upto that the conversation itself wrote, as JSON; null: more than p_max, or not all of
-- them are its own.
create or replace function timeline_missed(p_conv bigint, p_after bigint, p_upto bigint, p_max int) returns text
language sql stable as $f$
  select case when count(*) = p_upto - p_after then
      coalesce(json_agg(json_build_object('seq', b.seq, 'at', iso_utc(b.at), 'type', b.type, 'turn', b.turn, 'path', b.path,
                                          'call', b.call, 'body', b.body) order by b.seq)::text, '[]') end
    from block b
   where b.conv = p_conv and b.seq > p_after and b.seq <= p_upto and p_upto - p_after <= p_max
$f$;
