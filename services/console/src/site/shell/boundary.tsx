import { Component, type ReactNode } from 'react'

interface Props {
  /** shown instead of content that failed */
  instead: ReactNode
  children: ReactNode
}

/** Parts of the site are loaded when they are needed. Where that fails, the rest of the page stays. */
export class Boundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.instead : this.props.children
  }
}
