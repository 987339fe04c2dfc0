import type { Comparison } from './comparison.ts';

export const filesAndAttachments: Comparison = {
  system: 'KDCube',
  rows: [
    {
      does: 'Knowledge is a git repository with roots for docs, sources, deployment and tests, or the folder of the bundle.',
      shown: [
        [
          'test/runtime/sdk/knowledge/open-knowledge.test.ts',
          'folders of a bundle are searched by title, tags, headings and words, and read by path',
        ],
        [
          'test/runtime/cli/bundles/repositories.test.ts',
          'knowledge comes from a repository, at the commit that is named, and from the last copy without a network',
        ],
      ],
    },
    {
      does: 'Its index is built once when the bundle is loaded, and again when its settings change.',
      shown: [
        [
          'test/integration/supervisors/life.test.ts',
          'a bundle is loaded before any traffic, and disposed of after its last call, in its process',
        ],
        [
          'test/runtime/sdk/knowledge/open-knowledge.test.ts',
          'folders of a bundle are searched by title, tags, headings and words, and read by path',
        ],
      ],
    },
    {
      does: 'Broken references between its pages are found.',
      shown: [
        [
          'test/runtime/sdk/knowledge/open-knowledge.test.ts',
          'broken links between pages are reported if requested',
        ],
      ],
    },
    {
      does: 'The agent searches it and reads its pages under ks: paths.',
      shown: [
        [
          'test/guide/library/with-knowledge.test.ts',
          'a page of the handbook is found by a word and read',
        ],
      ],
    },
    {
      does: 'Files that a bundle or a program makes have links, and only their user may open them.',
      shown: [
        [
          'test/runtime/sdk/context/file-links.test.ts',
          'a file has a link for those who may read it',
        ],
        [
          'test/runtime/gateway/http/http.test.ts',
          "a file is its owner's, and arrives as something to save",
        ],
      ],
    },
    {
      does: 'A file has a resource name with tenant, project, stage, user, conversation, turn, role and path, which POST /by-rn resolves.',
      shown: [
        [
          'test/runtime/timeline/resource-names.test.ts',
          'every written name is read back, for any user',
        ],
        [
          'test/runtime/gateway/http/http.test.ts',
          "a file is its owner's, and arrives as something to save",
        ],
      ],
    },
    {
      does: 'files/ is the workspace that stays; outputs/ is what was produced, external or internal.',
      shown: [
        [
          'test/runtime/tools/exec/exec-tools.test.ts',
          'a program finds attachments, workspace and pulled files, and produces the files of its contract',
        ],
        [
          'test/supervisor/files/workspace-retention.test.ts',
          'a workspace keeps its files and fifty new ones, but no files elsewhere and no temporary files',
        ],
      ],
    },
    {
      does: 'Attachments of a prompt, and those of later events, have paths that never collide.',
      shown: [
        [
          'test/runtime/gateway/http/body-limit.test.ts',
          'files of a form follow the attachments of its message',
        ],
        [
          'test/runtime/gateway/intake/prompt-race.test.ts',
          'of two concurrent prompts to an idle conversation one is the prompt, the other a followup',
        ],
      ],
    },
    {
      does: 'A file that comes with an event of a busy conversation is stored first, and the event names it.',
      shown: [
        [
          'test/runtime/client/client.test.ts',
          'files are sent inside the message or uploaded first, and downloaded by their path',
        ],
        [
          'test/runtime/timeline/render/announce.test.ts',
          'of the events of the turn the last four are shown, in short, with their files',
        ],
      ],
    },
    {
      does: 'If the event opens a later turn, its file goes with it.',
      shown: [
        [
          'test/runtime/testing/loop/message-options.test.ts',
          'options of a message that its turn could not answer apply to the turn that answers it',
        ],
        [
          'test/runtime/gateway/intake/prompt-race.test.ts',
          'a prompt that arrives while the turn closes is the prompt of the next turn',
        ],
      ],
    },
    {
      does: 'Attachments arrive over HTTP and over sockets, and pass the same checks.',
      shown: [
        [
          'test/runtime/gateway/http/http.test.ts',
          'files of a multipart message get safe and distinct names',
        ],
        [
          'test/runtime/gateway/socket/socket-server.test.ts',
          'an oversized image is refused with the limit, and nothing of the message is kept',
        ],
      ],
    },
    {
      does: 'An image has at most 5 MB, a PDF 10 MB and 500 pages, a text 10 MB, a message 25 MB.',
      shown: [
        [
          'test/runtime/gateway/inspection/limits.test.ts',
          'the limits of attachments are those of the reference',
        ],
        [
          'test/runtime/gateway/inspection/inspector.test.ts',
          '%s is refused, unless the operator allows it',
        ],
        [
          'test/runtime/gateway/inspection/inspector.test.ts',
          'an operator sets the maximum number of PDF pages',
        ],
      ],
    },
    {
      does: 'A package has at most 2,000 entries, 120 MB unpacked, and 200 times its size.',
      shown: [
        [
          'test/runtime/gateway/inspection/limits.test.ts',
          'the limits of attachments are those of the reference',
        ],
      ],
    },
    {
      does: 'Files are scanned by ClamAV in production.',
      shown: [
        [
          'test/runtime/adapters/clamav/scan.test.ts',
          'a file is handed over whole, in pieces, and what was found in it is reported',
        ],
        [
          'test/runtime/cli/commands/doctor/check-antivirus.test.ts',
          'files are scanned with jwt, unless the operator switches it off',
        ],
      ],
    },
    {
      does: 'The content decides the type; PDFs and Office documents are checked by their structure.',
      shown: [
        [
          'test/runtime/gateway/inspection/inspector.test.ts',
          '%s is accepted as %s, with its type or with its name alone',
        ],
      ],
    },
    {
      does: 'Macros are refused, and so are ZIP archives.',
      shown: [
        [
          'test/runtime/gateway/inspection/inspector.test.ts',
          'an Office document with %s is refused',
        ],
        [
          'test/runtime/gateway/inspection/inspector.test.ts',
          '%s is refused, unless the operator allows it',
        ],
      ],
    },
    {
      does: 'PDF, DOCX, PPTX, XLSX, images and text are accepted.',
      shown: [
        [
          'test/runtime/gateway/inspection/inspector.test.ts',
          '%s is accepted as %s, with its type or with its name alone',
        ],
      ],
    },
    {
      does: 'Programs find attachments of later events in a folder of their event, so that equal names do not collide.',
      shown: [
        [
          'test/runtime/tools/files/local-path.test.ts',
          'attachments of later events have a folder of their event',
        ],
      ],
    },
    {
      does: 'Attachments flow to the model as images and documents, and to programs as files.',
      shown: [
        [
          'test/runtime/adapters/models/requests.test.ts',
          'anthropic: images and documents are blocks, and what it cannot read is named in words',
        ],
        [
          'test/runtime/tools/exec/exec-tools.test.ts',
          'a program finds attachments, workspace and pulled files, and produces the files of its contract',
        ],
      ],
    },
  ],
};
