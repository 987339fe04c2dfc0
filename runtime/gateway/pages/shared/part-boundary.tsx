import { Component, type ReactNode } from 'react';

type Props = { readonly children: ReactNode; readonly value: object };

/** Shows a value as text if its view fails, so that the rest of the page is not affected. */
export class PartBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    const { value } = this.props;
    return (
      <pre className="undrawn">
        {'text' in value ? String(value.text) : JSON.stringify(value, null, 2)}
      </pre>
    );
  }
}
