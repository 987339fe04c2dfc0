create or replace function blob_used() returns trigger language plpgsql as $f$
begin
  insert into blob_use (conv, hash, seq) select new.conv, hash, new.seq from blobs_in(new.body) hash on conflict do nothing;
  return null;
end $f$;
