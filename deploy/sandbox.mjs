import { installDebian, say } from './steps.mjs';

/** Something that isolates generated code: bubblewrap and Python, where this machine lets us install them. */
export function prepareSandbox() {
  if (process.platform !== 'linux') {
    say('programs need Docker here; without it the demo leaves them out');
    return;
  }
  installDebian([
    { name: 'bubblewrap', file: 'bwrap' },
    { name: 'python3', file: 'python3' },
  ]);
}
