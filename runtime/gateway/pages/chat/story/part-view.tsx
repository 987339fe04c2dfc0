import { memo, type ReactNode } from 'react';
import type { StoryPart } from '../../../../client/index.ts';
import { PartBoundary } from '../../shared/part-boundary.tsx';
import { ApprovalView } from '../rare/approval-view.tsx';
import { CanvasView } from '../rare/canvas-view.tsx';
import { FilesView } from '../rare/files-view.tsx';
import { PlanView, ProgramView, ToolView } from '../rare/tool-views.tsx';
import { SecretView } from '../settings/secret-view.tsx';
import { AnswerView } from './answer-view.tsx';
import { MessageView } from './message-view.tsx';
import { NoteView, ThinkingView } from './step-views.tsx';

type Props = {
  readonly part: StoryPart;
  readonly bundle: string;
  /** The turn that a message opened, if it can be changed. */
  readonly editable?: string | undefined;
};

/** One part of a turn. */
export const PartView = memo(function PartView(props: Props): ReactNode {
  return (
    <PartBoundary value={props.part}>
      <View {...props} />
    </PartBoundary>
  );
});

function View({ part, bundle, editable }: Props): ReactNode {
  switch (part.kind) {
    case 'message':
      return <MessageView part={part} turn={editable} />;
    case 'thinking':
      return <ThinkingView part={part} />;
    case 'note':
      return <NoteView part={part} />;
    case 'answer':
      return <AnswerView part={part} />;
    case 'program':
      return <ProgramView part={part} />;
    case 'tool':
      return <ToolView part={part} name={part.tool} />;
    case 'approval':
      // An open one stays above the message field.
      return part.outcome === '' ? null : <ApprovalView part={part} />;
    case 'secret':
      return <SecretView part={part} />;
    case 'plan':
      return <PlanView part={part} />;
    case 'canvas':
      return <CanvasView part={part} bundle={bundle} />;
    case 'files':
      return <FilesView items={part.items} />;
    case 'status':
      return <div className="quiet">{part.text}</div>;
  }
}
