import type { Promises } from './promises.ts';

export const ofIssue4: Promises = {
  'issue 4.4': {
    'exec.pool':
      'Executors wait for programs; each serves one, has seen nothing before it, and is replaced.',
    'exec.expected': 'An executor starts for a program while the model still writes it.',
    'exec.reaped': 'What a dead owner left is removed; what a living one has stays.',
    'exec.inodes': 'A program cannot make files without end.',
    'exec.steered': 'A steer stops a running program at once, and what it made stays for the turn.',
    'exec.live': 'People see what a program prints while it runs.',
    'exec.profile':
      'What an operator gives binds every program; a runtime that is not there is never replaced by a weaker one.',
    'i6.attacked':
      'No known way out of a sandbox works, and each was seen to work where nothing stands in it.',
    'exec.egress':
      'A delivered file is what its name says, and no archive among them escapes, links or bursts.',
  },
};
