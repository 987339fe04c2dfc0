const ownMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Keys fetched over plain http can be forged, except on the loopback interface. */
export function isSafeAddress(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && ownMachine.test(hostname));
}
