import { connect, createServer } from 'node:net';

/**
 * `node cutting-proxy.mjs PORT MS`: forwards connections to the port of this machine, and cuts each of them after the time, whatever
 * it carries. Writes its own port, and at its end the number of cuts.
 */
const [port, cutMs] = process.argv.slice(2).map(Number);
let cuts = 0;

const proxy = createServer((client) => {
  const server = connect(port, '127.0.0.1');
  const cut = () => {
    for (const socket of [client, server]) socket.destroy();
  };
  const timer = setTimeout(() => {
    cuts += 1;
    cut();
  }, cutMs);
  for (const socket of [client, server]) {
    socket.on('error', cut);
    socket.on('close', () => {
      clearTimeout(timer);
      cut();
    });
  }
  client.pipe(server);
  server.pipe(client);
});
proxy.listen(0, '127.0.0.1', () => process.stdout.write(`${proxy.address().port}\n`));
process.on('SIGTERM', () => process.stdout.write(`${cuts}\n`, () => process.exit(0)));
// Without its parent it ends as well.
process.stdin.on('end', () => process.exit(0)).resume();
