/** `where`: the source of the setting. */
type UrlSetting = { readonly text: string | undefined; readonly where: string };
type Rules = { readonly of: 'database' | 'redis' | 'model'; readonly problems: string[] };

const forms = {
  database: { of: /^postgres(ql)?:\/\/|^socket:/, says: 'must begin with postgres://' },
  redis: { of: /^rediss?:\/\/|^\//, says: 'must begin with redis:// or rediss://' },
  model: { of: /^https?:\/\/./, says: 'must begin with https:// or http://' },
} as const;

/** The URL of a service. Its drivers read any other text as a host name. A problem does not quote it: it may have a password. */
export function serviceUrl(
  { text, where }: UrlSetting,
  { of, problems }: Rules,
): string | undefined {
  if (text !== undefined && !forms[of].of.test(text)) problems.push(`${where}: ${forms[of].says}`);
  return text;
}
