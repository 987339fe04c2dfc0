/** The URL of a server on this machine; one that listens on all addresses is reached over loopback. */
export function localUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}
