import dns, { type LookupAddress } from 'node:dns';
import { Agent } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { vi } from 'vitest';

type Connect = (this: Agent, options: TcpNetConnectOpts) => Socket;
type Answers = readonly (readonly string[])[];

/**
 * An Internet of its own: names have the addresses of one answer after the other, of which the last stays, and all
 * addresses of names lead to this machine. `reached` are the addresses that connections to names were made to.
 */
export function openTestNetwork(names: Readonly<Record<string, Answers>>) {
  const asked: string[] = [];
  const reached: string[] = [];
  const real: LookupFunction = dns.lookup;
  const lookup: LookupFunction = (host, options, done) => {
    const answers = names[host];
    if (!answers) return real(host, options, done);
    const turn = asked.filter((name) => name === host).length;
    asked.push(host);
    const found = (answers[turn] ?? answers.at(-1) ?? []).map(toAddress);
    const [first] = found;
    if (options.all === true) return done(null, found);
    return done(null, first?.address ?? '', first?.family);
  };
  const connect = Agent.prototype.createConnection as Connect;
  const routed = (resolve: LookupFunction): LookupFunction => {
    return (host, options, done) =>
      resolve(host, { ...options, all: true }, (error, found) => {
        const [first] = Array.isArray(found) ? found : [];
        if (error || !first) return done(error ?? new Error('no address'), []);
        reached.push(first.address);
        return done(null, [{ address: '127.0.0.1', family: 4 }]);
      });
  };
  function connectHere(this: Agent, options: TcpNetConnectOpts): Socket {
    const route = routed(options.lookup ?? lookup);
    return connect.call(this, { ...options, autoSelectFamily: true, lookup: route });
  }
  const spies = [
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup),
    vi.spyOn(Agent.prototype, 'createConnection').mockImplementation(connectHere as never),
  ];
  syncBuiltinESMExports();
  return {
    asked,
    reached,
    [Symbol.dispose]: () => {
      for (const spy of spies) spy.mockRestore();
      syncBuiltinESMExports();
    },
  };
}

function toAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}
