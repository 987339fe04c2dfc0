/**
 * The first program in the sandbox of an agent: it leads a port of the loopback interface to the socket of the egress proxy,
 * starts the agent program, and ends with it. `node -e SCRIPT PORT SOCKET COMMAND…`
 */
export const forwarderScript = `
const net = require('node:net');
const { spawn } = require('node:child_process');
const [port, socket, command, ...args] = process.argv.slice(1);
const fail = (error, code) => { require('node:fs').writeSync(2, error.message); process.exit(code); };
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: socket, allowHalfOpen: true });
  const end = () => { near.destroy(); far.destroy(); };
  near.on('error', end).pipe(far);
  far.on('error', end).pipe(near);
});
server.on('error', (error) => fail(error, 126));
server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(command, args, { stdio: 'inherit' });
  child.on('error', (error) => fail(error, 127));
  child.on('exit', (code, signal) => process.exit(signal ? 128 : code));
  for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => child.kill(name));
});
`;
