export type Table = {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** Comma-separated text with quotes as in RFC 4180; blank lines do not count. */
export function parseTable(text: string): Table {
  const [header = [], ...rows] = records(text.replace(/^\uFEFF/, ''));
  return { header: header.map((name) => name.trim()), rows };
}

function records(text: string): readonly (readonly string[])[] {
  const found: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    if (end === '' && quoted === undefined && plain === '' && record.length === 0) break;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (record.some((field) => field !== '')) found.push(record);
    record = [];
    if (end === '') break;
  }
  return found;
}
