/// <reference lib="dom" />
import { type ReactNode, useEffect, useState } from 'react';
import { checkIcon, copyIcon } from './action-icons.ts';
import { IconButton } from './icon-button.tsx';

const shownMs = 1_600;

/** Copies a text and says so for a moment. */
export function CopyButton({ label, text }: { label: string; text: () => string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <IconButton
      icon={isCopied ? checkIcon : copyIcon}
      label={isCopied ? 'Copied' : label}
      onClick={copy}
    />
  );
}
