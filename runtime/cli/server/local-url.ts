/** Where this machine reaches a server that listens at `host`: one that listens everywhere listens here as well. */
export function localUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}
