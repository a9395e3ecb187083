/** The list of runtimes. */
export const runtimesPath = '/runtimes'

/** The check of an agent container. */
export const checkPath = `${runtimesPath}/check`

/** The faces of one runtime, each with a place of its own. */
export const tabs = ['overview', 'versions', 'endpoints', 'logs', 'metrics'] as const
export type RuntimeTab = (typeof tabs)[number]

/** The place of a runtime's tab; `query` says more of what is shown there. */
export function runtimePath(
  id: string,
  tab: RuntimeTab = 'overview',
  query: Readonly<Record<string, string>> = {},
): string {
  const at = `${runtimesPath}/${encodeURIComponent(id)}${tab === 'overview' ? '' : `/${tab}`}`
  const asked = new URLSearchParams(query).toString()
  return asked === '' ? at : `${at}?${asked}`
}
