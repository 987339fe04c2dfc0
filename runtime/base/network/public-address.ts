import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Refusal } from '../refusal.ts';

const notPublic = new BlockList();
/** Special-purpose addresses, by the registries of IANA. */
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(net, prefix, 'ipv4');

const isPublicV6 = new BlockList();
isPublicV6.addSubnet('2000::', 3, 'ipv6');
const exceptV6 = new BlockList();
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  exceptV6.addSubnet(net, prefix, 'ipv6');

/** Whether anybody on the Internet has this address; others belong to this machine or network. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !notPublic.check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  return isPublicV6.check(address, 'ipv6') && !exceptV6.check(address, 'ipv6');
}

/**
 * Resolves a name for one connection and refuses addresses that are not public. The connection is made to the address that
 * was checked, so a name that changes its address in between gains nothing.
 */
export function publicLookup(isAllowed: (host: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    resolveName(host, { ...options, all: true }, (error, found) => {
      const addresses = error ? [] : found.filter((each) => isAllowed(host) || isPublic(each));
      const [first] = addresses;
      if (!first) callback(error ?? addressRefused(host), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function isPublic({ address }: LookupAddress): boolean {
  return isPublicAddress(address);
}

/** Refusal `address_refused`. For a host that is an address, no name is resolved. */
export function assertPublicHost(host: string, isAllowed: (host: string) => boolean): void {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isAllowed(host) && !isPublicAddress(address))
    throw addressRefused(host);
}

function addressRefused(host: string): Refusal {
  return new Refusal('address_refused', `${host} is not a public address`);
}
