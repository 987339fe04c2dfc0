import { z } from 'zod';
import { type ToolNames, wireName } from '../../../channels/protocol/tool-names.ts';
import type { BlobRef } from '../../../timeline/block.ts';
import type { PromptForm } from '../../../timeline/render/form.ts';
import { type RenderPart, roleOf } from '../../../timeline/render/parts.ts';
import type {
  CallPart,
  CarryPart,
  ModelRequest,
  PromptMessage,
  PromptPart,
  ResultPart,
} from '../../ports/model.ts';

/** A prompt after its system text, as a request has it. */
export type PromptContent = Pick<ModelRequest, 'parts' | 'messages'>;

type Loaded =
  | { readonly role: 'user'; readonly part: PromptPart | ResultPart }
  | { readonly role: 'assistant'; readonly part: PromptPart | CallPart | CarryPart };

type ContentInputs = {
  readonly as: PromptForm['as'];
  /** Names of tools on the wire. Undefined: the prompt has no calls. */
  readonly names?: Pick<ToolNames, 'nameOf'> | undefined;
  /** Reads an image, a document or the reasoning of an earlier reply. */
  readonly read: (blob: BlobRef) => Promise<Uint8Array>;
};

/** The parts of a prompt with the bytes that they name. */
export async function promptContent(
  rendered: readonly RenderPart[],
  { as, ...inputs }: ContentInputs,
): Promise<PromptContent> {
  const loaded = (await Promise.all(rendered.map((part) => load(part, inputs)))).flat();
  if (as === 'messages') return { parts: [], messages: inTurns(loaded) };
  return { parts: loaded.flatMap(({ part }) => (isPlain(part) ? part : [])) };
}

async function load(
  part: RenderPart,
  { names, read }: Omit<ContentInputs, 'as'>,
): Promise<readonly Loaded[]> {
  const mark = part.checkpoint ? { checkpoint: true as const } : {};
  switch (part.kind) {
    case 'text':
      return [{ role: roleOf(part), part: { kind: 'text', text: part.text, ...mark } }];
    case 'blob': {
      const kind = part.mime.startsWith('image/') ? 'image' : 'document';
      const text = Buffer.from(await read(part.blob)).toString('base64');
      return [{ role: 'user', part: { kind, text, mime: part.mime, ...mark } }];
    }
    case 'call': {
      const { kind, call, tool, input } = part;
      return [
        {
          role: 'assistant',
          part: { kind, call, name: names?.nameOf(tool) ?? wireName(tool), input, ...mark },
        },
      ];
    }
    case 'result': {
      const { kind, call, ok, text } = part;
      return [{ role: 'user', part: { kind, call, ok, text, ...mark } }];
    }
    case 'carry': {
      const carried = Carried.parse(JSON.parse(Buffer.from(await read(part.blob)).toString()));
      return carried.map((each) => ({ role: 'assistant', part: { kind: 'carry', ...each } }));
    }
  }
}

const Carried = z.array(z.object({ provider: z.string(), item: z.json() }));

function isPlain(part: Loaded['part']): part is PromptPart {
  return part.kind === 'text' || part.kind === 'image' || part.kind === 'document';
}

type Message<Role extends Loaded['role']> = {
  readonly role: Role;
  readonly parts: Extract<Loaded, { role: Role }>['part'][];
};

function inTurns(loaded: readonly Loaded[]): readonly PromptMessage[] {
  const messages: (Message<'user'> | Message<'assistant'>)[] = [];
  for (const { role, part } of loaded) {
    const last = messages.at(-1);
    if (role === 'user') {
      if (last?.role === 'user') last.parts.push(part);
      else messages.push({ role, parts: [part] });
    } else if (last?.role === 'assistant') last.parts.push(part);
    else messages.push({ role, parts: [part] });
  }
  return messages;
}
