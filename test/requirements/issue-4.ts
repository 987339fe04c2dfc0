import type { Promises } from './promises.ts';

export const ofIssue4: Promises = {
  'issue 4.1': {
    'exec.docker-combined':
      'One container for both keeps the promises of two: two users without a right, limits, an outcome and files from the host.',
    'exec.docker-combined-chosen':
      'One container for both is taken by those who ask for it in so many words, and by nobody else.',
    'i6.neighbours':
      'A program and the supervisor it shares a container with can do nothing to each other.',
  },
  'issue 4.4': {
    'supervisor.same':
      'A tool of a bundle does the same wherever its code runs: with the worker, or in a process of its own.',
    'supervisor.loop':
      'A tool that runs in a circle is stopped with its process; the worker and other tenants go on, and calls beside it are told what may be repeated.',
    'supervisor.crash':
      'A tool that ends its process, by exit, crash or memory, ends no other; the next call finds a new one.',
    'supervisor.revision':
      'A new revision serves at once, while the old one ends the calls it has, and then its process.',
    'supervisor.idle': 'A process of a bundle that nobody needs is stopped; a turn brings it back.',
    'supervisor.orphan':
      'No process of a bundle outlives its worker, however that ends and whatever runs in it.',
    'supervisor.own-secrets':
      'A process of a bundle gets the secrets, settings and values of its own tenant and bundle alone, when it asks, never as arguments or environment.',
    'exec.pool':
      'Executors wait for programs; each serves one, has seen nothing before it, and is replaced.',
    'exec.docker-inputs-warm':
      'In Docker too a program with attachments and files of its turn takes an executor that waits.',
    'exec.expected': 'An executor starts for a program while the model still writes it.',
    'exec.reaped': 'What a dead owner left is removed; what a living one has stays.',
    'exec.inodes': 'A program cannot make files without end.',
    'exec.steered': 'A steer stops a running program at once, and what it made stays for the turn.',
    'exec.live': 'People see what a program prints while it runs.',
    'exec.profile':
      'What an operator gives binds every program; a runtime that is not there is never replaced by a weaker one.',
    'exec.in-doubt':
      'What a program began and nobody heard the end of is told to the model, also after its worker died.',
    'exec.killed':
      'Whoever is killed, whenever: a program is never run twice, a keyed call is made certain under its own key, and the model and its people are told of every call in doubt.',
    'i6.attacked':
      'No known way out of a sandbox works, and each was seen to work where nothing stands in it.',
    'exec.egress':
      'A delivered file is what its name says, and no archive among them escapes, links or bursts.',
  },
  'issue 4.8': {
    'exec.fargate':
      'Programs run as tasks of AWS under the promises of every other backend, over a bucket and a secret alone.',
    'exec.fargate-clean': 'Task, secret and objects of an execution are gone with it.',
    'exec.fargate-reaped':
      'What an owner without signs of life left, or what is past its deadline, is removed; what a living one has stays.',
    'exec.fargate-tried-again':
      'A throttled, full or silent service is asked again, one that says no is not; nothing is left either way.',
    'exec.fargate-letters':
      'Letters arrive once, in order and unforged, or not at all; who writes more than is read waits.',
    'exec.fargate-launch':
      'What is too large for a secret or an override is refused whole, never cut; a task needs no right to list.',
    'exec.fargate-attacked':
      'No known way leads from a program into the network of its task, to its credentials or its supervisor.',
    'exec.fargate-kept':
      'Where no disk has a limit, what a program has written is measured; what it has locked is delivered.',
    'exec.fargate-pool':
      'A waiting task gives a program its first line, serves it alone, is replaced, and ends when nobody wants it.',
    'exec.fargate-stack':
      'The stack gives rights over named things, lets nobody in, and makes two users without rights.',
    'topology.s3-blobs': 'A server can keep its files in a bucket.',
  },
};
