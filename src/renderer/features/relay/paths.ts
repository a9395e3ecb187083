import type { Route } from '@shared/contract'

/** Points tools that go through the relay at their plans, or anew at the relay: those given, or all of them. Shows the diff first. */
export function pointPath({ to, toolIds }: { readonly to: Route; readonly toolIds?: readonly string[] }): string {
  const query = new URLSearchParams({ to, ...(toolIds && { tools: toolIds.join(',') }) })
  return `/relay/point?${query}`
}
