/** For the `ref` of what scrolls by itself: the keyboard must reach it, too. */
export function reachable(element: HTMLElement | null): void {
  if (element) element.tabIndex = 0
}
