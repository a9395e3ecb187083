import { Component, type ErrorInfo, type ReactNode } from 'react'

interface Props {
  readonly children: ReactNode
  readonly fallback: (error: Error, retry: () => void) => ReactNode
  /** Key of the content, such as the page address. A new key clears the error and renders the content again. */
  readonly resetKey?: string
}

/** Limits a render error to one part of the window. */
export class ErrorBoundary extends Component<Props, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error }
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error(error.message, info.componentStack)
  }

  override componentDidUpdate(previousProps: Props): void {
    if (previousProps.resetKey !== this.props.resetKey && this.state.error) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    return error ? this.props.fallback(error, () => this.setState({ error: undefined })) : this.props.children
  }
}
