/// <reference lib="dom" />
import type { ComponentProps, ReactNode } from 'react';
import { Icon } from './icons.tsx';

type Props = ComponentProps<'button'> & { readonly icon: string; readonly label: string };

/** A button that shows an icon. Its label is its name and its tooltip. */
export function IconButton({ icon, label, className = '', ...props }: Props): ReactNode {
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      aria-label={label}
      title={label}
      {...props}
    >
      <Icon path={icon} />
    </button>
  );
}
