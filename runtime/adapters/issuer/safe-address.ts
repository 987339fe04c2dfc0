const ownMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Keys that came over plain http may be anybody's, unless they never left this machine. */
export function isSafeAddress(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && ownMachine.test(hostname));
}
